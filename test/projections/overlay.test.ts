// A draft of a table: whatever is changed on it reads as the same changes on the table itself would.
import test from 'ava'
import * as fc from 'fast-check'
import type { Tenancy } from '../../events/envelope.js'
import type { TableReader } from '../../projections/row-table.js'
import { Table } from '../../projections/table.js'

interface Row {
  readonly id: string
  readonly space: string
  readonly name: string
  readonly tags: readonly string[]
}

const tenancyOf = ({ space }: Row): Tenancy => ({ partition: 'default', namespace: space })
const table = (): Table<Row, 'name', 'tag'> =>
  new Table<Row, 'name', 'tag'>({
    key: row => row.id,
    tenancy: tenancyOf,
    order: row => row.name,
    unique: { name: row => row.name },
    multi: { tag: row => row.tags }
  })

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const TAGS = ['x', 'y', 'z']
const SPACES = ['n1', 'n2']

type Change = { readonly put: Row } | { readonly remove: string }

/** Each ID keeps one namespace, and names are unique, as in every table of the server. */
const change: fc.Arbitrary<Change> = fc.oneof(
  fc
    .record({
      id: fc.constantFrom(...IDS),
      suffix: fc.integer({ min: 0, max: 3 }),
      tags: fc.uniqueArray(fc.constantFrom(...TAGS))
    })
    .map(({ id, suffix, tags }) => ({
      put: { id, space: IDS.indexOf(id) % 2 === 0 ? 'n1' : 'n2', name: `${suffix}-${id}`, tags }
    })),
  fc.constantFrom(...IDS).map(remove => ({ remove }))
)

const play = (
  rows: { put(row: Row, index: number): unknown; delete(key: string, index: number): unknown },
  changes: readonly Change[],
  from: number
): void =>
  changes.forEach((each, at) => {
    if ('put' in each) rows.put(each.put, from + at)
    else rows.delete(each.remove, from + at)
  })

const byId = (rows: Iterable<Row>): Row[] => [...rows].toSorted((a, b) => (a.id < b.id ? -1 : 1))

const seen = (rows: TableReader<Row, 'name', 'tag'>) => ({
  index: rows.index,
  size: rows.size,
  all: byId(rows.all()),
  got: IDS.map(id => rows.get(id)),
  found: IDS.flatMap(id => [0, 1, 2, 3].map(suffix => rows.find('name', `${suffix}-${id}`))),
  sharing: TAGS.map(tag => byId(rows.sharing('tag', tag))),
  lists: SPACES.map(namespace => rows.list({ partition: 'default', namespace })),
  counts: SPACES.map(namespace => rows.count({ partition: 'default', namespace })),
  indexes: SPACES.map(namespace => rows.indexOf({ partition: 'default', namespace }))
})

test('a draft, and a draft of a draft, read as the table would after the same changes', t => {
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 12 }),
      fc.array(change, { maxLength: 8 }),
      fc.array(change, { maxLength: 4 }),
      (first, second, third) => {
        const base = table()
        play(base, first, 1)
        const before = seen(base)
        const draft = base.overlay()
        play(draft, second, 101)
        const further = draft.overlay()
        play(further, third, 201)
        const model = table()
        play(model, first, 1)
        t.deepEqual(seen(base), before)
        play(model, second, 101)
        t.deepEqual(seen(draft), seen(model))
        play(model, third, 201)
        t.deepEqual(seen(further), seen(model))
        draft.clear()
        t.deepEqual(seen(draft), before)
      }
    )
  )
})
