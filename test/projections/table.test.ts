import fc from 'fast-check'
import test from 'ava'
import { Table } from '../../projections/table.js'

interface Row {
  readonly id: string
  readonly namespace: string
  readonly secret: string | undefined
  readonly groups: readonly string[]
}

const tenancyOf = ({ namespace }: Row) => ({ partition: 'default', namespace })
const newTable = () =>
  new Table<Row, 'secret', 'group'>({
    key: row => row.id,
    tenancy: tenancyOf,
    order: row => row.id,
    unique: { secret: row => row.secret },
    multi: { group: row => row.groups }
  })

const ids = ['a', 'b', 'c', 'd']
const row = fc.record({
  id: fc.constantFrom(...ids),
  namespace: fc.constantFrom('default', 'team'),
  secret: fc.boolean(),
  groups: fc.uniqueArray(fc.constantFrom('x', 'y'), { maxLength: 2 })
})
const change = fc.oneof(
  row.map(put => ({
    put: { ...put, secret: put.secret ? `secret of ${put.id}` : undefined },
    remove: undefined
  })),
  fc.constantFrom(...ids).map(remove => ({ put: undefined, remove }))
)
const byId = (rows: Iterable<Row>): readonly Row[] => [...rows].toSorted((a, b) => (a.id < b.id ? -1 : 1))

test('after any changes every index of a table finds what a plain search finds', t => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), changes => {
      const table = newTable()
      const model = new Map<string, Row>()
      let last = 0
      for (const [i, { put, remove }] of changes.entries()) {
        if (put) {
          t.is(table.put(put, i + 1), model.get(put.id))
          model.set(put.id, put)
          last = i + 1
        } else if (remove !== undefined) {
          if (model.has(remove)) last = i + 1
          t.is(table.delete(remove, i + 1), model.get(remove))
          model.delete(remove)
        }
      }
      const rows = byId(model.values())
      t.is(table.size, rows.length)
      t.is(table.index, last)
      t.deepEqual(byId(table.all()), rows)
      for (const id of ids) {
        t.is(table.get(id), model.get(id))
        t.is(
          table.find('secret', `secret of ${id}`),
          rows.find(one => one.secret === `secret of ${id}`)
        )
      }
      for (const group of ['x', 'y'])
        t.deepEqual(
          byId(table.sharing('group', group)),
          rows.filter(one => one.groups.includes(group))
        )
      for (const namespace of ['default', 'team']) {
        const own = rows.filter(one => one.namespace === namespace)
        t.deepEqual([...table.list({ partition: 'default', namespace })], own)
        t.is(table.list({ partition: 'default', namespace }).length, own.length)
      }
    }),
    { numRuns: 200 }
  )
})

test('the index of a tenancy moves with its own rows alone', t => {
  const table = newTable()
  const put = (id: string, namespace: string, index: number) =>
    table.put({ id, namespace, secret: undefined, groups: [] }, index)
  put('a', 'default', 1)
  put('b', 'team', 2)
  t.is(table.indexOf({ partition: 'default', namespace: 'default' }), 1)
  t.is(table.indexOf({ partition: 'default', namespace: 'team' }), 2)
  table.delete('a', 3)
  t.is(table.indexOf({ partition: 'default', namespace: 'default' }), 3)
  t.is(table.indexOf({ partition: 'default', namespace: 'absent' }), 0)
})

test('a row in the place of another one changes neither the order nor the sets of its unchanged values', t => {
  let compared = 0
  const table = new Table<Row, never, 'group'>({
    key: ({ id }) => id,
    tenancy: tenancyOf,
    order: ({ id }) => {
      compared++
      return id
    },
    unique: {},
    multi: { group: ({ groups }) => groups }
  })
  const rowOf = (id: number, groups: readonly string[]): Row => ({
    id: String(id).padStart(3, '0'),
    namespace: 'default',
    secret: undefined,
    groups
  })
  for (let id = 0; id < 200; id++) table.put(rowOf(id, [`${id}`, 'all']), id + 1)
  const tenancy = { partition: 'default', namespace: 'default' }
  t.is(table.list(tenancy).length, 200)
  const own = table.sharing('group', '100')
  const changed = rowOf(100, ['100', 'new'])
  table.put(changed, 201)
  t.is(table.sharing('group', '100'), own)
  t.deepEqual([...own], [changed])
  t.is(table.sharing('group', 'all').size, 199)
  compared = 0
  t.is(table.list(tenancy)[100], changed)
  t.is(compared, 0)
})
