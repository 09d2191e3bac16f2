// Translates rules in the legacy syntax, whose labels are prefixes, into the current syntax (spec: acl.md §13).
import { runAtOnce, type Steps } from '../../steps.js'
import { printRules } from './print.js'
import { parseRulesCached } from './parsed-rules.js'
import type { RuleSet } from './model.js'
import { documentInSteps } from './syntax.js'
import type { Document, Item, Key, Value } from './tree.js'

const isObject = ({ type }: Value): boolean => type === 'object'

/** Splits an item into one for each innermost object, with the names on the path to it as keys. */
const flattened = (item: Item): readonly Item[] => {
  const { value } = item
  if (value.type === 'list' && value.elements.length > 0 && value.elements.every(isObject))
    return value.elements.flatMap(element => flattened({ ...item, value: element }))
  if (value.type !== 'object' || value.items.length === 0) return [{ ...item, value: inside(value) }]
  if (!value.items.every(inner => isObject(inner.value))) return [{ ...item, value: inside(value) }]
  return value.items.flatMap(inner =>
    flattened({ ...item, keys: [...item.keys, ...inner.keys], value: inner.value })
  )
}

const inside = (value: Value): Value => {
  if (value.type === 'object') return { ...value, items: value.items.flatMap(flattened) }
  return value.type === 'list' ? { ...value, elements: value.elements.map(inside) } : value
}

/** Converts JSON rules to blocks: objects that hold only objects become labels (spec: acl.md §13.3). Linear in the tree times its depth. */
const asBlocks = (document: Document): Document =>
  document.notation === 'hcl' ? document : { ...document, items: document.items.flatMap(flattened) }

const LEGACY = ['agent', 'event', 'key', 'node', 'query', 'service', 'session']

/** The current name of a first key. A translated name, and `policy`, lose their quotes. */
const translatedKey = (key: Key): Key => {
  if (LEGACY.includes(key.name)) return { ...key, text: `${key.name}_prefix` }
  return key.name === 'policy' ? { ...key, text: 'policy' } : key
}

const translatedItem = (item: Item): Item => {
  const [first, ...labels] = item.keys
  return { ...item, keys: [translatedKey(first), ...labels], value: translatedValue(item.value) }
}

const translatedValue = (value: Value): Value => {
  if (value.type === 'object') return { ...value, items: value.items.map(translatedItem) }
  return value.type === 'list' ? { ...value, elements: value.elements.map(translatedValue) } : value
}

const translated = (document: Document): Document => ({
  ...document,
  items: document.items.map(translatedItem)
})

/**
 * Translates rules and prints them with their comments. Only the syntax of the text is checked: levels and unknown names pass through.
 * @throws {RuleError} with `syntax` set, for a syntax error
 */
export const translateRules = (text: string): string => runAtOnce(translateInSteps(text))

export function* translateInSteps(text: string): Steps<string> {
  return printRules(translated(asBlocks(yield* documentInSteps(text))))
}

/** @throws {RuleError} as `parseRules` */
export const parseLegacyRules = (text: string): RuleSet => parseRulesCached(translateRules(text))
