// A draft of a table: whatever is changed on it reads as the same changes on the table itself would.
import test from 'ava'
import * as fc from 'fast-check'
import type { TableSpec } from '../../projections/row-table.js'
import { TableDraft } from '../../projections/table-draft.js'
import { Table } from '../../projections/table.js'

interface Row {
  readonly id: string
  readonly space: string
  readonly name: string
  readonly tags: readonly string[]
}

const spec: TableSpec<Row, 'name', 'tag'> = {
  key: row => row.id,
  tenancy: ({ space }) => ({ partition: 'default', namespace: space }),
  order: row => row.name,
  unique: { name: row => row.name },
  multi: { tag: row => row.tags }
}

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const TAGS = ['x', 'y', 'z']

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

const play = (rows: Table<Row, 'name', 'tag'>, changes: readonly Change[]): void =>
  changes.forEach(each => {
    if ('put' in each) rows.put(each.put, 1)
    else rows.delete(each.remove, 1)
  })

const byId = (rows: Iterable<Row>): Row[] => [...rows].toSorted((a, b) => (a.id < b.id ? -1 : 1))

const seen = (rows: Table<Row, 'name', 'tag'>) => ({
  got: IDS.map(id => rows.get(id)),
  found: IDS.map(id => rows.find('name', `1-${id}`)),
  listed: ['n1', 'n2'].map(namespace => [...rows.list({ partition: 'default', namespace })]),
  sharing: TAGS.map(tag => byId(rows.sharing('tag', tag))),
  isShared: TAGS.map(tag => rows.isShared('tag', tag))
})

test('a draft reads as the table would after the same changes, and leaves it as it is', t => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), fc.array(change, { maxLength: 8 }), (first, second) => {
      const below = new Table(spec)
      play(below, first)
      const before = seen(below)
      const draft = new TableDraft(spec, below)
      play(draft, second)
      t.deepEqual(seen(below), before)
      play(below, second)
      t.deepEqual(seen(draft), seen(below))
    })
  )
})
