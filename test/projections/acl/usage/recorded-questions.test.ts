import test from 'ava'
import fc from 'fast-check'
import { Coverage } from '../../../../projections/acl/usage/coverage.js'
import {
  codeOf,
  kindOf,
  QuestionCounter,
  type UsageReport
} from '../../../../projections/acl/usage/question-counter.js'
import type { Holdings } from '../../../../projections/acl/usage/question.js'
import { QuestionStore } from '../../../../projections/acl/usage/question-store.js'
import { SegmentTable } from '../../../../projections/acl/usage/segment-table.js'
import { runAtOnce } from '../../../../projections/steps.js'

const DAY = 1440
const holdings: Holdings = {
  tenancy: { partition: 'default', namespace: 'default' },
  Policies: [{ ID: 'p' }],
  Roles: [],
  ServiceIdentities: [],
  NodeIdentities: []
}
const KEY_READ = codeOf('key', 'read', true)

const reportOf = (accessor: string, ...names: readonly string[]): UsageReport => ({
  tokens: [
    {
      accessor,
      holdings,
      questions: [[KEY_READ, 'default', 'default', names.map(name => [name, 'one', 1] as const)]]
    }
  ],
  leftOut: 0
})

const counted = (most: number) =>
  new SegmentTable<{ count: number }>(most, {
    create: () => ({ count: 0 }),
    merge: (into, from) => void (into.count += from.count)
  })

test('names are counted one by one until there are too many, which are collapsed into a shared prefix', t => {
  const table = counted(4)
  for (const name of ['app/a', 'app/b', 'web/x', 'app/c', 'app/d', 'app/a']) table.one(name).count++
  t.deepEqual(
    Array.from(table, ([segment, extent, { count }]) => [segment, extent, count]),
    [
      ['web/x', 'one', 1],
      ['app/', 'collapsed', 5]
    ]
  )
})

test('a table never exceeds its maximum, loses no count, and covers every name', t => {
  const name = fc.stringMatching(/^[ab](\/[abc]{1,2}){0,3}$/)
  fc.assert(
    fc.property(fc.array(name, { maxLength: 200 }), fc.integer({ min: 1, max: 12 }), (names, most) => {
      const table = counted(most)
      for (const one of names) table.one(one).count++
      const entries = [...table]
      t.true(entries.length <= most + 1)
      t.is(
        entries.reduce((sum, [, , { count }]) => sum + count, 0),
        names.length
      )
      for (const one of names)
        t.true(
          entries.some(([segment, extent]) => (extent === 'one' ? segment === one : one.startsWith(segment)))
        )
    })
  )
})

test('every kind of question has a number of its own', t => {
  const codes = new Set<number>()
  for (const resource of ['acl', 'key', 'service', 'intention', 'namespace'] as const)
    for (const access of ['read', 'list', 'write', 'write-prefix', 'read-all'] as const)
      for (const isAllowed of [true, false]) {
        const code = codeOf(resource, access, isAllowed)
        codes.add(code)
        t.deepEqual(kindOf(code), { resource, access, isAllowed })
      }
  t.is(codes.size, 50)
  t.is(kindOf(10_000), undefined)
})

test('counts are kept by day, pruned by day, and bounded', t => {
  const store = new QuestionStore(4)
  t.is(store.add(reportOf('a', 'x', 'y'), DAY + 5), 0)
  t.is(store.add(reportOf('a', 'x'), DAY + 7), 0)
  t.is(store.add(reportOf('a', 'x'), 3 * DAY), 0)
  const [subject] = [...store.subjects()]
  if (!subject) throw new Error('no subject')
  const shown = (since?: number) =>
    Array.from(store.of(subject, since), ({ segment, count, first, last }) => [segment, count, first, last])
  t.deepEqual(shown(), [
    ['x', 3, DAY + 5, 3 * DAY],
    ['y', 1, DAY + 5, DAY + 5]
  ])
  t.deepEqual(shown(2 * DAY), [['x', 1, 3 * DAY, 3 * DAY]])
  t.is(store.size, 3)
  t.is(store.add(reportOf('b', '1', '2', '3'), 3 * DAY), 1)
  t.true(store.isFull)
  runAtOnce(store.forgetBefore(3))
  t.deepEqual(shown(), [['x', 1, 3 * DAY, 3 * DAY]])
  t.is(store.size, 3)
})

test('a token has at most 512 kinds of questions and namespaces', t => {
  const questions = Array.from(
    { length: 600 },
    (_, i) => [KEY_READ, 'default', `n${i}`, [['x', 'one', 1]]] as const
  )
  const store = new QuestionStore(10_000)
  t.is(store.add({ tokens: [{ accessor: 'a', holdings, questions }], leftOut: 0 }, DAY), 600 - 512)
})

test('questions of deleted tokens are merged by their links', t => {
  const store = new QuestionStore(100)
  for (const accessor of ['a', 'b', 'c']) store.add(reportOf(accessor, 'x'), DAY)
  runAtOnce(store.foldDeleted(accessor => accessor === 'c'))
  t.deepEqual(
    Array.from(store.subjects(), subject => [
      subject.accessor,
      Array.from(store.of(subject), ({ count }) => count)
    ]),
    [
      ['c', [1]],
      [undefined, [2]]
    ]
  )
  t.is(store.size, 2)
})

test('a report that is full is made at once, and names of namespaces that are too long are only counted', t => {
  let reports = 0
  let taken: UsageReport | undefined
  const row = {
    token: {
      AccessorID: 'a',
      Policies: [],
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: []
    },
    tenancy: holdings.tenancy
  }
  const counter: QuestionCounter = new QuestionCounter(isFull => {
    if (!isFull) return
    reports++
    taken = counter.take()
  })
  const long = { partition: 'default', namespace: 'n'.repeat(600) }
  counter.count(row, 'key', 'read', 'x', long, true)
  t.is(counter.take().leftOut, 1)
  t.is(reports, 0)
  for (let i = 0; i < 100; i++)
    for (let j = 0; j < 60; j++)
      counter.count(row, 'key', 'read', `${j}`, { partition: 'default', namespace: `n${i}` }, true)
  t.is(reports, Math.floor((100 * 60) / 512))
  t.is(taken?.tokens.length, 1)
})

test('coverage has gaps where nothing was observed', t => {
  const coverage = new Coverage()
  for (const minute of [10, 11, 12, 30, 31, DAY, DAY + 1]) coverage.observe(minute)
  coverage.lose(31, 5)
  t.deepEqual(coverage.since(0), {
    observed: [
      [10, 12],
      [30, 31],
      [DAY, DAY + 1]
    ],
    lost: 5
  })
  t.deepEqual(coverage.since(DAY).lost, 0)
  coverage.forgetBefore(1)
  t.deepEqual(coverage.days, [1])
})
