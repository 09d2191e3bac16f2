import test from 'ava'
import { send } from '../../support/client.js'
import { receiver, silence, status } from '../../support/webhook-receiver.js'
import { temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { ocsfFaults } from '../../projections/stream/formats/schemas.js'
import { read } from '../stream/streams.js'
import {
  waitForDelivery,
  hookOf,
  hookServer,
  inTime,
  lastOf,
  PATH,
  putHook,
  readHook,
  cursorPositionOf,
  TIMEOUT_MS,
  withHook,
  write
} from './support.js'

test('a webhook is sent what a stream of its topics is, byte for byte, signed, and the cursor moves', async t => {
  const { server, hook, secret } = await withHook(t)
  const [first = 0, , last = 0] = await write(server, 'load/a', 'other', 'load/b')
  await until('both have arrived', () => waitForDelivery(hook, secret).length === 2)
  t.deepEqual(waitForDelivery(hook, secret), [first, last])
  const reader = await read(t, server, `topic=KV:load/&index=${first}`)
  await reader.upTo(last)
  const lines = reader.lines.filter(line => line.startsWith('{"Index":'))
  const sent = hook.calls.map(({ text }) => text).join('')
  for (const line of lines) t.true(sent.includes(line))
  t.is(lastOf(hook, secret)?.Cursor, 'hook')
  t.true((lastOf(hook, secret)?.LastIndex ?? 0) >= last)
  await cursorPositionOf(server, last)
  t.like((await readHook(server)).Delivery, { State: 'delivering', Attempts: 0, LastError: undefined })
})

test('a webhook with a format is sent records of another product, with the permission to read authors', async t => {
  const hook = await receiver(t)
  const server = await hookServer(t)
  for (const [body, rule] of [
    [{ Format: 'cef', URL: hook.url }, /"cef" is none of ocsf, ecs/],
    [{ Format: 'ocsf' }, /Format must not be given without URL/]
  ] as const) {
    const refused = await putHook(server, body)
    t.is(refused.status, 400)
    t.regex(refused.text, rule)
  }
  const { Secret = '' } = hookOf(await putHook(server, { URL: hook.url, Format: 'ocsf' }))
  const [first] = await write(server, 'load/a')
  await until('it has arrived', () => hook.calls.length > 0)
  const { Messages } = hook.verified(hook.calls[0] ?? t.fail(), Secret)
  t.is(Messages[0]?.Index, first)
  const records: readonly unknown[] = Messages[0]?.Events ?? []
  t.is(records.length, 1)
  t.is(ocsfFaults(records[0]), '')
})

test('a batch has at most so many messages and bytes', async t => {
  const hook = await receiver(t)
  const webhook = { batch_messages: 3, batch_bytes: 4096 }
  const server = await hookServer(t, { config: { outgoing: { allow: ['127.0.0.1'] }, webhook } })
  await write(server, 'load/1', 'load/2', 'load/3', 'load/4', 'load/5')
  await server.send('PUT', '/v1/kv/load/large', { body: 'x'.repeat(10_000) })
  const [last = 0] = await write(server, 'load/6')
  const { Secret = '' } = hookOf(await putHook(server, { URL: hook.url, Index: 0 }))
  await until('all have arrived', () => waitForDelivery(hook, Secret).length === 7)
  t.true((lastOf(hook, Secret)?.LastIndex ?? 0) >= last)
  for (const call of hook.calls) {
    const { Messages } = hook.verified(call, Secret)
    t.true(Messages.length <= 3)
    if (call.text.length > 4096 + 100) t.is(Messages.length, 1)
  }
})

test('what is not taken is tried again, in order, with the same ID, after longer and longer waits', async t => {
  const { server, hook, secret } = await withHook(t)
  hook.answer(status(500))
  const [first = 0] = await write(server, 'load/a')
  await until('the first attempt', () => hook.calls.length === 1)
  const waiting = await until('it waits', async () => {
    const { Delivery } = await readHook(server)
    return Delivery?.State === 'waiting' && Delivery
  })
  t.like(waiting, { Attempts: 1, LastError: 'answered 500' })
  t.truthy(waiting.NextAttemptAt)
  await write(server, 'load/b')
  await inTime(server, 'the fourth attempt', () => hook.calls.length === 4)
  t.is(new Set(hook.calls.map(({ headers }) => headers['webhook-id'])).size, 1)
  hook.answer(status(200))
  await inTime(server, 'both were taken', () => new Set(waitForDelivery(hook, secret)).size === 2)
  t.is(waitForDelivery(hook, secret)[0], first)
  await until('it no longer waits', async () => (await readHook(server)).Delivery?.State === 'delivering')
})

test('a receiver that asks for time gets it', async t => {
  const { server, hook } = await withHook(t)
  hook.answer(status(429, { 'retry-after': '100' }))
  await write(server, 'load/a')
  const next = await until('it waits', async () => (await readHook(server)).Delivery?.NextAttemptAt)
  const seconds = (Date.parse(next) - server.clock.now()) / 1000
  t.true(seconds > 60 && seconds <= 100, `${seconds} s`)
})

test('a batch that is not taken in time again and again is given up, counted, and the next one follows', async t => {
  const webhook = { attempts: 3 }
  const { server, hook, secret } = await withHook(t, {
    config: { outgoing: { allow: ['127.0.0.1'] }, webhook }
  })
  hook.answer(silence)
  const [first = 0] = await write(server, 'load/a')
  for (let attempt = 1; attempt <= webhook.attempts; attempt++) {
    await inTime(server, `attempt ${attempt}`, () => hook.calls.length === attempt)
    server.advance(TIMEOUT_MS)
  }
  await until('it is given up', async () => (await readHook(server)).DeadLetters === 1)
  t.is(hook.calls.length, webhook.attempts)
  const given = await readHook(server)
  t.is(given.Index, first)
  t.like(given.LastDeadLetter, { From: first, To: first, Reason: `no answer within ${TIMEOUT_MS} ms` })
  t.is(given.Delivery?.LastError, `no answer within ${TIMEOUT_MS} ms`)
  hook.answer(status(204))
  const [second = 0] = await write(server, 'load/b')
  await until('the next one was taken', () => waitForDelivery(hook, secret).includes(second))
  const metrics = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  t.regex(metrics.text, /annals_webhook_dead_letters 1/)
  t.regex(metrics.text, /annals_webhook_requests_total\{outcome="failed"\} 3/)
  t.regex(metrics.text, /annals_webhook_requests_total\{outcome="delivered"\} 1/)
})

test('a receiver that answers 410 is sent nothing more until the cursor is put again', async t => {
  const { server, hook, secret } = await withHook(t)
  hook.answer(status(410))
  const [first = 0] = await write(server, 'load/a')
  await until('it is off', async () => (await readHook(server)).Disabled !== undefined)
  const off = await readHook(server)
  t.is(off.Delivery, undefined)
  await write(server, 'load/b')
  hook.answer(status(204))
  t.is(hookOf(await putHook(server, { URL: hook.url, Secret: '<hidden>' })).Disabled, undefined)
  await until('both have arrived', () => new Set(waitForDelivery(hook, secret)).size === 2)
  t.is(waitForDelivery(hook, secret)[0], first)
})

test('after a restart a webhook continues at its cursor', async t => {
  const hook = await receiver(t)
  const dataDir = temporaryFolder(t)
  const before = await hookServer(t, { dataDir })
  const { Secret = '' } = hookOf(await putHook(before, { URL: hook.url }))
  await write(before, 'load/a', 'load/b')
  await until('both have arrived', () => waitForDelivery(hook, Secret).length === 2)
  hook.answer(silence)
  await write(before, 'load/c')
  await until(
    'the third is under way',
    () => hook.calls.length > 0 && waitForDelivery(hook, Secret).length === 3
  )
  await before.close()
  const count = hook.calls.length
  hook.answer(status(204))
  const after = await hookServer(t, { dataDir })
  const [last = 0] = await write(after, 'load/d')
  await until('all have arrived', () => waitForDelivery(hook, Secret).includes(last))
  const again = hook.calls.slice(count).flatMap(call => hook.verified(call, Secret).Messages)
  t.deepEqual(
    again.flatMap(({ Events = [] }) => Events.map(({ Key }) => Key)),
    ['load/c', 'load/d']
  )
  t.is((await readHook(after)).Secret, '<hidden>')
})

test('after a move of its cursor a webhook continues there', async t => {
  const { server, hook, secret } = await withHook(t)
  const [first = 0, second = 0] = await write(server, 'load/a', 'load/b')
  await cursorPositionOf(server, second)
  const count = hook.calls.length
  t.is((await putHook(server, { URL: hook.url, Index: first - 1 })).status, 200)
  await until('both come again', () => waitForDelivery(hook, secret).length === 4)
  t.deepEqual(
    hook.calls.slice(count).flatMap(call => hook.verified(call, secret).Messages.map(({ Index }) => Index)),
    [first, second]
  )
})

test('an idle webhook has nothing written to the log', async t => {
  const { server, hook, secret } = await withHook(t)
  const [last = 0] = await write(server, 'load/a')
  await cursorPositionOf(server, last)
  const { durableIndex } = server.app.log
  for (let i = 0; i < 20; i++) server.advance(60_000)
  t.is((await server.send('GET', PATH)).status, 200)
  t.is(server.app.log.durableIndex, durableIndex)
  t.is(waitForDelivery(hook, secret).length, 1)
})

test('a cursor without a URL any more, or that is deleted, is sent nothing', async t => {
  const { server, hook } = await withHook(t)
  hook.answer(silence)
  await write(server, 'load/a')
  await until('the request is there', () => hook.calls.length === 1)
  const plain = hookOf(await putHook(server, {}))
  t.is(plain.URL, undefined)
  t.is(plain.Secret, undefined)
  t.is((await readHook(server)).Delivery, undefined)
  const again = hookOf(await putHook(server, { URL: hook.url }))
  t.regex(again.Secret ?? '', /^whsec_/)
  await until('it is sent again', () => hook.calls.length === 2)
  t.is((await send(server.base, 'DELETE', PATH, { token: undefined })).status, 403)
  t.is((await server.send('DELETE', PATH)).status, 200)
  await write(server, 'load/b')
  for (let i = 0; i < 50; i++) server.advance(60_000)
  t.is(hook.calls.length, 2)
})
