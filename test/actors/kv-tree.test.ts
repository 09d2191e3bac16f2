// The prepared deletion of a tree, while entries change.
import fc from 'fast-check'
import test from 'ava'
import { lifecycles } from '../../actors/aggregates.js'
import { Committer } from '../../actors/committer.js'
import { kvDeleted, kvEvent } from '../../actors/kv-events.js'
import { deleteTree, KeyTreeDeletion } from '../../actors/kv-tree.js'
import { readTree } from '../../actors/kv-tree-reads.js'
import { Refusal } from '../../actors/refusal.js'
import { assertAllPossible } from '../../actors/unit-of-work.js'
import { DEFAULT_TENANCY, NO_CALLER } from '../../events/envelope.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { Kv } from '../../projections/kv/kv.js'
import { Views } from '../../projections/read-models.js'
import { runAtOnce } from '../../projections/steps.js'
import { Watch } from '../../projections/watch.js'
import { settingsOfTests } from '../support/decision-spec.js'
import { runs } from '../support/property-runs.js'

const set = (key: string, index: number, value: string | null = null) =>
  kvEvent('KVSet', DEFAULT_TENANCY, {
    Key: key,
    Value: value,
    Flags: 0,
    LockIndex: 0,
    CreateIndex: index,
    ModifyIndex: index
  })

const contextOf = (kv: Kv) => ({ models: { kv }, tenancy: DEFAULT_TENANCY })

const newStore = (keys: readonly string[]) => {
  const kv = new Kv(new Watch())
  let index = 0
  const apply = (events: Parameters<Kv['apply']>[0][]): void => {
    index++
    for (const event of events)
      kv.apply(event, { Index: index, Time: '2026-01-01T00:00:00Z', By: NO_CALLER, Events: events })
  }
  const put = (key: string): void => apply([set(key, index + 1)])
  const remove = (prefix: string): void => {
    const deletions = Array.from(kv.walk(DEFAULT_TENANCY, prefix), kvDeleted)
    if (deletions.length > 0) apply(deletions)
  }
  for (const key of keys) put(key)
  return { kv, put, remove }
}

const key = fc
  .tuple(fc.constantFrom('a/', 'b/', 'a'), fc.nat({ max: 400 }))
  .map(([folder, number]) => `${folder}${number}`)
const change = fc.record({ kind: fc.constantFrom('put', 'put', 'remove', 'step', 'step', 'reset'), key })

test('a prepared deletion is that of the present entries, whatever has changed since', t => {
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 400 }), { maxLength: 400 }),
      fc.array(change, { maxLength: 40 }),
      fc.constantFrom('a/', 'a', 'a/1', ''),
      (numbers, changes, prefix) => {
        const { kv, put, remove } = newStore(numbers.map(number => `a/${number}`))
        const deletion = new KeyTreeDeletion(kv, DEFAULT_TENANCY, prefix)
        const steps = deletion.prepare()
        for (const { kind, key: name } of changes) {
          if (kind === 'put') put(name)
          else if (kind === 'remove') remove(name)
          else if (kind === 'step') steps.next()
          else if (name === 'a0') kv.reset()
        }
        runAtOnce(steps)
        for (const { kind, key: name } of changes.slice(0, 5)) {
          if (kind === 'put') put(`${name}x`)
          else if (kind === 'remove') remove(name)
        }
        const context = contextOf(kv)
        t.deepEqual(
          deleteTree(context, prefix, deletion).events,
          Array.from(readTree(context, prefix, { keys: 0, bytes: 0 }).rows, kvDeleted)
        )
      }
    ),
    { numRuns: runs(500) }
  )
})

test('a prepared deletion of other entries, or of those before a rebuild, is not used', t => {
  const { kv, put } = newStore(['a/1', 'a/2'])
  const deletion = new KeyTreeDeletion(kv, DEFAULT_TENANCY, 'a/')
  runAtOnce(deletion.prepare())
  t.is(deletion.events(newStore(['a/1']).kv), undefined)
  t.is(deletion.events(kv)?.length, 2)
  kv.reset()
  put('a/3')
  t.is(deletion.events(kv), undefined)
  t.deepEqual(
    deleteTree(contextOf(kv), 'a/', deletion).events.map(event => event.Key),
    ['a/3']
  )
})

test('the preparation of too large a tree fails at the limit', t => {
  const kv = new Kv(new Watch())
  const Time = '2026-01-01T00:00:00Z'
  const megabyte = 'A'.repeat(1024 * 1024)
  for (let i = 1; i <= 200; i++)
    kv.apply(set(`a/${i}`, i, megabyte), { Index: i, Time, By: NO_CALLER, Events: [] })
  const steps = new KeyTreeDeletion(kv, DEFAULT_TENANCY, 'a/').prepare()
  let count = 0
  const error = t.throws(
    () => {
      while (!steps.next().done) count++
    },
    { instanceOf: Refusal }
  )
  t.is(error.code, 'kv.too-large')
  t.true(count < 3)
})

test('the commit of prepared deletions reads few of their events, also beside owned keys and listeners of other topics', t => {
  const views = new Views(settingsOfTests)
  const committer = new Committer(new MemoryEventLog(), views)
  t.teardown(() => committer.stop())
  committer.on('Session', () => t.fail())
  const Time = '2026-01-01T00:00:00Z'
  const keys = Array.from({ length: 3000 }, (_, n) => `a/${String(n).padStart(4, '0')}`)
  committer.commit({ Index: 1, Time, By: NO_CALLER, Events: keys.map(name => set(name, 1)) })
  const By = { ...NO_CALLER, Owner: 'owner' }
  committer.commit({ Index: 2, Time, By, Events: [set('a/0007', 2), set('b', 2)] })
  const deletion = new KeyTreeDeletion(views.kv, DEFAULT_TENANCY, 'a/')
  runAtOnce(deletion.prepare())
  const { events, removals } = deleteTree(contextOf(views.kv), 'a/', deletion)
  const read = new Set<string>()
  const Events = events.map(
    event =>
      new Proxy(event, {
        get: (target, field) => {
          read.add(target.Key)
          return Reflect.get(target, field)
        }
      })
  )
  assertAllPossible(lifecycles, views, Events, removals)
  committer.commit({ Index: 3, Time, By: NO_CALLER, Events }, { removals })
  t.true(read.size < 10, `${read.size} events were read`)
  t.is(views.kv.size, 1)
  t.deepEqual(
    Array.from(views.changeSets.owned('owner'), ({ key: name }) => name),
    ['b']
  )
})
