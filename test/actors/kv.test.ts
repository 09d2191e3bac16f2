import test from 'ava'
import { kvAggregate } from '../../actors/kv.js'
import { deleteTree } from '../../actors/kv-tree.js'
import { readTree } from '../../actors/kv-tree-reads.js'
import { Refusal } from '../../actors/refusal.js'
import { sessionEvent } from '../../actors/session.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { Session } from '../../events/session.js'
import { KvRow } from '../../projections/kv/kv-row.js'
import { command, given, viewsAfter } from '../support/decision-spec.js'

const session: Session = {
  ID: '11111111-2222-3333-4444-555555555555',
  Name: '',
  Node: 'n',
  LockDelay: 0,
  Behavior: 'release',
  TTL: '',
  NodeChecks: [],
  ServiceChecks: null,
  CreateIndex: 1,
  ModifyIndex: 1
}
const created = sessionEvent('SessionCreated', DEFAULT_TENANCY, session)
const content = { key: 'k', value: 'YQ==', flags: '0' }

test('a lock needs a session of the same namespace', t => {
  const lock = command('LockKey', { ...content, session: session.ID })
  given(created)
    .when(kvAggregate, lock)
    .gives(t, ['KVLock k', { KV: { Key: 'k', Value: 'YQ==', Session: session.ID, LockIndex: 1 } }])
  const elsewhere = { partition: 'default', namespace: 'team' }
  given(created)
    .when(kvAggregate, { ...lock, tenancy: elsewhere })
    .refuses(t, 'kv.invalid', /invalid session/)
  given()
    .when(kvAggregate, lock)
    .refuses(t, 'kv.invalid', /invalid session/)
})

test('a write of what is there already is none', t => {
  const set = command('SetKey', content)
  const [event] = given().when(kvAggregate, set).events()
  t.truthy(event)
  if (event) given(event).when(kvAggregate, set).gives(t)
})

const NO_TREE = { keys: 0, bytes: 0 }

test('a removal of more than a commit can hold is refused', t => {
  const [event] = given().when(kvAggregate, command('SetKey', content)).events()
  const row = event && viewsAfter([event]).kv.get(DEFAULT_TENANCY, 'k')
  t.true(row instanceof KvRow)
  const views = viewsAfter([])
  const kv = { get: () => row, heldBy: () => [], isDelayed: () => false, storedUnder: () => views.kv }
  const under = (count: number) => (): readonly KvRow[] =>
    Array.from({ length: count }, () => row).filter(one => one !== undefined)
  const contextOf = (count: number) => ({
    models: { kv: { ...kv, walk: under(count), leastUnder: () => count }, sessions: views.sessions },
    tenancy: DEFAULT_TENANCY,
    index: 2
  })
  t.is(deleteTree(contextOf(100_000), '').events.length, 100_000)
  const half = readTree(contextOf(50_000), '', NO_TREE, { bytes: 0 }).size
  t.is(readTree(contextOf(50_000), '', half, { bytes: 0 }).size.keys, 100_000)
  t.throws(() => readTree(contextOf(50_001), '', half, { bytes: 0 }), { message: /in several transactions/ })
  const refusal = t.throws(() => deleteTree(contextOf(100_001), ''), { instanceOf: Refusal })
  t.is(refusal?.kind, 'too-large')
  t.throws(() => readTree(contextOf(100_001), '', NO_TREE, { bytes: 0 }), { instanceOf: Refusal })
  t.throws(() => readTree(contextOf(1), '', NO_TREE, { bytes: 64 * 1024 * 1024 + 1 }), {
    instanceOf: Refusal
  })
  // A refusal reads no entries.
  t.is(t.throws(() => deleteTree(contextOf(Infinity), ''), { instanceOf: Refusal })?.kind, 'too-large')
  t.is(t.throws(() => readTree(contextOf(Infinity), '', NO_TREE), { instanceOf: Refusal })?.kind, 'too-large')
})
