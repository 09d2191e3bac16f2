// Parsed rule texts, which are shared.
import { LRUCache } from 'lru-cache'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { runAtOnce, type Steps } from '../../steps.js'
import { RuleError, type RuleSet } from './model.js'
import { parseRules, rulesInSteps } from './parse.js'

/** A policy is parsed when it is written, and its rules are used again in the response and whenever an authorizer is compiled. */
const cache = new LRUCache<string, RuleSet | RuleError>({
  max: 4096,
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (_rules, { length }) => length
})

const keyOf = (text: string, { partition, namespace }: Tenancy): string => `${partition}/${namespace}/${text}`

/** Parses a text in steps into the cache of `parseRulesCached`. */
export function* prepareRules(text: string, home: Tenancy): Steps<void> {
  const key = keyOf(text, home)
  if (cache.has(key)) return
  try {
    cache.set(key, yield* rulesInSteps(text, home))
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    cache.set(key, error)
  }
}

/** `parseRules` with a cache. The result is shared and must not be changed. @throws {RuleError} as `parseRules` */
export function parseRulesCached(text: string, home: Tenancy = DEFAULT_TENANCY): RuleSet {
  const key = keyOf(text, home)
  if (!cache.has(key)) runAtOnce(prepareRules(text, home))
  const rules = cache.get(key) ?? parseRules(text, home)
  if (rules instanceof RuleError) throw rules
  return rules
}
