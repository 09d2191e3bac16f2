// An overlay of the KV store: with the events of a decision it reads as the store after its commit.
import test from 'ava'
import * as fc from 'fast-check'
import type { KvEvent } from '../../../events/kv.js'
import { Kv } from '../../../projections/kv/kv.js'
import type { KvReader } from '../../../projections/kv/kv-overlay.js'
import { Watch } from '../../../projections/watch.js'

const SPACES = ['default', 'team']
const KEYS = ['a', 'a/b', 'a/c', 'b', '\uffee', '\u{1f600}']
const SESSIONS = ['5e551011', '5e551022']

const event: fc.Arbitrary<KvEvent> = fc
  .record({
    Namespace: fc.constantFrom(...SPACES),
    Key: fc.constantFrom(...KEYS),
    Value: fc.constantFrom('eA==', 'eQ=='),
    Session: fc.constantFrom('', ...SESSIONS),
    isRemoval: fc.boolean()
  })
  .map(({ Namespace, Key, Value, Session, isRemoval }): KvEvent => {
    const KV = { Key, Value, Flags: 0, LockIndex: 0, CreateIndex: 1, ModifyIndex: 1 }
    return {
      Topic: 'KV',
      Type: isRemoval ? 'KVDelete' : 'KVSet',
      Partition: 'default',
      Namespace,
      Key,
      FilterKeys: null,
      Payload: { KV: Session === '' ? KV : { ...KV, Session } }
    }
  })

const commit = (events: readonly KvEvent[]) => ({
  Index: 1,
  Time: '2026-01-01T00:00:00Z',
  By: { AccessorID: '', Address: '', RequestID: '', Command: '' },
  Events: events
})

const play = (kv: Kv, events: readonly KvEvent[]): void => {
  for (const one of events) kv.apply(one, commit(events))
}

const PREFIXES = ['', 'a', 'a/', 'b', 'c']
/** The deletion of all entries below a prefix. */
const tree = fc.record({ namespace: fc.constantFrom(...SPACES), prefix: fc.constantFrom(...PREFIXES) })

const deletionsOf = (kv: KvReader, namespace: string, prefix: string): KvEvent[] =>
  Array.from(kv.walk({ partition: 'default', namespace }, prefix), ({ entry }) => ({
    Topic: 'KV',
    Type: 'KVDelete',
    Partition: 'default',
    Namespace: namespace,
    Key: entry.Key,
    FilterKeys: null,
    Payload: { KV: entry }
  }))

/** The least number of entries below each prefix, and their number. */
const boundsOf = (kv: KvReader): readonly (readonly [least: number, length: number])[] =>
  SPACES.flatMap(namespace => {
    const tenancy = { partition: 'default', namespace }
    return PREFIXES.map(
      prefix => [kv.leastUnder(tenancy, prefix), [...kv.walk(tenancy, prefix)].length] as const
    )
  })

const seen = (kv: KvReader): unknown =>
  SPACES.map(namespace => {
    const tenancy = { partition: 'default', namespace }
    return [
      KEYS.map(key => kv.get(tenancy, key)?.entry),
      PREFIXES.map(prefix => Array.from(kv.walk(tenancy, prefix), row => row.entry)),
      SESSIONS.map(session => kv.heldBy(tenancy, session.toUpperCase()).map(row => row.entry))
    ]
  })

test('an overlay reads as the store would after the same events, and leaves it as it is', t => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), fc.array(event, { maxLength: 8 }), (first, second) => {
      const store = new Kv(new Watch())
      play(store, first)
      const before = seen(store)
      const overlay = store.overlay()
      for (const one of second) overlay.apply(one)
      t.deepEqual(seen(store), before)
      play(store, second)
      t.deepEqual(seen(overlay), seen(store))
    })
  )
})

test('the removal of a tree from an overlay equals the deletions of its entries', t => {
  const changes = fc.array(fc.oneof(event, tree), { maxLength: 8 })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), changes, (first, second) => {
      const store = new Kv(new Watch())
      play(store, first)
      const [atOnce, oneByOne] = [store.overlay(), store.overlay()]
      for (const one of second)
        if ('Key' in one) for (const overlay of [atOnce, oneByOne]) overlay.apply(one)
        else {
          const { namespace, prefix } = one
          for (const deletion of deletionsOf(oneByOne, namespace, prefix)) oneByOne.apply(deletion)
          atOnce.removeUnder({ partition: 'default', namespace }, prefix)
        }
      t.deepEqual(seen(atOnce), seen(oneByOne))
      for (const [least, length] of boundsOf(atOnce)) t.true(least <= length)
    })
  )
})

test('an overlay returns the store, and its size, for a prefix below which it has no changes', t => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), fc.array(event, { maxLength: 3 }), (first, second) => {
      const store = new Kv(new Watch())
      play(store, first)
      const overlay = store.overlay()
      for (const one of second) overlay.apply(one)
      for (const namespace of SPACES)
        for (const prefix of PREFIXES) {
          const isChanged = second.some(one => one.Namespace === namespace && one.Key.startsWith(prefix))
          const stored = overlay.storedUnder({ partition: 'default', namespace }, prefix)
          t.is(stored, isChanged ? undefined : store)
        }
      // A new entry counts as a change that hides another.
      for (const [least, length] of boundsOf(overlay)) t.true(least >= length - 2 * second.length)
    })
  )
  const overlay = new Kv(new Watch()).overlay()
  const tenancy = { partition: 'default', namespace: 'team' }
  overlay.removeUnder(tenancy, 'a/')
  for (const [prefix, isStored] of [
    ['a', false],
    ['a/', false],
    ['a/b', false],
    ['b', true]
  ] as const)
    t.is(overlay.storedUnder(tenancy, prefix) !== undefined, isStored)
})
