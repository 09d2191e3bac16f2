// Reading a level from the tree, and the texts for levels that do not exist (spec: acl.md §8.3, §8.5).
import type { Level } from './model.js'
import { RuleError } from './rule-error.js'
import type { Document, Item, Value } from './tree.js'

const LEVELS: readonly Level[] = ['deny', 'read', 'write']
const KEY_LEVELS: readonly Level[] = ['deny', 'read', 'list', 'write']

/** The level that a text names, letter case ignored; undefined if `resource` has no such level. */
export const levelNamed = (text: string, resource: string): Level | undefined => {
  const wanted = text.toLowerCase()
  return (resource === 'key' ? KEY_LEVELS : LEVELS).find(level => level === wanted)
}

/** The levels of a resource, for the reader of a message. */
export const levelNames = (resource: string): string => (resource === 'key' ? KEY_LEVELS : LEVELS).join(', ')

/** An error about `Invalid <rule> policy`, at an offset of the text. */
export const invalid = (document: Document, rule: string, why: string, offset: number): RuleError => {
  const { line, column } = document.positionOf(offset)
  return new RuleError(`Invalid ${rule} policy: ${why}`, line, column)
}

/**
 * The text of a setting that should be a level: a string, or an integer as it is written.
 * @throws {RuleError} when the setting has labels or its value is of another type
 */
export function levelText(document: Document, rule: string, setting: Item): string {
  const { keys, value } = setting
  if (keys.length > 1) throw invalid(document, rule, `${keys[0].text} takes no label`, keys[0].start)
  if (value.type === 'string' || value.type === 'heredoc') return value.value
  if (value.type === 'number' && value.integer) return value.text
  throw invalid(document, rule, `${keys[0].text} must be a string, not ${nounOf(value)}`, value.start)
}

/** A value's type with its article, for a message. */
export const nounOf = (value: Value): string => {
  if (value.type === 'null') return 'null'
  return value.type === 'object' ? 'an object' : `a ${value.type}`
}
