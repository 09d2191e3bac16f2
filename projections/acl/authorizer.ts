// Compiled rules: may this token do that? (spec: acl.md §9, tenancy.md §9)
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import { Layer, type ScopedRules } from './layer.js'
import { grants, type Access, type DecidingRule } from './rule-index.js'
import type { Rule } from './rules/model.js'
import type { Resource } from './scope-rules.js'

export { ANY_NAMESPACE, type ScopedRules } from './layer.js'
export type { Access } from './rule-index.js'
export type { Resource } from './scope-rules.js'

/** What happens where no rule answers. */
export type DefaultPolicy = 'allow' | 'deny'

/** Why a decision fell as it did. */
export type Because =
  | { readonly kind: 'rule'; readonly rule: Rule; readonly source: string }
  | { readonly kind: 'default'; readonly policy: DefaultPolicy }
  | { readonly kind: 'acls-disabled' }

export interface Decision {
  readonly allowed: boolean
  readonly because: Because
}

/**
 * Answers for one token. A tenancy whose namespace is `*` asks whether any namespace of the partition grants it.
 * For `operator`, `keyring`, `event` and `query` the tenancy means nothing, for `agent` only its partition counts.
 */
export interface Authorizer {
  /**
   * Whether an access is granted. `segment` is the name of the thing, the path of a key, `*` for every intention;
   * ignored where the resource has no names. Well below a microsecond, without allocation.
   */
  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean
  /** Whether all things of a resource may be read, whatever their names (spec: acl.md §9.7). */
  mayAll(resource: Resource, access: 'read', tenancy: Tenancy): boolean
  /**
   * The right on a namespace itself (spec: tenancy.md §9.3): write to create, change or delete it, read to see it.
   * `tenancy` names that namespace.
   */
  mayNamespace(access: 'read' | 'write', tenancy: Tenancy): boolean
  /** The answer of `may` with its reason, by the same look-up. */
  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision
}

/**
 * Compiles the rules of a token: merged and indexed once, in time linear in their number but for sorting.
 * @param own the token's policies, those of its roles, its identities; their order means nothing
 * @param namespaceDefaults asked where `own` has no rule for the resource and segment (see `namespaceDefaultRules`)
 */
export function compileAuthorizer(
  own: readonly ScopedRules[],
  defaultPolicy: DefaultPolicy,
  namespaceDefaults: readonly ScopedRules[] = []
): Authorizer {
  const layers = [own, namespaceDefaults].filter(sets => sets.length > 0).map(sets => new Layer(sets))
  return new CompiledAuthorizer(layers, defaultPolicy)
}

class CompiledAuthorizer implements Authorizer {
  readonly #layers: readonly Layer[]
  readonly #defaultPolicy: DefaultPolicy

  constructor(layers: readonly Layer[], defaultPolicy: DefaultPolicy) {
    this.#layers = layers
    this.#defaultPolicy = defaultPolicy
  }

  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean {
    const rule = this.#deciding(resource, access, segment, tenancy)
    return rule === undefined ? this.#byDefault(resource) : grants(rule.level, access)
  }

  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision {
    const deciding = this.#deciding(resource, access, segment, tenancy)
    if (deciding === undefined)
      return { allowed: this.#byDefault(resource), because: { kind: 'default', policy: this.#defaultPolicy } }
    const { rule, source, level } = deciding
    return { allowed: grants(level, access), because: { kind: 'rule', rule, source } }
  }

  mayAll(resource: Resource, access: 'read', tenancy: Tenancy): boolean {
    const partition = partitionOf(resource, tenancy)
    const namespace = namespaceOf(resource, tenancy)
    for (const layer of this.#layers) {
      const rule = layer.decidingAll(resource, partition, namespace)
      if (rule !== undefined) return grants(rule.level, access)
    }
    return this.#byDefault(resource)
  }

  mayNamespace(access: 'read' | 'write', tenancy: Tenancy): boolean {
    if (this.may('operator', access, '', tenancy)) return true
    const right = this.#deciding('namespace', access, '', tenancy)
    if (right !== undefined) return grants(right.level, access)
    if (this.#defaultPolicy === 'allow') return true
    if (access === 'write') return false
    return this.#layers.some(layer => layer.anyAccess(tenancy.partition, tenancy.namespace) !== undefined)
  }

  #deciding(resource: Resource, access: Access, segment: string, tenancy: Tenancy): DecidingRule | undefined {
    const partition = partitionOf(resource, tenancy)
    const namespace = namespaceOf(resource, tenancy)
    for (const layer of this.#layers) {
      const rule = layer.deciding(resource, access, segment, partition, namespace)
      if (rule !== undefined) return rule
    }
    return undefined
  }

  /** A default of allow never covers the ACL system itself (spec: acl.md §9.8). */
  #byDefault(resource: Resource): boolean {
    return this.#defaultPolicy === 'allow' && resource !== 'acl'
  }
}

const isClusterWide = (resource: Resource): boolean =>
  resource === 'operator' || resource === 'keyring' || resource === 'event' || resource === 'query'

const partitionOf = (resource: Resource, tenancy: Tenancy): string =>
  isClusterWide(resource) ? DEFAULT_TENANCY.partition : tenancy.partition

const namespaceOf = (resource: Resource, tenancy: Tenancy): string =>
  resource === 'agent' || isClusterWide(resource) ? DEFAULT_TENANCY.namespace : tenancy.namespace

/** What everyone may do when ACLs are disabled: everything. */
export const allowEverything: Authorizer = {
  may: () => true,
  mayAll: () => true,
  mayNamespace: () => true,
  decide: () => ({ allowed: true, because: { kind: 'acls-disabled' } })
}
