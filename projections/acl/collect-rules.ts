// All rules that a token, or the defaults of a namespace, bring along: by policies, roles and identities, each once
// (spec: acl.md §9.1).
import type { NodeIdentity, ServiceIdentity } from '../../events/grants.js'
import type { Tenancy } from '../../events/envelope.js'
import { MANAGEMENT_POLICY_ID } from '../../events/policy.js'
import type { Policy } from '../../events/policy.js'
import { nodeIdentityRules, serviceIdentityRules } from './identities.js'
import type { NamespaceAcls } from '../../events/namespace.js'
import type { ScopedRules } from './layer.js'
import { managementRules } from './rules/builtin.js'
import { parseRulesCached } from './rules/parse.js'
import type { RuleSet, Rule, RuleResource } from './rules/model.js'
import { parseLegacyRules } from './rules/translate.js'

interface LinkedTo {
  readonly ID: string
}

/** What a token or role holds directly. */
export interface DirectGrants {
  readonly Policies: readonly LinkedTo[]
  readonly Roles?: readonly LinkedTo[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  /** Rules of its own in the legacy syntax, which tokens made by the configuration may have. */
  readonly Rules?: string
}

/** Things by their keys, such as a read model. */
interface Source<Key, Row> {
  get(key: Key): Row | undefined
}

/** Where linked things are found, and where this is. */
interface LinkTargets {
  readonly policies: Source<string, { readonly policy: Policy; readonly tenancy: Tenancy }>
  readonly roles: Source<string, { readonly role: DirectGrants }>
  readonly datacenter: string
}

/** Where the defaults of namespaces are found. */
type NamespaceSource = Source<Tenancy, { readonly namespace: { readonly ACLs?: NamespaceAcls | undefined } }>

/** A linked thing, and its row at the time; undefined when it was not there. */
export interface Dependency {
  readonly kind: 'policy' | 'role'
  readonly id: string
  readonly row: object | undefined
}

interface Gathered {
  readonly sets: readonly ScopedRules[]
  /** The same rules hold as long as these are the rows of today. */
  readonly dependencies: readonly Dependency[]
}

/** How the source of a rule names a policy; the policy's name may change while the rules stand. */
export const policySource = (id: string): string => `policy ${id}`
export const serviceIdentitySource = (name: string): string => `service identity ${JSON.stringify(name)}`
export const LEGACY_SOURCE = 'legacy rules'
export const nodeIdentitySource = (name: string): string => `node identity ${JSON.stringify(name)}`

const management = managementRules()

const rulesOf = ({ ID, Rules }: Policy, tenancy: Tenancy): RuleSet =>
  ID === MANAGEMENT_POLICY_ID ? management : parseRulesCached(Rules, tenancy)

/** Whether a policy counts in a datacenter. */
const isValidIn = ({ Datacenters }: Policy, datacenter: string): boolean =>
  Datacenters.length === 0 || Datacenters.includes(datacenter)

/** Linear in what is held, roles included. `tenancy` is that of the holder. */
export const collectRules = (holdings: DirectGrants, tenancy: Tenancy, linked: LinkTargets): Gathered => {
  const { policies, roles, datacenter } = linked
  const dependencies: Dependency[] = []
  const held: DirectGrants[] = [holdings]
  for (const { ID } of holdings.Roles ?? []) {
    const row = roles.get(ID)
    dependencies.push({ kind: 'role', id: ID, row })
    if (row) held.push(row.role)
  }
  const sets: ScopedRules[] = []
  for (const id of new Set(held.flatMap(({ Policies }) => Policies.map(({ ID }) => ID)))) {
    const row = policies.get(id)
    dependencies.push({ kind: 'policy', id, row })
    if (row && isValidIn(row.policy, datacenter))
      sets.push({ rules: rulesOf(row.policy, row.tenancy), tenancy: row.tenancy, source: policySource(id) })
  }
  for (const { ServiceIdentities, NodeIdentities } of held) {
    for (const identity of ServiceIdentities)
      for (const rules of serviceIdentityRules([identity], datacenter))
        sets.push({ rules, tenancy, source: serviceIdentitySource(identity.ServiceName) })
    for (const identity of NodeIdentities)
      for (const rules of nodeIdentityRules([identity], datacenter))
        sets.push({ rules, tenancy, source: nodeIdentitySource(identity.NodeName) })
  }
  if (holdings.Rules !== undefined)
    sets.push({ rules: parseLegacyRules(holdings.Rules), tenancy, source: LEGACY_SOURCE })
  return { sets, dependencies }
}

/** What a token has besides its own: the default policies and roles of its namespace (tenancy.md §9.4). */
interface GatheredDefaults extends Gathered {
  /** The namespace's row at the time. */
  readonly home: object | undefined
}

const NOTHING = { ServiceIdentities: [], NodeIdentities: [] }

/** Linear in the rules of what is linked. */
export const collectNamespaceDefaults = (
  tenancy: Tenancy,
  namespaces: NamespaceSource,
  linked: LinkTargets
): GatheredDefaults => {
  const home = namespaces.get(tenancy)
  const acls = home?.namespace.ACLs
  if (!acls) return { home, sets: [], dependencies: [] }
  const holdings = { Policies: acls.PolicyDefaults, Roles: acls.RoleDefaults, ...NOTHING }
  const origin = { partition: tenancy.partition, namespace: 'default' }
  const { sets, dependencies } = collectRules(holdings, origin, linked)
  return { home, dependencies, sets: namespaceDefaultRules(sets, tenancy) }
}

/** The default policies and roles of a namespace as rules for a token in it (spec: tenancy.md §9.4). */
const NOT_OF_A_NAMESPACE: readonly RuleResource[] = ['operator', 'keyring', 'event', 'query', 'agent']

/**
 * Default policies live in namespace `default`. Their plain rules apply there and also in the token's own namespace;
 * those that are not about a namespace, and writing nodes, mean no more than they do at home.
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
  !NOT_OF_A_NAMESPACE.includes(resource) && !(resource === 'node' && level === 'write')
