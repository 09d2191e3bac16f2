// Compares the rights of tokens and logins before and after a change.
import { createHash } from 'node:crypto'
import { MOST_NAMED } from './affected-groups.js'
import type { ComparedChange, ComparedGroup } from './compared-change.js'
import { GrantsComparison, OTHERS } from './grants-comparison.js'
import { AnswerCounts, recordedAnswer, type RecordedImpact } from './recorded-answers.js'
import type { RightsDifference } from './rights-differences.js'

/** Everything that has the same rights before, and the same after. */
export interface ImpactEffect {
  /** Undefined if all datacenters decide alike. `*` stands for those that no link or identity names. */
  readonly datacenter: string | undefined
  /** The first ones. */
  readonly rights: readonly RightsDifference[]
  readonly omittedRights: number
  /** Number of tokens. */
  readonly count: number
  /** Numbers of the first groups: each has a token or binding rule. */
  readonly groups: readonly number[]
}

export interface ImpactSummary {
  /** Number of tokens that gain or lose any right. */
  readonly tokens: number
  /** This one, and those that some link or identity names. */
  readonly datacenters: readonly string[]
  /** Number of further effects. */
  readonly omitted: number
  /** The recorded questions of these tokens, by the answers where they were asked. */
  readonly recorded: RecordedImpact
}

interface AclImpact extends ImpactSummary {
  /** Those on most tokens first. */
  readonly effects: readonly ImpactEffect[]
}

interface MutableEffect extends ImpactEffect {
  count: number
  readonly groups: number[]
}

const MOST_RIGHTS = 200
const MOST_EFFECTS = 1000

interface Comparison extends ComparedChange {
  readonly groups: readonly ComparedGroup[]
}

/** Collects equal effects. */
class Effects {
  readonly #found = new Map<string, MutableEffect>()
  readonly #digests = new WeakMap<readonly RightsDifference[], string>()
  omitted = 0

  /** Those on most tokens first. */
  get values(): readonly ImpactEffect[] {
    return [...this.#found.values()].toSorted((one, other) => other.count - one.count)
  }

  /** Adds the differences of a group by datacenter: as one effect if they are alike in all. */
  add(
    byDatacenter: ReadonlyMap<string, readonly RightsDifference[]>,
    { tokens }: ComparedGroup,
    number: number
  ): void {
    const places = Array.from(byDatacenter, ([name, rights]) => ({
      name,
      rights,
      digest: this.#digestOf(rights)
    }))
    const isAlike = places.every(({ digest }) => digest === places[0]?.digest)
    for (const { name, rights, digest } of isAlike ? places.slice(0, 1) : places) {
      if (rights.length === 0) continue
      const datacenter = isAlike ? undefined : name
      const key = JSON.stringify([datacenter, digest])
      const effect = this.#found.get(key) ?? effectOf(datacenter, rights)
      if (this.#found.size < MOST_EFFECTS) this.#found.set(key, effect)
      else if (!this.#found.has(key)) this.omitted++
      effect.count += tokens
      if (effect.groups.length < MOST_NAMED) effect.groups.push(number)
    }
  }

  #digestOf(rights: readonly RightsDifference[]): string {
    const known = this.#digests.get(rights)
    if (known !== undefined) return known
    const digest = createHash('sha256')
    for (const right of rights) digest.update(JSON.stringify(right))
    const text = digest.digest('base64')
    this.#digests.set(rights, text)
    return text
  }
}

/**
 * Returns the effects of a change. Groups of equal links are compared once, and so are those whose rules differ only where the change decides
 * nothing.
 */
export const compareGroups = (change: Comparison): AclImpact => {
  const comparison = new GrantsComparison(change)
  const effects = new Effects()
  const recorded = new AnswerCounts()
  const local = change.before.settings.datacenter
  const groups = change.groups.map(group => ({ group, named: comparison.namedBy(group) }))
  const datacenters = new Set([local])
  for (const { named } of groups) for (const name of named) datacenters.add(name)
  let tokens = 0
  for (const [number, { group, named }] of groups.entries()) {
    const byDatacenter = comparison.rightsByDatacenter(group, named, [...datacenters, OTHERS])
    if ([...byDatacenter.values()].every(({ length }) => length === 0)) continue
    tokens += group.tokens
    effects.add(byDatacenter, group, number)
    for (const asked of group.asked) {
      const { datacenter = local, question } = asked
      const rights = byDatacenter.get(datacenter) ?? byDatacenter.get(OTHERS) ?? []
      if (rights.length === 0) continue
      const authorizers = comparison.authorizersOf(group, datacenter)
      recorded.add(asked, recordedAnswer(question, ...authorizers, rights))
    }
  }
  return {
    tokens,
    datacenters: [...datacenters],
    effects: effects.values,
    omitted: effects.omitted,
    recorded
  }
}

const effectOf = (datacenter: string | undefined, rights: readonly RightsDifference[]): MutableEffect => ({
  datacenter,
  rights: rights.slice(0, MOST_RIGHTS),
  omittedRights: Math.max(0, rights.length - MOST_RIGHTS),
  count: 0,
  groups: []
})
