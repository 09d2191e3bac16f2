// Lock delays of several namespaces, and the entries of a session that ends.
import fc from 'fast-check'
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { KvRow } from '../../../projections/kv/kv-row.js'
import { LockDelays } from '../../../projections/kv/lock-delays.js'
import { LockedKeys } from '../../../projections/kv/locked-keys.js'

const SECOND = 1e9
const SPACES = ['default/default', 'default/team', 'other/default']
const KEYS = ['a', 'a/b', '/', '']

const ending = fc.record({
  space: fc.constantFrom(...SPACES),
  keys: fc.uniqueArray(fc.constantFrom(...KEYS)),
  seconds: fc.constantFrom(0, 15, 60, 90),
  later: fc.nat({ max: 40_000 })
})

const begin = (
  delays: LockDelays,
  space: string,
  keys: readonly string[],
  at: number,
  seconds: number
): void =>
  delays.begin(
    space,
    keys.map(key => ({ key })),
    at,
    seconds * SECOND
  )

const seen = (delays: LockDelays, at: number): unknown =>
  SPACES.map(space => KEYS.map(key => [0, 14_999, 15_000, 59_999].map(ms => delays.has(space, key, at + ms))))

test('delays last until their ends, also after they were saved, and are swept in all namespaces', t => {
  fc.assert(
    fc.property(fc.array(ending, { maxLength: 12 }), endings => {
      const delays = new LockDelays()
      const ends = new Map<string, number>()
      let at = 0
      for (const { space, keys, seconds, later } of endings) {
        at += later
        begin(delays, space, keys, at, seconds)
        if (seconds > 0)
          for (const key of keys) ends.set(`${space} ${key}`, at + Math.min(seconds, 60) * 1000)
        for (const one of SPACES)
          for (const key of KEYS) t.is(delays.has(one, key, at), (ends.get(`${one} ${key}`) ?? 0) > at)
        const loaded = new LockDelays()
        loaded.memory.load(JSON.stringify([...delays.memory.save()]))
        t.deepEqual([...loaded.memory.save()], [...delays.memory.save()])
        t.deepEqual(seen(loaded, at), seen(delays, at))
      }
      begin(delays, 'default/last', ['key'], at + 60_000, 15)
      t.deepEqual([...delays.memory.save()], [['default/last/key', at + 75_000]])
    })
  )
})

test('a deleted namespace has no delays', t => {
  const delays = new LockDelays()
  for (const space of SPACES) begin(delays, space, ['a'], 0, 15)
  delays.deleteSpace('default/team')
  t.deepEqual(
    SPACES.map(space => delays.has(space, 'a', 1)),
    [true, false, true]
  )
})

test('the entries of a session are released at once, in the order of their keys', t => {
  const row = (Key: string, Session: string): KvRow =>
    new KvRow(
      { Key, Value: null, Flags: 0, LockIndex: 1, Session, CreateIndex: 1, ModifyIndex: 1 },
      DEFAULT_TENANCY,
      'KVLock'
    )
  const held = new LockedKeys()
  const rows = ['b', 'c', 'a'].map(key => row(key, 'Session'))
  const other = row('d', 'other')
  for (const one of [...rows, other]) held.replace(undefined, one)
  t.deepEqual(
    held.release(DEFAULT_TENANCY, 'SESSION').map(({ key }) => key),
    ['a', 'b', 'c']
  )
  t.is(held.size, 1)
  t.deepEqual(held.of(DEFAULT_TENANCY, 'session'), [])
  t.deepEqual(held.release(DEFAULT_TENANCY, 'session'), [])
  // Their later changes find nothing to release.
  for (const one of rows) held.replace(one, undefined)
  t.is(held.size, 1)
  t.deepEqual(held.release(DEFAULT_TENANCY, 'other'), [other])
  t.is(held.size, 0)
})
