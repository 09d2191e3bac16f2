// Parsed rule texts, which are shared.
import { LRUCache } from 'lru-cache'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import type { RuleSet } from './model.js'
import { parseRules } from './parse.js'

/** A policy is parsed when it is written, and its rules are used again in the response and whenever an authorizer is compiled. */
const cache = new LRUCache<string, RuleSet>({
  max: 4096,
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (_rules, { length }) => length
})

/** `parseRules` with a cache. The result is shared and must not be changed. @throws {RuleError} as `parseRules` */
export function parseRulesCached(text: string, home: Tenancy = DEFAULT_TENANCY): RuleSet {
  const key = `${home.partition}/${home.namespace}/${text}`
  const cached = cache.get(key)
  if (cached) return cached
  const rules = parseRules(text, home)
  cache.set(key, rules)
  return rules
}
