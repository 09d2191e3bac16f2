import type { Views } from '../../read-models.js'
import type { Steps } from '../../steps.js'
import { compileAuthorizer, type Authorizer } from '../authorizer.js'
import { compileGrants } from '../resolver.js'
import type { AclChange } from './changed-links.js'
import { compareAuthorizers } from './compare-authorizers.js'
import { ReducedRules, type Grants } from './reduced-rules.js'
import type { RightsDifference } from './rights-differences.js'

/** The grants of a token or login before and after a change; undefined where it does not exist. */
export interface GrantsPair {
  readonly before: Grants | undefined
  readonly after: Grants | undefined
}

type Pair = readonly [before: Authorizer, after: Authorizer]

/** Compares the rights of grants before and after a change. Grants whose reduced rules are the same are compared once. */
export class GrantsComparison {
  /** By reduced rules. */
  readonly #rights = new Map<string, readonly RightsDifference[]>()
  readonly #reduced: ReducedRules | undefined
  #latest: { readonly pair: GrantsPair; readonly datacenter: string; readonly authorizers: Pair } | undefined

  constructor(private readonly change: AclChange) {
    this.#reduced = ReducedRules.of(change)
  }

  /** Each step takes at most as long as the rules of one token: policies have up to 512 KiB. */
  *rightsOf(pair: GrantsPair, datacenter: string): Steps<readonly RightsDifference[]> {
    const reduced = this.#reduced
    const older = reduced && pair.before && reduced.of(pair.before, this.change.before, datacenter)
    if (older) yield
    const newer = reduced && pair.after && reduced.of(pair.after, this.change.after, datacenter)
    if (!reduced || !older || !newer)
      return yield* compareAuthorizers(...this.authorizersOf(pair, datacenter))
    const key = `${reduced.textOf(older)} ${reduced.textOf(newer)}`
    const known = this.#rights.get(key)
    if (known) return known
    const { defaultPolicy } = this.change.before.settings
    yield
    const before = compileAuthorizer(older, defaultPolicy)
    yield
    const after = compileAuthorizer(newer, defaultPolicy)
    yield
    const found = yield* compareAuthorizers(before, after)
    this.#rights.set(key, found)
    return found
  }

  /** Returns the authorizers, and caches the latest ones. */
  authorizersOf(pair: GrantsPair, datacenter: string): Pair {
    if (this.#latest?.pair === pair && this.#latest.datacenter === datacenter) return this.#latest.authorizers
    const { before, after } = this.change
    const authorizers: Pair = [
      authorizerOf(pair.before, before, datacenter),
      authorizerOf(pair.after, after, datacenter)
    ]
    this.#latest = { pair, datacenter, authorizers }
    return authorizers
  }
}

const authorizerOf = (grants: Grants | undefined, views: Views, datacenter: string): Authorizer =>
  grants
    ? compileGrants(grants.grants, grants.tenancy, views, { datacenter }).authorizer
    : compileAuthorizer([], views.settings.defaultPolicy)
