import { getOrCreate } from '../../maps.js'
import { compileAuthorizer, type Authorizer } from '../authorizer.js'
import { namedDatacenters } from '../collect-rules.js'
import { compileGrants, type RightsSources } from '../resolver.js'
import { compareAuthorizers } from './compare-authorizers.js'
import type { ComparedChange, ComparedGroup } from './compared-change.js'
import type { Grants } from './grants.js'
import { ReducedRules } from './reduced-rules.js'
import type { RightsDifference } from './rights-differences.js'

type GrantsPair = Pick<ComparedGroup, 'before' | 'after'>
type Pair = readonly [before: Authorizer, after: Authorizer]

/** Stands for the datacenters that no link or identity of any group names. */
export const OTHERS = '*'

/** Compares the rights of grants before and after a change. Grants whose reduced rules are the same are compared once. */
export class GrantsComparison {
  /** By reduced rules. */
  readonly #rights = new Map<string, readonly RightsDifference[]>()
  readonly #reduced: ReducedRules | undefined
  #latest: { readonly pair: GrantsPair; readonly datacenter: string; readonly authorizers: Pair } | undefined

  constructor(private readonly change: ComparedChange) {
    this.#reduced = ReducedRules.of(change)
  }

  /** Returns the datacenters that some link or identity names. */
  namedBy({ before, after }: GrantsPair): ReadonlySet<string> {
    const namedIn = (grants: Grants | undefined, sources: RightsSources): Iterable<string> =>
      grants ? namedDatacenters(grants.grants, grants.tenancy, sources) : []
    return new Set([...namedIn(before, this.change.before), ...namedIn(after, this.change.after)])
  }

  /** Returns the differences in each of the datacenters, which include `OTHERS`. @param named by `namedBy` */
  rightsByDatacenter(
    pair: GrantsPair,
    named: ReadonlySet<string>,
    datacenters: Iterable<string>
  ): ReadonlyMap<string, readonly RightsDifference[]> {
    const others = this.rightsOf(pair, OTHERS)
    return new Map(
      Array.from(datacenters, name => [name, named.has(name) ? this.rightsOf(pair, name) : others])
    )
  }

  rightsOf(pair: GrantsPair, datacenter: string): readonly RightsDifference[] {
    const { before, after } = this.change
    const reduced = this.#reduced
    const older = reduced && pair.before && reduced.of(pair.before, before, datacenter)
    const newer = reduced && pair.after && reduced.of(pair.after, after, datacenter)
    if (!reduced || !older || !newer) return compareAuthorizers(...this.authorizersOf(pair, datacenter))
    const { defaultPolicy } = before.settings
    return getOrCreate(this.#rights, `${reduced.textOf(older)} ${reduced.textOf(newer)}`, () =>
      compareAuthorizers(compileAuthorizer(older, defaultPolicy), compileAuthorizer(newer, defaultPolicy))
    )
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

const authorizerOf = (grants: Grants | undefined, sources: RightsSources, datacenter: string): Authorizer =>
  grants
    ? compileGrants(grants.grants, grants.tenancy, sources, { datacenter }).authorizer
    : compileAuthorizer([], sources.settings.defaultPolicy)
