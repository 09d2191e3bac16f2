// Identities of tokens and roles: their rules, and the form in which they are stored (spec: acl.md §7.1).
import type { NodeIdentity, ServiceIdentity } from '../../events/acl-links.js'
import type { Tenancy } from '../../events/envelope.js'
import { invalid } from '../refusal.js'
import type { Holder } from './drafts.js'

const NAME = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/
const isName = (text: string): boolean => text.length <= 256 && NAME.test(text)
/** Shared by all that have no identity. */
const NONE: readonly never[] = []
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** One identity for each service, sorted; no datacenters means all of them. */
const mergeServices = (identities: readonly ServiceIdentity[]): ServiceIdentity[] => {
  const merged = new Map<string, ServiceIdentity>()
  for (const identity of identities) {
    const before = merged.get(identity.ServiceName)
    const [a, b] = [before?.Datacenters ?? [], identity.Datacenters ?? []]
    if (!before) merged.set(identity.ServiceName, identity)
    else if (a.length === 0 || b.length === 0)
      merged.set(identity.ServiceName, { ServiceName: identity.ServiceName })
    else
      merged.set(identity.ServiceName, {
        ServiceName: identity.ServiceName,
        Datacenters: [...new Set([...a, ...b])].toSorted(byText)
      })
  }
  return [...merged.values()].toSorted((a, b) => byText(a.ServiceName, b.ServiceName))
}

/** @throws Refusal `invalid` */
export const checkServiceIdentities = (
  identities: readonly ServiceIdentity[],
  owner: Holder
): readonly ServiceIdentity[] => {
  if (identities.length === 0) return NONE
  for (const { ServiceName, Datacenters = [] } of identities) {
    if (ServiceName === '')
      throw invalid(`Service identity is missing the service name field on this ${owner.kind}`)
    if (owner.local && Datacenters.length > 0)
      throw invalid(`Service identity "${ServiceName}" cannot specify a list of datacenters on a local token`)
    if (!isName(ServiceName))
      throw invalid(
        `Service identity "${ServiceName}" has an invalid name. Only alphanumeric characters, '-' and '_' are allowed`
      )
  }
  return mergeServices(identities).map(({ ServiceName, Datacenters = [] }) =>
    Datacenters.length > 0 ? { ServiceName, Datacenters } : { ServiceName }
  )
}

/**
 * Node identities are of namespace `default` alone (tenancy.md §6.1).
 * @throws Refusal `invalid`
 */
export const checkNodeIdentities = (
  identities: readonly NodeIdentity[],
  { kind }: Holder,
  { namespace }: Tenancy
): readonly NodeIdentity[] => {
  if (identities.length === 0) return NONE
  if (namespace !== 'default')
    throw invalid(`Node identities are allowed only on a ${kind} of namespace "default"`)
  for (const { NodeName, Datacenter } of identities) {
    if (NodeName === '') throw invalid(`Node identity is missing the node name field on this ${kind}`)
    if (Datacenter === '') throw invalid(`Node identity is missing the datacenter field on this ${kind}`)
    if (!isName(NodeName))
      throw invalid(
        `Node identity has an invalid name. Only alphanumeric characters, '-' and '_' are allowed: "${NodeName}"`
      )
  }
  const once = new Map(identities.map(identity => [`${identity.NodeName} ${identity.Datacenter}`, identity]))
  return [...once.values()].toSorted(
    (a, b) => byText(a.NodeName, b.NodeName) || byText(a.Datacenter, b.Datacenter)
  )
}
