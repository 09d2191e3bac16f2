import type { NodeIdentity, ServiceIdentity } from '../../events/grants.js'
import type { Tenancy } from '../../events/envelope.js'
import { MANAGEMENT_POLICY_ID, type Policy } from '../../events/policy.js'
import type { NamespaceAcls } from '../../events/namespace.js'
import type { ScopedRules } from './layer.js'
import { managementRules } from './rules/builtin.js'
import { parseRulesCached } from './rules/parsed-rules.js'
import {
  SCOPES,
  type RuleSet,
  type Rule,
  type Level,
  type LabelledResource,
  type Match
} from './rules/model.js'
import { parseLegacyRules } from './rules/translate.js'

/** One set of rules for each service identity that is valid in the datacenter (spec: acl.md §7.2). */
export const serviceIdentityRules = (
  identities: readonly ServiceIdentity[],
  datacenter: string
): readonly RuleSet[] =>
  identities
    .filter(({ Datacenters }) => !Datacenters || Datacenters.length === 0 || Datacenters.includes(datacenter))
    .map(({ ServiceName }) => ({
      rules: [
        rule('service', 'exact', ServiceName, 'write'),
        rule('service', 'exact', `${ServiceName}-sidecar-proxy`, 'write'),
        rule('service', 'prefix', '', 'read'),
        rule('node', 'prefix', '', 'read')
      ],
      blocks: [],
      warnings: []
    }))

/** One set of rules for each node identity valid in the datacenter. Services may be read in every namespace of the partition (tenancy.md §6.1). */
export const nodeIdentityRules = (
  identities: readonly NodeIdentity[],
  datacenter: string
): readonly RuleSet[] =>
  identities
    .filter(({ Datacenter }) => Datacenter === datacenter)
    .map(({ NodeName }) => {
      const readServices = rule('service', 'prefix', '', 'read')
      return {
        rules: [rule('node', 'exact', NodeName, 'write'), readServices],
        blocks: [{ partition: null, namespace: { match: 'prefix', label: '' }, rules: [readServices] }],
        warnings: []
      }
    })

const rule = (resource: LabelledResource, match: Match, label: string, level: Level): Rule => ({
  resource,
  match,
  label,
  level,
  intentions: null,
  line: 0,
  column: 0
})

/** The direct links and identities of a token or role. */
export interface DirectGrants {
  readonly Policies: readonly { readonly ID: string }[]
  readonly Roles?: readonly { readonly ID: string }[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  /** Rules in the legacy syntax, which tokens of the configuration may have. */
  readonly Rules?: string
}

interface Source<Key, Row> {
  get(key: Key): Row | undefined
}

/** The part of a policy that decides. */
export type PolicyContent = Pick<Policy, 'ID' | 'Rules' | 'Datacenters'>

export interface LinkTargets {
  readonly policies: Source<string, { readonly policy: PolicyContent; readonly tenancy: Tenancy }>
  readonly roles: Source<string, { readonly role: DirectGrants }>
  readonly datacenter: string
  /** Returns the rules of a policy, or those that matter. Default: all. */
  readonly rulesOf?: (policy: PolicyContent, tenancy: Tenancy) => RuleSet
  /** Selects the rules of identities. Default: all. */
  readonly select?: (rules: RuleSet) => RuleSet
}

export type NamespaceSource = Source<
  Tenancy,
  { readonly namespace: { readonly ACLs?: NamespaceAcls | undefined } }
>

/** A linked row, undefined if it did not exist at the time. */
export interface Dependency {
  readonly kind: 'policy' | 'role'
  readonly id: string
  readonly row: object | undefined
}

interface CollectedRules {
  readonly sets: readonly ScopedRules[]
  /** The rules hold as long as these are the current rows. */
  readonly dependencies: readonly Dependency[]
}

/** The policy's name may change while the rules stay the same. */
export const policySource = (id: string): string => `policy ${id}`
export const serviceIdentitySource = (name: string): string => `service identity ${JSON.stringify(name)}`
export const LEGACY_SOURCE = 'legacy rules'
export const nodeIdentitySource = (name: string): string => `node identity ${JSON.stringify(name)}`

/** Returns the sources of the direct identities, in the order of `collectRules`. */
export const identitySources = ({ ServiceIdentities, NodeIdentities }: DirectGrants): readonly string[] => [
  ...ServiceIdentities.map(({ ServiceName }) => serviceIdentitySource(ServiceName)),
  ...NodeIdentities.map(({ NodeName }) => nodeIdentitySource(NodeName))
]

const management = managementRules()

export const policyRules = ({ ID, Rules }: PolicyContent, tenancy: Tenancy): RuleSet =>
  ID === MANAGEMENT_POLICY_ID ? management : parseRulesCached(Rules, tenancy)

const all = (rules: RuleSet): RuleSet => rules

const isValidIn = ({ Datacenters }: PolicyContent, datacenter: string): boolean =>
  Datacenters.length === 0 || Datacenters.includes(datacenter)

/** Returns the datacenters that some link or identity names. All others decide alike. Linear in the links, roles included. */
export const namedDatacenters = (
  holdings: DirectGrants,
  tenancy: Tenancy,
  {
    policies,
    roles,
    namespaces
  }: Pick<LinkTargets, 'policies' | 'roles'> & { readonly namespaces: NamespaceSource }
): ReadonlySet<string> => {
  const { PolicyDefaults = [], RoleDefaults = [] } = namespaces.get(tenancy)?.namespace.ACLs ?? {}
  const links = [...(holdings.Roles ?? []), ...RoleDefaults]
  const held = [holdings, ...links.flatMap(({ ID }) => roles.get(ID)?.role ?? [])]
  const named = new Set<string>()
  for (const { ID } of [...PolicyDefaults, ...held.flatMap(({ Policies }) => Policies)])
    for (const datacenter of policies.get(ID)?.policy.Datacenters ?? []) named.add(datacenter)
  for (const { ServiceIdentities, NodeIdentities } of held) {
    for (const { Datacenters } of ServiceIdentities)
      for (const datacenter of Datacenters ?? []) named.add(datacenter)
    for (const { Datacenter } of NodeIdentities) named.add(Datacenter)
  }
  return named
}

/** Collects policies, roles and identities, each once (acl.md §9.1). Linear in the links, roles included. `tenancy` is that of the holder. */
export const collectRules = (
  holdings: DirectGrants,
  tenancy: Tenancy,
  linked: LinkTargets
): CollectedRules => {
  const { policies, roles, datacenter, rulesOf = policyRules, select = all } = linked
  const dependencies: Dependency[] = []
  const held: DirectGrants[] = [holdings]
  for (const { ID } of holdings.Roles ?? []) {
    const row = roles.get(ID)
    dependencies.push({ kind: 'role', id: ID, row })
    if (row) held.push(row.role)
  }
  const sets: ScopedRules[] = []
  const add = (rules: RuleSet, home: Tenancy, source: string): void => {
    if (rules.rules.length + rules.blocks.length > 0) sets.push({ rules, tenancy: home, source })
  }
  for (const id of new Set(held.flatMap(({ Policies }) => Policies.map(({ ID }) => ID)))) {
    const row = policies.get(id)
    dependencies.push({ kind: 'policy', id, row })
    if (row && isValidIn(row.policy, datacenter))
      add(rulesOf(row.policy, row.tenancy), row.tenancy, policySource(id))
  }
  for (const { ServiceIdentities, NodeIdentities } of held) {
    for (const identity of ServiceIdentities)
      for (const rules of serviceIdentityRules([identity], datacenter))
        add(select(rules), tenancy, serviceIdentitySource(identity.ServiceName))
    for (const identity of NodeIdentities)
      for (const rules of nodeIdentityRules([identity], datacenter))
        add(select(rules), tenancy, nodeIdentitySource(identity.NodeName))
  }
  if (holdings.Rules !== undefined) add(select(parseLegacyRules(holdings.Rules)), tenancy, LEGACY_SOURCE)
  return { sets, dependencies }
}

const NO_IDENTITIES = { ServiceIdentities: [], NodeIdentities: [] }

/** Collects the default policies and roles of a token's namespace, and its row `home` (tenancy.md §9.4). Linear in the linked rules. */
export const collectNamespaceDefaults = (
  tenancy: Tenancy,
  namespaces: NamespaceSource,
  linked: LinkTargets
): CollectedRules & { readonly home: object | undefined } => {
  const home = namespaces.get(tenancy)
  const acls = home?.namespace.ACLs
  if (!acls) return { home, sets: [], dependencies: [] }
  const holdings = { Policies: acls.PolicyDefaults, Roles: acls.RoleDefaults, ...NO_IDENTITIES }
  const origin = { partition: tenancy.partition, namespace: 'default' }
  const { sets, dependencies } = collectRules(holdings, origin, linked)
  return { home, dependencies, sets: namespaceDefaultRules(sets, tenancy) }
}

/**
 * Default policies belong to namespace `default`. Their plain rules apply there and also in the token's own namespace;
 * rules on cluster-wide resources, and on writing nodes, apply in `default` only (spec: tenancy.md §9.4).
 * @param defaults the rules of the namespace's default policies and roles
 * @param token the tenancy of the token
 */
export function namespaceDefaultRules(
  defaults: readonly ScopedRules[],
  token: Tenancy
): readonly ScopedRules[] {
  return defaults.flatMap(set => {
    if (set.tenancy.partition === token.partition && set.tenancy.namespace === token.namespace) return [set]
    const rules = set.rules.rules.filter(isOfNamespace)
    return [set, { ...set, rules: { rules, blocks: [], warnings: [] }, tenancy: token }]
  })
}

const isOfNamespace = ({ resource, level }: Rule): boolean =>
  SCOPES[resource] === 'namespace' && !(resource === 'node' && level === 'write')
