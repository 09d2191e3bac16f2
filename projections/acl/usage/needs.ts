// What recorded questions need of one resource in one scope.
import type { Authorizer } from '../authorizer.js'
import type { Level, Match, Resource, Rule, Scope } from '../rules/model.js'
import { WITNESS } from './decide-question.js'
import { contains, witnessOf, type Place } from './scope.js'

/** Names or prefixes that need a level. */
type Region = Place & Pick<Rule, 'level'>

const LEVELS: readonly Level[] = ['deny', 'read', 'list', 'write']

export const isAtLeast = (level: Level, other: Level): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf(other)
export const weaker = (a: Level, b: Level): Level => (isAtLeast(a, b) ? b : a)
const stronger = (a: Level, b: Level): Level => (isAtLeast(a, b) ? a : b)

export const placeKey = ({ match, label }: Place): string => `${match} ${label}`

export class Needs {
  readonly regions = new Map<string, Region>()
  /** Names in questions. */
  readonly names = new Set<string>()
  /** Places that less specific scopes grant, if this one has no rule for them. */
  readonly decided = new Map<string, Place>()

  constructor(
    readonly resource: Resource,
    readonly scope: Scope
  ) {}

  add(match: Match, label: string, level: Level): void {
    const key = placeKey({ match, label })
    const known = this.regions.get(key)
    this.regions.set(key, { match, label, level: known ? stronger(known.level, level) : level })
  }

  /** The level that the questions need at a name, or at all names with a prefix. */
  levelAt(place: Place): Level {
    let level: Level = 'deny'
    for (const region of this.regions.values())
      if (contains(region, place)) level = stronger(level, region.level)
    return level
  }
}

/** The level that an authorizer grants at a name, or below a prefix, where more specific scopes have no rule. */
export const levelOf = (
  authorizer: Authorizer,
  resource: Resource,
  { match, label }: Place,
  scope: Scope
): Level => {
  const name = match === 'exact' ? label : `${label}${WITNESS}`
  const accesses = resource === 'key' ? (['write', 'list', 'read'] as const) : (['write', 'read'] as const)
  const tenancy = witnessOf(scope)
  return accesses.find(access => authorizer.decide(resource, access, name, tenancy).allowed) ?? 'deny'
}
