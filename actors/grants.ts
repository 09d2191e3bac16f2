// The links and identities of a token or role, checked in the order of the spec (acl.md §3.3, §5 to §7).
import type { Tenancy } from '../events/envelope.js'
import type { NodeIdentity, ServiceIdentity } from '../events/grants.js'
import type { LinkInput, Link } from '../events/definition/types.js'
import { byText } from '../projections/row-table.js'
import type { Views } from '../projections/read-models.js'
import { invalidWith, invalid } from './refusal.js'
import { isWithinTenancy } from './tenancy.js'

const invalidGrant = invalidWith('acl.grant.invalid')

interface GrantInput {
  readonly Policies: readonly LinkInput[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

export interface GrantHolder {
  readonly kind: 'token' | 'role'
  /** True for a token that is valid only in its own datacenter. */
  readonly local: boolean
}

/** @throws Refusal `invalid` for the first link without a target or identity that breaks a rule */
export const grantsOf = (input: GrantInput, holder: GrantHolder, tenancy: Tenancy, views: Views) => ({
  Policies: resolveLinks(input.Policies, policyTargets, tenancy, views),
  ServiceIdentities: checkServiceIdentities(input.ServiceIdentities, holder),
  NodeIdentities: checkNodeIdentities(input.NodeIdentities, holder, tenancy)
})

/** Grants and roles of a token. @throws Refusal `invalid` as `grantsOf` */
export const tokenGrantsOf = (
  input: GrantInput & { readonly Roles: readonly LinkInput[]; readonly Local: boolean },
  tenancy: Tenancy,
  views: Views
) => {
  const holder = input.Local ? LOCAL_TOKEN : GLOBAL_TOKEN
  return {
    Policies: resolveLinks(input.Policies, policyTargets, tenancy, views),
    Roles: resolveLinks(input.Roles, roleTargets, tenancy, views),
    ServiceIdentities: checkServiceIdentities(input.ServiceIdentities, holder),
    NodeIdentities: checkNodeIdentities(input.NodeIdentities, holder, tenancy)
  }
}

const GLOBAL_TOKEN: GrantHolder = { kind: 'token', local: false }
const LOCAL_TOKEN: GrantHolder = { kind: 'token', local: true }

// Resolution of links (spec: acl.md §6.1).

/** The policies or roles that resources of a tenancy may link to: those of the same tenancy (tenancy.md §6.1). */
interface LinkTargets {
  readonly kind: 'policy' | 'role'
  byId(id: string, tenancy: Tenancy, views: Views): Link | undefined
  byName(name: string, tenancy: Tenancy, views: Views): Link | undefined
}

const resolve = (
  { ID, Name = '' }: LinkInput,
  targets: LinkTargets,
  tenancy: Tenancy,
  views: Views
): Link => {
  const found = ID ? targets.byId(ID, tenancy, views) : targets.byName(Name, tenancy, views)
  if (found) return found
  const named = ID ? `ID "${ID}"` : `name "${Name}"`
  throw invalid('acl.link.unknown', `No such ACL ${targets.kind} with ${named}`)
}

/** Resolves links, each target once. @throws Refusal `invalid` for the first link without a target */
export const resolveLinks = (
  links: readonly LinkInput[],
  targets: LinkTargets,
  tenancy: Tenancy,
  views: Views
): readonly Link[] => {
  if (links.length === 0) return NONE
  const resolved = links.map(link => resolve(link, targets, tenancy, views))
  return resolved.length === 1 ? resolved : [...new Set(resolved)]
}

/** Shared, to save memory. */
const NONE: readonly never[] = []

export const policyTargets: LinkTargets = {
  kind: 'policy',
  byId: (id, tenancy, { policies }) => isWithinTenancy(policies.get(id), tenancy)?.link,
  byName: (name, tenancy, { policies }) => policies.named(tenancy, name)?.link
}

export const roleTargets: LinkTargets = {
  kind: 'role',
  byId: (id, tenancy, { roles }) => isWithinTenancy(roles.get(id), tenancy)?.link,
  byName: (name, tenancy, { roles }) => roles.named(tenancy, name)?.link
}

// Identities of tokens and roles (spec: acl.md §7.1).

const NAME = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/
const isName = (text: string): boolean => text.length <= 256 && NAME.test(text)

const serviceIdentity = (ServiceName: string, Datacenters: readonly string[]): ServiceIdentity =>
  Datacenters.length > 0 ? { ServiceName, Datacenters } : { ServiceName }

/** Merges the identities of each service and sorts them; no datacenters means all of them. */
const mergeServices = (identities: readonly ServiceIdentity[]): ServiceIdentity[] => {
  const [only] = identities
  if (only && identities.length === 1) return [serviceIdentity(only.ServiceName, only.Datacenters ?? NONE)]
  const merged = new Map<string, readonly string[]>()
  for (const { ServiceName, Datacenters = [] } of identities) {
    const before = merged.get(ServiceName)
    const isEverywhere = before?.length === 0 || Datacenters.length === 0
    const both = new Set([...(before ?? []), ...Datacenters])
    merged.set(ServiceName, !before ? Datacenters : isEverywhere ? [] : [...both].toSorted())
  }
  return [...merged]
    .toSorted(([a], [b]) => byText(a, b))
    .map(([ServiceName, Datacenters]) => serviceIdentity(ServiceName, Datacenters))
}

/** @throws Refusal `invalid` */
export const checkServiceIdentities = (
  identities: readonly ServiceIdentity[],
  owner: GrantHolder
): readonly ServiceIdentity[] => {
  if (identities.length === 0) return NONE
  for (const { ServiceName, Datacenters = [] } of identities) {
    if (ServiceName === '')
      throw invalidGrant(`Service identity is missing the service name field on this ${owner.kind}`)
    if (owner.local && Datacenters.length > 0)
      throw invalidGrant(
        `Service identity "${ServiceName}" cannot specify a list of datacenters on a local token`
      )
    if (!isName(ServiceName))
      throw invalidGrant(
        `Service identity "${ServiceName}" has an invalid name. Only alphanumeric characters, '-' and '_' are allowed`
      )
  }
  return mergeServices(identities)
}

/** Node identities require namespace `default` (tenancy.md §6.1). @throws Refusal `invalid` */
export const checkNodeIdentities = (
  identities: readonly NodeIdentity[],
  { kind }: GrantHolder,
  { namespace }: Tenancy
): readonly NodeIdentity[] => {
  if (identities.length === 0) return NONE
  if (namespace !== 'default')
    throw invalidGrant(`Node identities are allowed only on a ${kind} of namespace "default"`)
  for (const { NodeName, Datacenter } of identities) {
    if (NodeName === '') throw invalidGrant(`Node identity is missing the node name field on this ${kind}`)
    if (Datacenter === '') throw invalidGrant(`Node identity is missing the datacenter field on this ${kind}`)
    if (!isName(NodeName))
      throw invalidGrant(
        `Node identity has an invalid name. Only alphanumeric characters, '-' and '_' are allowed: "${NodeName}"`
      )
  }
  const once = new Map(identities.map(identity => [`${identity.NodeName} ${identity.Datacenter}`, identity]))
  return [...once.values()].toSorted(
    (a, b) => byText(a.NodeName, b.NodeName) || byText(a.Datacenter, b.Datacenter)
  )
}
