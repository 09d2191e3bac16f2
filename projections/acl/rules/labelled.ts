import type { Document, Item, Key, ObjectValue, Value } from './tree.js'
import { type Level, RuleError } from './model.js'

const LEVELS: readonly Level[] = ['deny', 'read', 'write']
const KEY_LEVELS: readonly Level[] = ['deny', 'read', 'list', 'write']

/** Finds a level in any letter case; undefined if `resource` has no such level. */
export const levelNamed = (text: string, resource: string): Level | undefined => {
  const lowerCased = text.toLowerCase()
  return (resource === 'key' ? KEY_LEVELS : LEVELS).find(level => level === lowerCased)
}

export const levelNames = (resource: string): string => (resource === 'key' ? KEY_LEVELS : LEVELS).join(', ')

/** An error about `Invalid <rule> policy`, at an offset of the text. */
export const invalid = (document: Document, rule: string, why: string, offset: number): RuleError => {
  const { line, column } = document.positionOf(offset)
  return new RuleError(`Invalid ${rule} policy: ${why}`, line, column)
}

/** Reads the text of a level: a string, or an integer as written. @throws {RuleError} if the setting has labels or a value of another type */
export function levelText(document: Document, rule: string, setting: Item): string {
  const { keys, value } = setting
  if (keys.length > 1) throw invalid(document, rule, `${keys[0].text} takes no label`, keys[0].start)
  if (value.type === 'string' || value.type === 'heredoc') return value.value
  if (value.type === 'number' && value.integer) return value.text
  throw invalid(document, rule, `${keys[0].text} must be a string, not ${nounOf(value)}`, value.start)
}

/** A value's type with its article, for a message. */
const nounOf = (value: Value): string => {
  if (value.type === 'null') return 'null'
  return value.type === 'object' ? 'an object' : `a ${value.type}`
}

/** One label with the items inside its braces. */
export interface LabelledBody {
  readonly label: Key
  readonly items: readonly Item[]
  /** `service { policy = "read" }`: without a label the setting names the rule after itself. */
  readonly selfNamed: boolean
}

/** Runs a step of the parser. Its handling of a RuleError decides if the first one ends the parsing. */
export type Attempt = (step: () => void) => void

export interface Source {
  readonly document: Document
  readonly attempt: Attempt
}

/**
 * The bodies of `name "label" { … }`, or the many of `name { "label" { … } }` and `name = { "label" = { … } }` (spec: acl.md §8.5, §8.6).
 * @throws {RuleError} if the item has none of these forms
 */
export function* labelledBodies(
  { document, attempt }: Source,
  rule: string,
  item: Item
): Generator<LabelledBody> {
  const [, ...labels] = item.keys
  if (labels.length > 0) {
    yield* bodiesOf(document, rule, labels, item)
    return
  }
  for (const object of objectsIn(document, rule, item.value, item.value.start))
    for (const inner of object.items) {
      const bodies: LabelledBody[] = []
      attempt(() => bodies.push(...bodiesOf(document, rule, inner.keys, inner)))
      yield* bodies
    }
}

function* bodiesOf(
  document: Document,
  rule: string,
  labels: readonly Key[],
  item: Item
): Generator<LabelledBody> {
  const [label, second] = labels
  if (label === undefined) return
  if (second !== undefined)
    throw invalid(document, rule, `${label.text} is followed by a second label`, second.start)
  const { value } = item
  if (
    value.type === 'string' ||
    value.type === 'number' ||
    value.type === 'boolean' ||
    value.type === 'heredoc'
  )
    yield { label, items: [item], selfNamed: true }
  else {
    if (value.type === 'list' && value.elements.length === 0)
      throw invalid(document, rule, `${label.text} must be an object, not an empty list`, value.start)
    for (const { items } of objectsIn(document, rule, value, label.start))
      yield { label, items, selfNamed: false }
  }
}

/** Returns the object itself; in JSON also each object of a list. */
function objectsIn(document: Document, rule: string, value: Value, offset: number): readonly ObjectValue[] {
  if (value.type === 'object') return [value]
  if (value.type !== 'list')
    throw invalid(document, rule, `an object is needed, not ${nounOf(value)}`, offset)
  return value.elements.map(element => {
    if (document.notation === 'json' && element.type === 'object') return element
    throw invalid(document, rule, `an object is needed, not a list`, offset)
  })
}
