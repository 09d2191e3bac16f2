// From a secret to what its holder may do: token, links, rules, authorizer (spec: acl.md §9.1).
import { ANONYMOUS_SECRET } from '../../events/token.js'
import { allowEverything, compileAuthorizer, type Authorizer, type DefaultPolicy } from './authorizer.js'
import type { Tenancy } from '../../events/envelope.js'
import { collectNamespaceDefaults, collectRules, type Dependency } from './collect-rules.js'
import type { Policies } from './policies.js'
import type { Roles } from './roles.js'
import type { Namespaces } from '../tenancy/namespaces.js'
import type { TokenRow } from './token-row.js'
import type { Tokens } from './tokens.js'

/** The watch key of rights that nobody could be asked about: it is touched when somebody can be again. */
export const UNRESOLVED_TOKENS = 'rights nobody could be asked about'

/** Who asks, and what that one may do. */
export interface Authority {
  /** Undefined when ACLs are off, and where nobody can be asked whose the secret is. */
  readonly token: TokenRow | undefined
  readonly authorizer: Authorizer
}

/** Resolves tokens that another datacenter decides about. */
export interface RemoteTokenResolver {
  /** Whether a token that is here is resolved there. */
  decides(token: TokenRow): boolean
  /** Returns the authority of a secret as far as it is known; undefined for none. `now` is in epoch milliseconds. */
  authorityOf(secret: string, now: number): Authority | undefined
}

const nowhere: RemoteTokenResolver = { decides: () => false, authorityOf: () => undefined }

/** The read models that authority follows from. */
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
  /** What it was compiled from; it holds as long as these are the rows of today. */
  readonly dependencies: readonly Dependency[]
  readonly tenancy: Tenancy
  /** The row of the token's namespace, whose defaults count too. */
  readonly home: object | undefined
  /** The version of policies, roles and namespaces up to which it is known to hold. */
  checkedAt: number
}

/** Sets of links whose authorizers are kept; the one compiled first makes room. */
const MOST_AUTHORIZERS = 10_000

const everything: Authority = { token: undefined, authorizer: allowEverything }

/**
 * Authorizers are compiled once for each set of links and shared by the tokens that have it. One resolution costs two
 * look-ups; after a change of any policy, role or namespace, once for each set of links, one look-up for each link more.
 */
export class Resolver {
  #admitted: string | undefined
  #elsewhere = nowhere
  #byLinks = new Map<string, Compiled>()
  #byToken = new WeakMap<TokenRow, Compiled>()

  constructor(private readonly views: Sources) {}

  /**
   * The authority of a secret at this time (epoch milliseconds); without a secret that of the anonymous token.
   * Undefined when no valid token has this secret.
   */
  resolve(secret: string | undefined, now: number): Authority | undefined {
    if (!this.views.settings.aclEnabled) return everything
    const presented = secret ?? ANONYMOUS_SECRET
    const token = this.views.tokens.bySecret(presented)
    const isOwn = token !== undefined && !this.#elsewhere.decides(token)
    const remote = isOwn ? undefined : this.#elsewhere.authorityOf(presented, now)
    if (remote) return remote
    // Requests without a token always have some authority.
    const counts = isOwn || presented === ANONYMOUS_SECRET
    if (counts && token?.isValid(now)) return { token, authorizer: this.authorizerOf(token) }
    return secret !== undefined && secret === this.#admitted ? everything : undefined
  }

  /** Resolves secrets of no token here, and of tokens that are decided about elsewhere, by this. */
  lookElsewhere(elsewhere: RemoteTokenResolver): void {
    this.#elsewhere = elsewhere
  }

  /** Lets a secret that is no token's do everything: of a server that only shows what was. */
  admit(secret: string): void {
    this.#admitted = secret
  }

  /** The authorizer of a token. */
  authorizerOf(token: TokenRow): Authorizer {
    const known = this.#byToken.get(token)
    if (known && this.#holds(known)) return known.authorizer
    const compiled = this.#shared(token)
    this.#byToken.set(token, compiled)
    return compiled.authorizer
  }

  /** Forgets every authorizer: the read models are made anew. */
  reset(): void {
    this.#byLinks = new Map()
    this.#byToken = new WeakMap()
  }

  /** Grows with every change of a policy, role or namespace. */
  get #version(): number {
    const { policies, roles, namespaces } = this.views
    return policies.index + roles.index + namespaces.index
  }

  #holds(compiled: Compiled): boolean {
    const version = this.#version
    if (compiled.checkedAt === version) return true
    const { policies, roles, namespaces } = this.views
    if (namespaces.get(compiled.tenancy) !== compiled.home) return false
    for (const { kind, id, row } of compiled.dependencies)
      if ((kind === 'policy' ? policies.get(id) : roles.get(id)) !== row) return false
    compiled.checkedAt = version
    return true
  }

  #shared({ token, tenancy }: TokenRow): Compiled {
    const links = JSON.stringify([
      tenancy,
      token.Policies.map(link => link.ID),
      token.Roles.map(link => link.ID),
      token.ServiceIdentities,
      token.NodeIdentities,
      token.Rules
    ])
    const known = this.#byLinks.get(links)
    if (known && this.#holds(known)) return known
    const { policies, roles, namespaces, settings } = this.views
    const linked = { policies, roles, datacenter: settings.datacenter }
    const own = collectRules(token, tenancy, linked)
    const defaults = collectNamespaceDefaults(tenancy, namespaces, linked)
    const compiled = {
      authorizer: compileAuthorizer(own.sets, settings.defaultPolicy, defaults.sets),
      dependencies: [...own.dependencies, ...defaults.dependencies],
      tenancy,
      home: defaults.home,
      checkedAt: this.#version
    }
    this.#byLinks.set(links, compiled)
    const [oldest] = this.#byLinks.keys()
    if (this.#byLinks.size > MOST_AUTHORIZERS && oldest !== undefined) this.#byLinks.delete(oldest)
    return compiled
  }
}
