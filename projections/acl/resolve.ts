// From a secret to what its holder may do: token, links, rules, authorizer (spec: acl.md §9.1).
import { MANAGEMENT_POLICY_ID } from '../../events/policy.js'
import { ANONYMOUS_SECRET } from '../../events/token.js'
import type { Views } from '../views.js'
import { allowEverything, compileAuthorizer, type Authorizer, type ScopedRules } from './authorizer.js'
import { nodeIdentityRules, serviceIdentityRules } from './identities.js'
import type { PolicyRow } from './policies.js'
import { managementRules } from './rules/builtin.js'
import { parseRulesCached } from './rules/cache.js'
import type { TokenRow } from './token-row.js'

/** Who asks, and what that one may do. */
export interface Authority {
  /** Undefined when ACLs are off. */
  readonly token: TokenRow | undefined
  readonly authorizer: Authorizer
}

interface Compiled {
  readonly authorizer: Authorizer
  /** What it was compiled from; it holds as long as these are the rows of today. */
  readonly policies: readonly (readonly [id: string, row: PolicyRow | undefined])[]
  /** The index of the policies up to which it is known to hold. */
  checkedAt: number
}

/** Sets of links whose authorizers are kept; the one compiled first makes room. */
const MOST_AUTHORIZERS = 10_000

const everything: Authority = { token: undefined, authorizer: allowEverything }

/**
 * Authorizers are compiled once for each set of links and shared by the tokens that have it. One resolution costs two
 * look-ups; after a change of any policy, once for each set of links, one look-up for each link more.
 */
export class Resolver {
  readonly #views: Views
  readonly #byLinks = new Map<string, Compiled>()
  readonly #byToken = new WeakMap<TokenRow, Compiled>()

  constructor(views: Views) {
    this.#views = views
  }

  /**
   * The authority of a secret at this time (epoch milliseconds); without a secret that of the anonymous token.
   * Undefined when no valid token has this secret.
   */
  resolve(secret: string | undefined, now: number): Authority | undefined {
    if (!this.#views.settings.aclEnabled) return everything
    const token = this.#views.tokens.bySecret(secret ?? ANONYMOUS_SECRET)
    if (!token?.isValid(now)) return undefined
    return { token, authorizer: this.authorizerOf(token) }
  }

  /** The authorizer of a token. */
  authorizerOf(token: TokenRow): Authorizer {
    const known = this.#byToken.get(token)
    if (known && this.#holds(known)) return known.authorizer
    const compiled = this.#shared(token)
    this.#byToken.set(token, compiled)
    return compiled.authorizer
  }

  #holds(compiled: Compiled): boolean {
    const { policies } = this.#views
    if (compiled.checkedAt === policies.index) return true
    if (compiled.policies.some(([id, row]) => policies.get(id) !== row)) return false
    compiled.checkedAt = policies.index
    return true
  }

  #shared({ token, tenancy }: TokenRow): Compiled {
    const links = JSON.stringify([
      tenancy,
      token.Policies.map(link => link.ID),
      token.ServiceIdentities,
      token.NodeIdentities
    ])
    const known = this.#byLinks.get(links)
    if (known && this.#holds(known)) return known
    const { policies, settings } = this.#views
    const rows = token.Policies.map(({ ID }) => [ID, policies.get(ID)] as const)
    const sets: ScopedRules[] = [
      ...rows.flatMap(([, row]) => this.#rulesOf(row)),
      ...serviceIdentityRules(token.ServiceIdentities, settings.datacenter).map(rules => ({
        rules,
        tenancy
      })),
      ...nodeIdentityRules(token.NodeIdentities, settings.datacenter).map(rules => ({ rules, tenancy }))
    ]
    const authorizer = compileAuthorizer(sets, settings.defaultPolicy)
    const compiled = { authorizer, policies: rows, checkedAt: policies.index }
    this.#byLinks.set(links, compiled)
    const [oldest] = this.#byLinks.keys()
    if (this.#byLinks.size > MOST_AUTHORIZERS && oldest !== undefined) this.#byLinks.delete(oldest)
    return compiled
  }

  #rulesOf(row: PolicyRow | undefined): ScopedRules[] {
    if (!row) return []
    const { ID, Datacenters, Rules } = row.policy
    if (ID === MANAGEMENT_POLICY_ID) return [{ rules: managementRules(), tenancy: row.tenancy }]
    if (Datacenters.length > 0 && !Datacenters.includes(this.#views.settings.datacenter)) return []
    return [{ rules: parseRulesCached(Rules, row.tenancy), tenancy: row.tenancy }]
  }
}
