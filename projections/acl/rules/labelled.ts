// The forms of a labelled rule: block, object of labels, list of objects in JSON (spec: acl.md §8.5, §8.6).
import { invalid, nounOf } from './levels.js'
import type { Document, Item, Key, ObjectValue, Value } from './tree.js'

/** One label with the items inside its braces. */
export interface LabelledBody {
  readonly label: Key
  readonly items: readonly Item[]
  /** `service { policy = "read" }`: no label was given, so the setting names the rule after itself. */
  readonly selfNamed: boolean
}

/** Does a step of reading; what it does with a RuleError decides whether the first one ends the reading. */
export type Attempt = (step: () => void) => void

/** What is read, and how faults are met. */
export interface Source {
  readonly document: Document
  readonly attempt: Attempt
}

/**
 * The bodies of `name "label" { … }`, `name { "label" { … } }` or `name = { "label" = { … } }`, of which the latter
 * two may hold many.
 * @throws {RuleError} when the item has none of these forms
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

/** The object itself; in JSON also each object of a list. An empty list holds nothing. */
function objectsIn(document: Document, rule: string, value: Value, offset: number): readonly ObjectValue[] {
  if (value.type === 'object') return [value]
  if (value.type !== 'list')
    throw invalid(document, rule, `an object is needed, not ${nounOf(value)}`, offset)
  return value.elements.map(element => {
    if (document.notation === 'json' && element.type === 'object') return element
    throw invalid(document, rule, `an object is needed, not a list`, offset)
  })
}
