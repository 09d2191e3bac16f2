// Parsed rule texts, which are shared.
import { LRUCache } from 'lru-cache'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { runAtOnce, type Steps } from '../../steps.js'
import { RuleError, type RuleSet } from './model.js'
import { rulesInSteps } from './parse.js'
import { STEP_LENGTH } from './syntax.js'

/** A policy is parsed when it is written, and its rules are used again in the response and whenever an authorizer is compiled. */
const cache = new LRUCache<string, RuleSet | RuleError>({
  max: 4096,
  maxSize: 64 * 1024 * 1024,
  sizeCalculation: (_rules, { length }) => length
})

const keyOf = (text: string, { partition, namespace }: Tenancy): string => `${partition}/${namespace}/${text}`

/** Parses a text in steps into the cache. Its error is cached too. */
function* parseInto(key: string, text: string, home: Tenancy): Steps<RuleSet | RuleError> {
  let rules: RuleSet | RuleError
  try {
    rules = yield* rulesInSteps(text, home)
  } catch (error) {
    if (!(error instanceof RuleError)) throw error
    rules = error
  }
  cache.set(key, rules)
  return rules
}

/** Returns the steps that parse a long text for `parseRulesCached`; undefined if that takes one step, or finds the text. */
export function prepareRules(text: string, home: Tenancy): Steps<unknown> | undefined {
  if (text.length <= STEP_LENGTH) return undefined
  const key = keyOf(text, home)
  return cache.has(key) ? undefined : parseInto(key, text, home)
}

/** `parseRules` with a cache. The result is shared and must not be changed. @throws {RuleError} as `parseRules` */
export function parseRulesCached(text: string, home: Tenancy = DEFAULT_TENANCY): RuleSet {
  const key = keyOf(text, home)
  const rules = cache.get(key) ?? runAtOnce(parseInto(key, text, home))
  if (rules instanceof RuleError) throw rules
  return rules
}
