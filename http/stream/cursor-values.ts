// What a cursor is of, as the parameters of a stream.
import type { Cursor } from '../../events/cursor.js'
import type { NamedValues } from './parameter-values.js'

/** What a cursor says of the events that it is of; a body may leave the names of tenancies as they were given. */
export type CursorSelection = Pick<Cursor, 'Topics' | 'Types' | 'Filter' | 'Namespace' | 'Partition'>

/** The parameters of a stream that asks for the events of a cursor. */
export const cursorValues = (cursor: CursorSelection): NamedValues => {
  const { Topics, Types = [], Filter, Namespace, Partition } = cursor
  const values = new Map<string, readonly string[]>([
    ['topic', Topics],
    ['type', Types],
    ['filter', Filter ? [Filter] : []],
    ['namespace', [Namespace]],
    ['partition', [Partition]]
  ])
  const all = (name: string): readonly string[] => values.get(name) ?? []
  return { has: name => all(name).length > 0, get: name => all(name)[0], all }
}
