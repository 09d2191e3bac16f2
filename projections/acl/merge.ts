import type { Level, Rule } from './rules/model.js'

/** A rule and its origin, such as `policy "web"`. */
export interface SourcedRule {
  readonly rule: Rule
  readonly source: string
}

export interface MergedRule extends SourcedRule {
  /** That of the strongest rule. */
  readonly level: Level
  /** Services only: the explicit or derived level for intentions, and its rule. */
  readonly intentions: (SourcedRule & { readonly level: Level }) | null
}

const STRENGTH: Readonly<Record<Level, number>> = { deny: 3, write: 2, list: 1, read: 0 }

/** Merges rules for the same resource: the strongest wins (acl.md §9.2). The order only selects the source among equal rules. Linear in rules. */
export function mergeRules(rules: Iterable<SourcedRule>): readonly MergedRule[] {
  const strongest = new Map<string, { level: SourcedRule; intentions: SourcedRule | undefined }>()
  for (const sourced of rules) {
    const { resource, match, label, level, intentions } = sourced.rule
    const key = `${resource} ${match} ${label}`
    const known = strongest.get(key)
    const given = intentions === null ? undefined : sourced
    if (known === undefined) strongest.set(key, { level: sourced, intentions: given })
    else {
      if (STRENGTH[level] > STRENGTH[known.level.rule.level]) known.level = sourced
      if (given !== undefined && intentionStrength(given) > intentionStrength(known.intentions))
        known.intentions = given
    }
  }
  return Array.from(strongest.values(), ({ level, intentions }) => ({
    ...level,
    level: level.rule.level,
    intentions:
      level.rule.resource === 'service'
        ? { ...(intentions ?? level), level: intentionLevel(level, intentions) }
        : null
  }))
}

const intentionStrength = (sourced: SourcedRule | undefined): number => {
  const level = sourced?.rule.intentions ?? null
  return level === null ? -1 : STRENGTH[level]
}

/** The explicit level, else read where the service may be read (spec: acl.md §9.4). */
function intentionLevel(service: SourcedRule, given: SourcedRule | undefined): Level {
  const level = given?.rule.intentions ?? null
  if (level !== null) return level
  return service.rule.level === 'deny' ? 'deny' : 'read'
}
