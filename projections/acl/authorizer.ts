import type { Tenancy } from '../../events/envelope.js'
import { Layer, type RequestedAccess, type Resource, type ScopedRules } from './layer.js'
import { grants, type Access, type DecidingRule, type Ruling, isGranted } from './rule-index.js'
import type { Level, Rule } from './rules/model.js'

export { ANY_NAMESPACE, type Resource, type ScopedRules } from './layer.js'
export { isGranted, type Access, type Ruling } from './rule-index.js'

export type DefaultPolicy = 'allow' | 'deny'

/** The origin of rules: the token's own links, or the defaults of its namespace. */
export type LayerName = 'token' | 'namespace'

export type DecisionReason =
  | {
      readonly kind: 'rule'
      readonly rule: Rule
      /** The level after merging; for intentions the explicit or derived one. */
      readonly level: Level
      readonly source: string
      readonly layer: LayerName
    }
  | { readonly kind: 'default'; readonly policy: DefaultPolicy }
  | { readonly kind: 'acls-disabled' }

export interface Decision {
  readonly allowed: boolean
  readonly because: DecisionReason
}

/** The rules that an authorizer is compiled from; `everything` if ACLs are disabled. */
export type AuthorizerRules =
  | 'everything'
  | {
      readonly own: readonly ScopedRules[]
      readonly defaultPolicy: DefaultPolicy
      readonly namespaceDefaults: readonly ScopedRules[]
    }

/**
 * The names on which a caller needs a permission: what is found in any letter case is also judged by its stored name,
 * since rules are exact.
 */
export const judgedNames = (
  requested: string,
  ...stored: readonly (string | undefined)[]
): ReadonlySet<string> => new Set([requested, ...stored.filter(name => name !== undefined)])

/**
 * Decides by the rules of one token (spec: acl.md §9, tenancy.md §9). Namespace `*` stands for any namespace of the partition.
 * For `operator`, `keyring`, `event` and `query` the tenancy is ignored, for `agent` only its partition counts.
 */
export interface Authorizer {
  /** Its source, as data that can be sent to another thread. */
  readonly rules: AuthorizerRules
  /**
   * Decides an access to the resource named `segment`, the path of a key, or `*` for every intention;
   * ignored if the resource has no names. Takes well below a microsecond, without allocation.
   */
  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean
  /** Returns the rule by which `may` decides, by the same look-up. */
  rulingOf(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Ruling
  /** Decides reading every resource of a kind, whatever its name (spec: acl.md §9.7). */
  mayAll(resource: Resource, access: 'read', tenancy: Tenancy): boolean
  /** Decides access to the namespace of `tenancy` itself (spec: tenancy.md §9.3): write to create, change or delete it, read to see it. */
  mayNamespace(access: 'read' | 'write', tenancy: Tenancy): boolean
  /** The decision of `may` with its reason, by the same look-up. */
  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision
  decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision
  decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision
}

/**
 * Compiles the rules of a token: merged and indexed once, by the first decision, in time linear in their number but for sorting.
 * @param own the rules of the token's policies, roles and identities; their order is irrelevant
 * @param namespaceDefaults apply where `own` has no rule for the resource and segment (see `namespaceDefaultRules`)
 */
export function compileAuthorizer(
  own: readonly ScopedRules[],
  defaultPolicy: DefaultPolicy,
  namespaceDefaults: readonly ScopedRules[] = []
): Authorizer {
  return new CompiledAuthorizer({ own, defaultPolicy, namespaceDefaults })
}

export const authorizerOf = (rules: AuthorizerRules): Authorizer =>
  rules === 'everything'
    ? allowEverything
    : compileAuthorizer(rules.own, rules.defaultPolicy, rules.namespaceDefaults)

interface NamedLayer {
  readonly name: LayerName
  readonly layer: Layer
}

const layersOf = ({ own, namespaceDefaults }: CompiledAuthorizer['rules']): readonly NamedLayer[] => {
  const layers: NamedLayer[] = []
  if (own.length > 0) layers.push({ name: 'token', layer: new Layer(own) })
  if (namespaceDefaults.length > 0) layers.push({ name: 'namespace', layer: new Layer(namespaceDefaults) })
  return layers
}

class CompiledAuthorizer implements Authorizer {
  private layers: readonly NamedLayer[] | undefined

  constructor(readonly rules: Exclude<AuthorizerRules, 'everything'>) {}

  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean {
    return isGranted(this.rulingOf(resource, access, segment, tenancy), access)
  }

  rulingOf(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Ruling {
    return this.#deciding(resource, access, segment, tenancy) ?? this.#byDefault(resource)
  }

  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision {
    return (
      this.#decision(access, resource, access, segment, tenancy) ?? this.#default(this.#byDefault(resource))
    )
  }

  mayAll(resource: Resource, access: 'read', tenancy: Tenancy): boolean {
    const rule = this.#deciding(resource, 'read-all', '', tenancy)
    return rule === undefined ? this.#byDefault(resource) : grants(rule.level, access)
  }

  decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision {
    return (
      this.#decision(access, resource, 'read-all', '', tenancy) ?? this.#default(this.#byDefault(resource))
    )
  }

  mayNamespace(access: 'read' | 'write', tenancy: Tenancy): boolean {
    return this.decideNamespace(access, tenancy).allowed
  }

  decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision {
    const asOperator = this.decide('operator', access, '', tenancy)
    if (asOperator.allowed) return asOperator
    const right = this.#deciding('namespace', access, '', tenancy)
    if (right !== undefined) return this.decide('namespace', access, '', tenancy)
    if (this.rules.defaultPolicy === 'allow' || access === 'write')
      return this.#default(this.rules.defaultPolicy === 'allow')
    return this.#decision(access, 'namespace', 'any', '', tenancy) ?? this.#default(false)
  }

  /** The decision by the first layer that has a rule. */
  #decision(
    access: Access,
    resource: Resource,
    requested: RequestedAccess,
    segment: string,
    tenancy: Tenancy
  ): Decision | undefined {
    for (const { layer, name } of (this.layers ??= layersOf(this.rules))) {
      const found = layer.deciding(resource, requested, segment, tenancy)
      if (found === undefined) continue
      const { rule, source, level } = found
      return { allowed: grants(level, access), because: { kind: 'rule', rule, level, source, layer: name } }
    }
    return undefined
  }

  #default(allowed: boolean): Decision {
    return { allowed, because: { kind: 'default', policy: this.rules.defaultPolicy } }
  }

  #deciding(
    resource: Resource,
    access: RequestedAccess,
    segment: string,
    tenancy: Tenancy
  ): DecidingRule | undefined {
    for (const { layer } of (this.layers ??= layersOf(this.rules))) {
      const rule = layer.deciding(resource, access, segment, tenancy)
      if (rule !== undefined) return rule
    }
    return undefined
  }

  /** A default of allow never covers the ACL system itself (spec: acl.md §9.8). */
  #byDefault(resource: Resource): boolean {
    return this.rules.defaultPolicy === 'allow' && resource !== 'acl'
  }
}

const allowed = (): Decision => ({ allowed: true, because: { kind: 'acls-disabled' } })

export const allowEverything: Authorizer = {
  rules: 'everything',
  may: () => true,
  rulingOf: () => true,
  mayAll: () => true,
  mayNamespace: () => true,
  decide: allowed,
  decideAll: allowed,
  decideNamespace: allowed
}

/** Decides everything by the `decide…` methods. */
export abstract class DecidingAuthorizer implements Authorizer {
  abstract readonly rules: AuthorizerRules

  may(resource: Resource, access: Access, segment: string, tenancy: Tenancy): boolean {
    return isGranted(this.rulingOf(resource, access, segment, tenancy), access)
  }

  mayAll(resource: Resource, access: 'read', tenancy: Tenancy): boolean {
    return this.decideAll(resource, access, tenancy).allowed
  }

  mayNamespace(access: 'read' | 'write', tenancy: Tenancy): boolean {
    return this.decideNamespace(access, tenancy).allowed
  }

  abstract rulingOf(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Ruling
  abstract decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision
  abstract decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision
  abstract decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision
}

/** Decides `namespace:read-job`: read on the namespace itself, or on every service in it (decisions.md 21). */
export const decideReadJob = (authorizer: Authorizer, tenancy: Tenancy): Decision => {
  const onNamespace = authorizer.decide('namespace', 'read', '', tenancy)
  if (onNamespace.allowed) return onNamespace
  const onServices = authorizer.decideAll('service', 'read', tenancy)
  return onServices.allowed ? onServices : onNamespace
}

/** Grants what both grant; a denial has the reason of the first authorizer that denies. */
export class AuthorizerIntersection extends DecidingAuthorizer {
  readonly rules: AuthorizerRules

  constructor(
    private readonly one: Authorizer,
    private readonly other: Authorizer
  ) {
    super()
    this.rules = one.rules
  }

  rulingOf(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Ruling {
    const ruling = this.one.rulingOf(resource, access, segment, tenancy)
    const isDenied = !isGranted(ruling, access)
    return isDenied || this.other.may(resource, access, segment, tenancy) ? ruling : false
  }

  decide(resource: Resource, access: Access, segment: string, tenancy: Tenancy): Decision {
    const decision = this.one.decide(resource, access, segment, tenancy)
    return decision.allowed ? this.other.decide(resource, access, segment, tenancy) : decision
  }

  decideAll(resource: Resource, access: 'read', tenancy: Tenancy): Decision {
    const decision = this.one.decideAll(resource, access, tenancy)
    return decision.allowed ? this.other.decideAll(resource, access, tenancy) : decision
  }

  decideNamespace(access: 'read' | 'write', tenancy: Tenancy): Decision {
    const decision = this.one.decideNamespace(access, tenancy)
    return decision.allowed ? this.other.decideNamespace(access, tenancy) : decision
  }
}
