// Compares the rights of tokens and logins before and after a change.
import { createHash } from 'node:crypto'
import { MOST_NAMED } from './affected-groups.js'
import type { AskedQuestion, ComparedChange, ComparedGroup } from './compared-change.js'
import { GrantsComparison } from './grants-comparison.js'
import { AnswerCounts, recordedAnswer, type RecordedImpact } from './recorded-answers.js'
import type { RightsDifference } from './rights-differences.js'

/** Everything that has the same rights before, and the same after. */
export interface ImpactEffect {
  /** Undefined if all datacenters decide alike. `*` stands for those that no changed resource names. */
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
  readonly datacenters: readonly string[]
  readonly groups: readonly ComparedGroup[]
}

/** Returns the one of the datacenters that decides a question. */
const decidingOf = ({ datacenter }: AskedQuestion, [local = '', ...others]: readonly string[]): string => {
  if (datacenter === undefined || datacenter === local || others.length === 0) return local
  return others.includes(datacenter) ? datacenter : '*'
}

/**
 * Returns the effects of a change. Groups of equal links are compared once, and so are those whose rules differ only where the change decides
 * nothing.
 */
export const compareGroups = (change: Comparison): AclImpact => {
  const { datacenters, groups } = change
  const comparison = new GrantsComparison(change)
  const found = new Map<string, MutableEffect>()
  const affected = new Set<ComparedGroup>()
  const recorded = new AnswerCounts()
  let omitted = 0
  for (const datacenter of datacenters)
    for (const [number, group] of groups.entries()) {
      const rights = comparison.rightsOf(group, datacenter)
      if (rights.length === 0) continue
      for (const asked of group.asked)
        if (decidingOf(asked, datacenters) === datacenter) {
          const authorizers = comparison.authorizersOf(group, datacenter)
          recorded.add(asked, recordedAnswer(asked.question, ...authorizers, rights))
        }
      affected.add(group)
      const named = datacenters.length > 1 ? datacenter : undefined
      const key = digestOf(named, rights)
      const effect = found.get(key) ?? effectOf(named, rights)
      if (found.size < MOST_EFFECTS) found.set(key, effect)
      else if (!found.has(key)) omitted++
      effect.count += group.tokens
      if (effect.groups.length < MOST_NAMED) effect.groups.push(number)
    }
  return {
    tokens: [...affected].reduce((sum, { tokens }) => sum + tokens, 0),
    effects: [...found.values()].toSorted((one, other) => other.count - one.count),
    omitted,
    recorded
  }
}

const digestOf = (datacenter: string | undefined, rights: readonly RightsDifference[]): string => {
  const digest = createHash('sha256').update(JSON.stringify([datacenter]))
  for (const right of rights) digest.update(JSON.stringify(right))
  return digest.digest('base64')
}

const effectOf = (datacenter: string | undefined, rights: readonly RightsDifference[]): MutableEffect => ({
  datacenter,
  rights: rights.slice(0, MOST_RIGHTS),
  omittedRights: Math.max(0, rights.length - MOST_RIGHTS),
  count: 0,
  groups: []
})
