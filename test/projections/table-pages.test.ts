// Pages of a table's rows, while rows come and go.
import fc from 'fast-check'
import test from 'ava'
import { Table } from '../../projections/table.js'

const ROWS = 50_000

/** A row whose place in lists may change, while pages go by its ID. */
interface Named {
  readonly id: number
  readonly name: string
}

const HERE = { partition: 'default', namespace: 'default' }
const PAGED_IDS = 3000

test('pages go by keys that stay, whatever was listed, put and deleted before', t => {
  const id = fc.nat({ max: PAGED_IDS })
  const step = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), id, many: fc.integer({ min: 1, max: 700 }) }),
    fc.record({ kind: fc.constant('delete' as const), id, many: fc.integer({ min: 1, max: 700 }) }),
    fc.record({ kind: fc.constant('list' as const), id, many: fc.constant(0) }),
    fc.record({ kind: fc.constant('page' as const), id, many: fc.integer({ min: 1, max: 50 }) })
  )
  const text = (one: number): string => String(one).padStart(4, '0')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), steps => {
      const table = new Table<Named>({
        key: row => text(row.id),
        tenancy: () => HERE,
        order: row => row.name,
        pageKey: row => text(row.id),
        unique: {},
        multi: {}
      })
      const model = new Map<string, Named>()
      for (const [i, { kind, id: from, many }] of steps.entries()) {
        if (kind === 'list') t.is(table.list(HERE).length, model.size)
        const changed = kind === 'list' || kind === 'page' ? 0 : many
        for (let at = from; at < from + changed; at++)
          if (kind === 'put') {
            const row = { id: at, name: `${(at * 7919 + i) % 1000} ${at}` }
            table.put(row, i + 1)
            model.set(text(at), row)
          } else {
            table.delete(text(at), i + 1)
            model.delete(text(at))
          }
        if (kind !== 'page') continue
        const page: string[] = []
        for (const row of table.behind(HERE, from === 0 ? undefined : text(from))) {
          if (page.length === many) break
          t.is(model.get(text(row.id)), row)
          page.push(table.pageKey(row))
        }
        const behind = [...model.keys()].filter(key => from === 0 || key > text(from)).toSorted()
        t.deepEqual(page, behind.slice(0, many))
      }
    }),
    { numRuns: 150 }
  )
})

test('a page costs what it shows, however many rows there are and whatever has changed between pages', t => {
  let looks = 0
  const table = new Table<Named>({
    key: row => String(row.id),
    tenancy: () => HERE,
    order: row => row.name,
    pageKey: row => {
      looks++
      return String(row.id).padStart(8, '0')
    },
    unique: {},
    multi: {}
  })
  const put = (id: number, index: number): void => void table.put({ id, name: `${id % 97} ${id}` }, index)
  const page = (after: string | undefined): string => {
    let [last, size] = ['', 0]
    for (const row of table.behind(HERE, after)) {
      last = table.pageKey(row)
      if (++size === 50) break
    }
    return last
  }
  for (let id = 0; id < ROWS; id++) put(id, 1)
  let after = page(undefined)
  for (let n = 0; n < 100; n++) {
    for (let change = 0; change < 5; change++) put((n * 7919 + change * 104_729) % ROWS, n + 2)
    looks = 0
    after = page(after)
    // 500 changes are left to put in order by the end, and a search takes 16 steps.
    t.true(looks < 50 + 16 + 500 * 20, `page ${n} looked at ${looks} keys`)
  }
  t.is(after, String(101 * 50 - 1).padStart(8, '0'))
})
