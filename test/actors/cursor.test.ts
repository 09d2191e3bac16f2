import test from 'ava'
import { cursorAggregate, cursorLifecycle, cursorUpserted } from '../../actors/cursor.js'
import type { CursorInput } from '../../events/cursor.js'
import { HOUR, SECOND } from '../../events/duration.js'
import { command, given, viewsAfter } from '../support/decision-spec.js'
import { cursor, cursorInput, storedBy } from './cursors.js'

const put = (said: Partial<CursorInput & { name: string; owner: string; maxPerOwner: number }> = {}) =>
  command('PutCursor', {
    ...cursorInput,
    name: 'loader',
    owner: 'ben',
    maxPerOwner: 0,
    newSecret: '',
    ...said
  })
const move = (...moves: readonly (readonly [name: string, index: number])[]) =>
  command('MoveCursors', { moves: moves.map(([name, index]) => ({ name, index })) })
const there = cursorUpserted(cursor)
const another = cursorUpserted({ ...cursor, Name: 'other', CreateIndex: 2, ModifyIndex: 2 })

test('a new cursor belongs to who makes it, and begins with what comes after it', t => {
  given()
    .when(cursorAggregate, put())
    .gives(t, [
      'CursorUpserted loader',
      { Cursor: { ...cursor, Index: 1, Owner: 'ben', MovedAt: '2026-01-01T00:00:00Z' } }
    ])
})

test('a new cursor may begin with anything that the log has had', t => {
  given(another)
    .when(cursorAggregate, put({ Index: 0 }))
    .gives(t, ['CursorUpserted loader', { Cursor: { Index: 0 } }])
  given(another)
    .when(cursorAggregate, put({ Index: -1 }))
    .refuses(t, 'cursor.invalid', /Index -1 must not be negative/)
  given(another)
    .when(cursorAggregate, put({ Index: 2 }))
    .refuses(t, 'cursor.invalid', /Index 2 is not there: the log ends at commit 1/)
})

test('what is asked of a cursor that is there changes its events, and neither its place nor its owner', t => {
  given(there)
    .when(
      cursorAggregate,
      put({ Topics: ['*'], Types: ['KVSet'], Filter: 'Key == "a"', Namespace: 'Team-A' })
    )
    .gives(t, [
      'CursorUpserted loader',
      {
        Cursor: {
          ...cursor,
          Topics: ['*'],
          Types: ['KVSet'],
          Filter: 'Key == "a"',
          Namespace: 'team-a',
          ModifyIndex: 2
        }
      }
    ])
  given(there)
    .when(cursorAggregate, put({ Index: 0 }))
    .gives(t, ['CursorUpserted loader', { Cursor: { Index: 0, MovedAt: '2026-01-01T00:00:00Z' } }])
})

test('nothing happens to a cursor that is as it is asked to be', t => {
  given(there).when(cursorAggregate, put()).gives(t)
  given(there)
    .when(cursorAggregate, put({ Index: 1 }))
    .gives(t)
})

test('names have 1 to 128 letters, digits, underscores, dots and hyphens', t => {
  for (const name of ['a', 'A_z.9-', 'x'.repeat(128)])
    t.notThrows(() => given().when(cursorAggregate, put({ name })).events())
  for (const name of ['', 'a b', 'a/b', 'ä', 'x'.repeat(129)])
    given()
      .when(cursorAggregate, put({ name }))
      .refuses(t, 'cursor.invalid', /Name .* must be 1 to 128 letters/)
})

test('a cursor must be of something, and what it is of must not be too long', t => {
  given()
    .when(cursorAggregate, put({ Topics: [] }))
    .refuses(t, 'cursor.invalid', /Topics must name what it is of/)
  given()
    .when(cursorAggregate, put({ Topics: [`KV:${'k'.repeat(4094)}`] }))
    .refuses(t, 'cursor.invalid', /have 4097 characters together, and may have at most 4096/)
})

test('leases last a second to a day', t => {
  for (const Lease of [SECOND, 24 * HOUR])
    t.notThrows(() => given().when(cursorAggregate, put({ Lease })).events())
  for (const Lease of [0, SECOND - 1, 24 * HOUR + 1])
    given()
      .when(cursorAggregate, put({ Lease }))
      .refuses(t, 'cursor.invalid', /Lease .* must be at least 1s and at most 24h0m0s/)
})

test('tenancies are names or *', t => {
  t.notThrows(() =>
    given()
      .when(cursorAggregate, put({ Namespace: '*', Partition: '*' }))
      .events()
  )
  given()
    .when(cursorAggregate, put({ Namespace: 'a b' }))
    .refuses(t, 'cursor.invalid', /Namespace "a b" must be \*/)
  given()
    .when(cursorAggregate, put({ Partition: '' }))
    .refuses(t, 'cursor.invalid', /Partition "" must be \*/)
})

test('creating a cursor above the limit per accessor is rejected', t => {
  const asked = put({ name: 'third', owner: 'ann', maxPerOwner: 2 })
  given(there, another)
    .when(cursorAggregate, asked)
    .refuses(t, 'cursor.too-many', /a token may own 2 of them \(cursor\.max_per_token\)/)
  given(there).when(cursorAggregate, asked).gives(t, 'CursorUpserted third')
  given(there, another)
    .when(cursorAggregate, put({ owner: 'ann', maxPerOwner: 2, Lease: SECOND }))
    .gives(t, 'CursorUpserted loader')
})

test('all moves together give an event for each cursor that stands elsewhere now', t => {
  given(there, another)
    .when(cursorAggregate, move(['loader', 2], ['other', 1], ['gone', 2]))
    .gives(t, [
      'CursorMoved loader',
      { Cursor: { ...cursor, Index: 2, MovedAt: '2026-01-01T00:00:00Z', ModifyIndex: 3 } }
    ])
})

test('a cursor ends with its last state, and one that is not there in silence', t => {
  given(there)
    .when(cursorAggregate, command('DeleteCursor', { name: 'loader' }))
    .gives(t, ['CursorDeleted loader', { Cursor: cursor }])
  given()
    .when(cursorAggregate, command('DeleteCursor', { name: 'loader' }))
    .gives(t)
})

test('a cursor that a snapshot brings back is set to the end of a shorter log, and says so until it moves', t => {
  const wanted = cursorUpserted({ ...cursor, Index: 500 })
  const restored = cursorLifecycle.restoredBy?.(viewsAfter([another]), wanted)
  t.like(storedBy(restored), { Name: 'loader', Index: 1, ClampedFrom: 500 })
  if (!restored) return
  const [moved] = given(another, restored)
    .when(cursorAggregate, move(['loader', 2]))
    .events()
  t.is(storedBy(moved)?.ClampedFrom, undefined)
  given(another, restored)
    .when(cursorAggregate, put({ Lease: SECOND }))
    .gives(t, ['CursorUpserted loader', { Cursor: { ClampedFrom: 500 } }])
})

test('a cursor that a snapshot has as it was stays where it is now', t => {
  const wanted = cursorUpserted({ ...cursor, Topics: ['*'], Index: 0 })
  const restored = cursorLifecycle.restoredBy?.(viewsAfter([another, there]), wanted)
  t.like(storedBy(restored), { Topics: ['*'], Index: 1 })
  const before = cursorLifecycle.restoredBy?.(viewsAfter([another]), wanted)
  t.like(storedBy(before), { Index: 0, ClampedFrom: undefined })
})
