import { LRUCache } from 'lru-cache'
import { cacheLimits } from '../../events/cache-limits.js'
import { NAMESPACE_TOPIC } from '../../events/namespace.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { ANONYMOUS_SECRET } from '../../events/token.js'
import { allowEverything, compileAuthorizer, type Authorizer, type DefaultPolicy } from './authorizer.js'
import type { Tenancy } from '../../events/envelope.js'
import {
  collectNamespaceDefaults,
  collectRules,
  type Dependency,
  type DirectGrants,
  type LinkTargets,
  type NamespaceSource
} from './collect-rules.js'
import type { Policies } from './policies.js'
import type { Roles } from './roles.js'
import type { Namespaces } from '../tenancy/namespaces.js'
import type { TokenRow } from './token-row.js'
import type { Tokens } from './tokens.js'

/** The watch key of token resolutions that failed because no server was reachable; touched when one is again. */
export const UNRESOLVED_TOKENS = 'unresolved tokens'

export interface Authority {
  /** Undefined if ACLs are off, or if no server could resolve the secret. */
  readonly token: TokenRow | undefined
  readonly authorizer: Authorizer
}

/** Resolves the tokens of another datacenter. */
export interface RemoteTokenResolver {
  /** Decides if a token that exists here is resolved there. */
  decides(token: TokenRow): boolean
  /** Returns the known authority of a secret; undefined for none. `now` is in epoch milliseconds. */
  authorityOf(secret: string, now: number): Authority | undefined
}

/** The rows and settings that rights follow from. */
export interface RightsSources extends Pick<LinkTargets, 'policies' | 'roles'> {
  readonly namespaces: NamespaceSource
  readonly settings: { readonly datacenter: string; readonly defaultPolicy: DefaultPolicy }
}

interface Sources {
  readonly policies: Policies
  readonly roles: Roles
  readonly tokens: Tokens
  readonly namespaces: Namespaces
  readonly settings: {
    readonly aclEnabled: boolean
    readonly datacenter: string
    readonly defaultPolicy: DefaultPolicy
  }
}

interface Compiled {
  readonly authorizer: Authorizer
  /** The sources; the authorizer holds as long as these are the current rows. */
  readonly dependencies: readonly Dependency[]
  readonly tenancy: Tenancy
  /** The row of the token's namespace, whose defaults apply too. */
  readonly home: object | undefined
  /** The newest checked version of policies, roles and namespaces. */
  checkedAt: number
}

const everything: Authority = { token: undefined, authorizer: allowEverything }

/** Compiles the rules of links and identities that a token of the tenancy has or would have, with the defaults of its namespace. */
export const compileGrants = (
  grants: DirectGrants,
  tenancy: Tenancy,
  { policies, roles, namespaces, settings }: RightsSources,
  options: Partial<LinkTargets> = {}
): Omit<Compiled, 'checkedAt'> => {
  const linked = { policies, roles, datacenter: settings.datacenter, ...options }
  const own = collectRules(grants, tenancy, linked)
  const defaults = collectNamespaceDefaults(tenancy, namespaces, linked)
  return {
    authorizer: compileAuthorizer(own.sets, settings.defaultPolicy, defaults.sets),
    dependencies: [...own.dependencies, ...defaults.dependencies],
    tenancy,
    home: defaults.home
  }
}

/** Returns a text that is the same for grants with the same links and identities. */
export const linksText = (
  { Policies, Roles = [], ServiceIdentities, NodeIdentities, Rules }: DirectGrants,
  tenancy: Tenancy
): string =>
  JSON.stringify([
    tenancy,
    Policies.map(link => link.ID),
    Roles.map(link => link.ID),
    ServiceIdentities,
    NodeIdentities,
    Rules
  ])

/**
 * Resolves secrets (spec: acl.md §9.1). Authorizers are compiled once for each set of links and shared by the tokens that have it. One resolution
 * costs two look-ups; after a change of any policy, role or namespace, once for each set of links, one look-up for each link more.
 */
export class Resolver {
  #admitted: string | undefined
  #elsewhere: RemoteTokenResolver | undefined
  /** The entry that was stored longest ago is evicted, so reads only peek. */
  readonly #byLinks = new LRUCache<string, Compiled>(cacheLimits(10_000))
  #byToken = new WeakMap<TokenRow, Compiled>()
  /** Grows with every change of a policy, role or namespace. */
  #version = 0
  readonly topics = [POLICY_TOPIC, ROLE_TOPIC, NAMESPACE_TOPIC]

  constructor(private readonly views: Sources) {}

  /** The authority of a secret (by default the anonymous token) at a time (epoch milliseconds); undefined if no valid token has the secret. */
  resolve(secret: string | undefined, now: number): Authority | undefined {
    if (!this.views.settings.aclEnabled) return everything
    const presented = secret ?? ANONYMOUS_SECRET
    const token = this.views.tokens.bySecret(presented)
    const isOwn = token !== undefined && !this.#elsewhere?.decides(token)
    const remote = isOwn ? undefined : this.#elsewhere?.authorityOf(presented, now)
    if (remote) return remote
    // Requests without a token always have some authority.
    const counts = isOwn || presented === ANONYMOUS_SECRET
    if (counts && token && now <= token.expiresAt) return { token, authorizer: this.authorizerOf(token) }
    return secret !== undefined && secret === this.#admitted ? everything : undefined
  }

  /** Sets the resolver for unknown secrets and for tokens of another datacenter. */
  lookElsewhere(elsewhere: RemoteTokenResolver): void {
    this.#elsewhere = elsewhere
  }

  /** Grants everything to a secret without a token, for a server that only shows history. */
  admit(secret: string): void {
    this.#admitted = secret
  }

  /** Notes that authorizers may no longer hold. */
  apply(): void {
    this.#version++
  }

  authorizerOf(token: TokenRow): Authorizer {
    const known = this.#byToken.get(token)
    if (known && this.#holds(known)) return known.authorizer
    const compiled = this.#shared(token)
    this.#byToken.set(token, compiled)
    return compiled.authorizer
  }

  /** Evicts every authorizer, because the read models are rebuilt. */
  reset(): void {
    this.#byLinks.clear()
    this.#byToken = new WeakMap()
  }

  #holds(compiled: Compiled): boolean {
    if (compiled.checkedAt === this.#version) return true
    const { policies, roles, namespaces } = this.views
    if (namespaces.get(compiled.tenancy) !== compiled.home) return false
    for (const { kind, id, row } of compiled.dependencies)
      if ((kind === 'policy' ? policies.get(id) : roles.get(id)) !== row) return false
    compiled.checkedAt = this.#version
    return true
  }

  #shared({ token, tenancy }: TokenRow): Compiled {
    const links = linksText(token, tenancy)
    const known = this.#byLinks.peek(links)
    if (known && this.#holds(known)) return known
    const compiled = { ...compileGrants(token, tenancy, this.views), checkedAt: this.#version }
    this.#byLinks.set(links, compiled)
    return compiled
  }
}
