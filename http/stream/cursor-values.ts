import { invalid } from '../../actors/refusal.js'
import type { Cursor } from '../../events/cursor.js'
import { newlineDelimited, type Subscription } from '../../projections/stream/subscription.js'
import { firstValueOf, flag, namedValues, quoteValue, type NamedValues } from './parameter-values.js'
import { subscriptionOf, type ParameterSource } from './subscription-parsing.js'

export type CursorSelection = Pick<
  Cursor,
  'Topics' | 'Types' | 'Filter' | 'Namespace' | 'Partition' | 'Format'
>

const valuesOf = (cursor: CursorSelection): ReadonlyMap<string, readonly string[]> => {
  const { Topics, Types = [], Filter, Namespace, Partition, Format } = cursor
  return new Map([
    ['topic', Topics],
    ['type', Types],
    ['filter', Filter ? [Filter] : []],
    ['format', Format ? [Format] : []],
    ['namespace', [Namespace]],
    ['ns', []],
    ['partition', [Partition]],
    ['ap', []]
  ])
}

/** Returns what a cursor selects. @throws Refusal `invalid` for a selection that no stream can have */
export const subscriptionOfCursor = (cursor: CursorSelection): Subscription => {
  const values = valuesOf(cursor)
  return subscriptionOf({ values: namedValues(name => values.get(name) ?? []) }, newlineDelimited)
}

const refused = (name: string, reason: string): Error =>
  invalid('stream.invalid', `Invalid ${name}: cursor and ${name} cannot both be given: ${reason}`)

const rejectConflicts = (values: NamedValues, { Namespace, Partition }: CursorSelection): void => {
  for (const name of ['topic', 'type', 'filter'])
    if (firstValueOf(values, name) !== undefined) throw refused(name, 'a cursor says what its stream selects')
  if (flag(values, 'snapshot')) throw refused('snapshot', 'a cursor says where its stream starts')
  for (const [name, own] of [
    ['namespace', Namespace],
    ['ns', Namespace],
    ['partition', Partition],
    ['ap', Partition]
  ] as const) {
    const requested = firstValueOf(values, name)?.toLowerCase()
    if (requested !== undefined && requested !== own)
      throw refused(name, `the cursor is of ${quoteValue(own)}, and not of ${quoteValue(requested)}`)
  }
}

/**
 * Returns the parameters of a stream that reads by a cursor. The position of the cursor takes precedence over resume headers.
 * @throws Refusal `invalid` for parameters that the cursor determines
 */
export const cursorParameters = ({ values }: ParameterSource, cursor: CursorSelection): ParameterSource => {
  rejectConflicts(values, cursor)
  // A reader chooses its own format; that of the cursor is for its webhook.
  const { Format: _, ...selection } = cursor
  const own = new Map([...valuesOf(selection)].filter(([name]) => name !== 'format'))
  return { values: namedValues(name => own.get(name) ?? values.all(name)) }
}
