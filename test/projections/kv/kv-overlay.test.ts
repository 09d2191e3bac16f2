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

const seen = (kv: KvReader): unknown =>
  SPACES.map(namespace => {
    const tenancy = { partition: 'default', namespace }
    return [
      KEYS.map(key => kv.get(tenancy, key)?.entry),
      ['', 'a', 'a/', 'b', 'c'].map(prefix => kv.under(tenancy, prefix).map(row => row.entry)),
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
