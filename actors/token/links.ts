// From the links and identities that a caller writes to those that are stored (spec: acl.md §6.1, §7.1).
import type { Link, NodeIdentity, ServiceIdentity } from '../../events/acl-links.js'
import { invalid } from '../refusal.js'
import type { LinkDraft } from './commands.js'

const NAME = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/
const isName = (text: string): boolean => text.length <= 256 && NAME.test(text)
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** How links of one kind are looked up; both answers are undefined where nothing is found. */
export interface LinkTargets {
  readonly kind: 'policy' | 'role'
  byId(id: string): string | undefined
  byName(name: string): Link | undefined
}

const resolve = (link: LinkDraft, targets: LinkTargets): Link => {
  if (link.ID) {
    const Name = targets.byId(link.ID)
    if (Name === undefined) throw invalid(`No such ACL ${targets.kind} with ID "${link.ID}"`)
    return { ID: link.ID.toLowerCase(), Name }
  }
  const found = link.Name ? targets.byName(link.Name) : undefined
  if (!found) throw invalid(`No such ACL ${targets.kind} with name "${link.Name ?? ''}"`)
  return found
}

/**
 * Links by ID, in the order written, each target once.
 * @throws Refusal `invalid` for the first link without a target
 */
export const resolveLinks = (links: readonly LinkDraft[], targets: LinkTargets): Link[] => [
  ...new Map(links.map(link => resolve(link, targets)).map(link => [link.ID, link])).values()
]

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

/** @throws Refusal `invalid`; `owner` is what holds the identities, for the text */
export const checkServiceIdentities = (
  identities: readonly ServiceIdentity[],
  owner: { readonly kind: 'token' | 'role'; readonly local: boolean }
): ServiceIdentity[] => {
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

/** @throws Refusal `invalid`; `kind` is what holds the identities, for the text */
export const checkNodeIdentities = (
  identities: readonly NodeIdentity[],
  kind: 'token' | 'role'
): NodeIdentity[] => {
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
