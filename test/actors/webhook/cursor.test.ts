// What a URL makes of a cursor.
import test from 'ava'
import {
  type CursorCommand,
  cursorAggregate,
  cursorLifecycle,
  cursorUpserted
} from '../../../actors/cursor.js'
import { secretOf } from '../../../actors/webhook/signature.js'
import type { Cursor, CursorInput } from '../../../events/cursor.js'
import type { Event } from '../../../events/envelope.js'
import { HIDDEN } from '../../../events/values.js'
import { command, given, viewsAfter } from '../../support/decision-spec.js'
import { cursor, cursorInput, storedBy } from '../cursors.js'

const newSecret = secretOf(Buffer.alloc(32, 8))
const put = (said: Partial<CursorInput & { owner: string; maxPerOwner: number }> = {}) =>
  command('PutCursor', { ...cursorInput, name: 'loader', owner: 'ben', maxPerOwner: 0, newSecret, ...said })
const there = cursorUpserted(cursor)
const another = cursorUpserted({ ...cursor, Name: 'other', CreateIndex: 2, ModifyIndex: 2 })
const decided = (history: readonly Event[], asked: CursorCommand): readonly Event[] =>
  given(...history)
    .when(cursorAggregate, asked)
    .events()

const secret = secretOf(Buffer.alloc(32, 7))
const URL = 'https://hooks.example/a'
const hooked: Cursor = { ...cursor, URL }
const thereWithUrl = cursorUpserted(hooked, secret)
const secretsBy = (event: Event | undefined) => event?.Secrets

test('a cursor with a URL has a secret: the given one, or the one that is made; neither is in the payload', t => {
  for (const Secret of ['', secret, HIDDEN]) {
    const [event] = decided([], put({ URL, Secret }))
    t.like(storedBy(event), { URL })
    t.deepEqual(secretsBy(event), { Secret: Secret === secret ? secret : newSecret })
    t.false(JSON.stringify(event?.Payload).includes('whsec_'))
  }
})

test('a secret is kept until another is given, and goes with the URL', t => {
  const kept = decided([thereWithUrl], put({ URL: 'https://hooks.example/b' }))
  t.deepEqual(secretsBy(kept[0]), { Secret: secret })
  t.deepEqual(decided([thereWithUrl], put({ URL, owner: 'ann', Secret: HIDDEN })), [])
  const other = secretOf(Buffer.alloc(24, 9))
  t.deepEqual(secretsBy(decided([thereWithUrl], put({ URL, owner: 'ann', Secret: other }))[0]), {
    Secret: other
  })
  const [gone] = decided([thereWithUrl], put())
  t.is(storedBy(gone)?.URL, undefined)
  t.is(secretsBy(gone), undefined)
})

test('a secret that no receiver could use is refused, and one without a URL', t => {
  given()
    .when(cursorAggregate, put({ URL, Secret: 'abc' }))
    .refuses(t, 'cursor.invalid', /Secret must be whsec_/)
  given()
    .when(cursorAggregate, put({ Secret: secret }))
    .refuses(t, 'cursor.invalid', /Secret must not be given without URL/)
  given()
    .when(cursorAggregate, put({ URL: `https://hooks.example/${'a'.repeat(2048)}` }))
    .refuses(t, 'cursor.invalid', /URL has 2070 characters, and may have at most 2048/)
})

test('who says where events are sent is the owner, whose rights they are sent with', t => {
  t.is(storedBy(decided([there], put({ URL }))[0])?.Owner, 'ben')
  t.is(storedBy(decided([there], put({ Types: ['KVSet'] }))[0])?.Owner, 'ann')
  given(there, another)
    .when(cursorAggregate, put({ URL, owner: 'ann', maxPerOwner: 1 }))
    .gives(t, ['CursorUpserted loader', { Cursor: { Owner: 'ann' } }])
})

test('what a webhook did not take is passed over and counted; it is put again without being forgotten', t => {
  const skip = command('SkipDeadLetter', { name: 'loader', from: 2, to: 9, reason: 'answered 500' })
  const LastDeadLetter = { From: 2, To: 9, Reason: 'answered 500', At: '2026-01-01T00:00:00Z' }
  const events = decided([thereWithUrl], skip)
  t.like(storedBy(events[0]), { Index: 9, DeadLetters: 1, LastDeadLetter, URL })
  t.is(viewsAfter([thereWithUrl, ...events]).cursors.secretOf('loader'), secret)
  t.deepEqual(decided([thereWithUrl, ...events], skip), [])
  t.like(storedBy(decided([thereWithUrl, ...events], put({ URL, Types: ['KVSet'] }))[0]), {
    DeadLetters: 1,
    LastDeadLetter
  })
  t.is(storedBy(decided([thereWithUrl, ...events], put())[0])?.DeadLetters, undefined)
  t.deepEqual(decided([there], skip), [])
})

test('a webhook that is not wanted any more is off until its cursor is put again', t => {
  const disable = command('DisableWebhook', { name: 'loader', reason: 'answered 410' })
  const events = decided([thereWithUrl], disable)
  t.is(storedBy(events[0])?.Disabled, 'answered 410')
  t.deepEqual(secretsBy(events[0]), { Secret: secret })
  t.deepEqual(decided([thereWithUrl, ...events], disable), [])
  const again = decided([thereWithUrl, ...events], put({ URL, owner: 'ann' }))
  t.is(again.length, 1)
  t.is(storedBy(again[0])?.Disabled, undefined)
})

test('a snapshot brings a webhook back with its secret', t => {
  const wanted = cursorLifecycle.restoredBy?.(viewsAfter([]), thereWithUrl)
  t.deepEqual(secretsBy(wanted), { Secret: secret })
  const here = cursorLifecycle.restoredBy?.(viewsAfter([there]), thereWithUrl)
  t.deepEqual(secretsBy(here), { Secret: secret })
})
