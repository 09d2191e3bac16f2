// Parsed rule texts, kept by text: a policy is parsed when it is written and again whenever an authorizer is compiled.
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import type { RuleSet } from './model.js'
import { parseRules } from './parse.js'

const MAX_TEXTS = 4096
/** Longer texts are parsed anew each time, which bounds the memory held. */
const MAX_LENGTH = 16 * 1024

const parsed = new Map<string, RuleSet>()

/**
 * `parseRules`, remembering the results for the texts used last. The result is shared: it is never to be changed.
 * @throws {RuleError} as `parseRules`
 */
export function parseRulesCached(text: string, home: Tenancy = DEFAULT_TENANCY): RuleSet {
  if (text.length > MAX_LENGTH) return parseRules(text, home)
  const key = `${home.partition}/${home.namespace}/${text}`
  const known = parsed.get(key)
  const rules = known ?? parseRules(text, home)
  parsed.delete(key)
  parsed.set(key, rules)
  const oldest = parsed.size > MAX_TEXTS ? parsed.keys().next().value : undefined
  if (oldest !== undefined) parsed.delete(oldest)
  return rules
}
