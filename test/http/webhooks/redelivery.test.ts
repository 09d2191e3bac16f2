import test from 'ava'
import { status } from '../../support/webhook-receiver.js'
import { inTime, PATH, putHook, readHook, waitForDelivery, withHook, write } from './support.js'

const CONFIG = { outgoing: { allow: ['127.0.0.1'] }, webhook: { attempts: 1, batch_messages: 1 } }

test('what a webhook gave up is listed, and sent again singly, by range or all, until a request fails', async t => {
  const { server, hook, secret } = await withHook(t, { config: CONFIG })
  const redeliver = async (body: object): Promise<readonly object[]> => {
    const { status: code, text } = await server.send('POST', `${PATH}/redeliver`, { body })
    t.is(code, 200, text)
    return JSON.parse(text)
  }
  hook.answer(status(500))
  const [a = 0, b = 0, c = 0] = await write(server, 'load/a', 'load/b', 'load/c')
  const given = await inTime(server, 'all are given up', async () => {
    const cursor = await readHook(server)
    return cursor.DeadLetters === 3 && cursor
  })
  t.like(given, {
    Undelivered: [a, b, c].map(index => ({ From: index, To: index, Reason: 'answered 500' }))
  })
  t.like(await redeliver({ From: a }), [{ From: a, To: a - 1, Messages: 0, Reason: 'answered 500' }])
  hook.answer(status(204))
  const before = hook.calls.length
  t.deepEqual(await redeliver({ From: b }), [{ From: b, To: b, Messages: 1 }])
  t.deepEqual(waitForDelivery(hook, secret).slice(before), [b])
  t.like(await readHook(server), { Undelivered: [{ From: a }, { From: c }], DeadLetters: 3 })
  t.deepEqual(await redeliver({ From: a, To: c }), [{ From: a, To: c, Messages: 3 }])
  t.false('Undelivered' in (await readHook(server)))
  t.deepEqual(await redeliver({}), [])
  t.is((await readHook(server)).Index, given.Index, 'the cursor stays')
})

test('all dead letters are sent again in their order', async t => {
  const { server, hook, secret } = await withHook(t, { config: CONFIG })
  hook.answer(status(503))
  const [a = 0, b = 0] = await write(server, 'load/a', 'load/b')
  await inTime(server, 'both are given up', async () => (await readHook(server)).DeadLetters === 2)
  hook.answer(status(204))
  const before = hook.calls.length
  const { text } = await server.send('POST', `${PATH}/redeliver`, { body: {} })
  t.like(JSON.parse(text), [
    { From: a, To: a, Messages: 1 },
    { From: b, To: b, Messages: 1 }
  ])
  t.deepEqual(waitForDelivery(hook, secret).slice(before), [a, b])
})

test('a redelivery that cannot be is refused', async t => {
  const { server, hook } = await withHook(t, { config: CONFIG })
  await server.send('PUT', '/v1/event/cursor/plain', { body: { Topics: ['KV'] } })
  const { Index } = await readHook(server)
  for (const [path, body, code, text] of [
    [PATH, { From: Index + 1 }, 400, /Invalid Cursor: Index/],
    [PATH, { From: 2, To: 1 }, 400, /Invalid To/],
    [PATH, { To: 1 }, 400, /Invalid To: it needs From/],
    ['/v1/event/cursor/plain', { From: 1 }, 409, /has no URL/],
    ['/v1/event/cursor/none', { From: 1 }, 404, /does not exist/]
  ] as const) {
    const answer = await server.send('POST', `${path}/redeliver`, { body })
    t.is(answer.status, code, answer.text)
    t.regex(answer.text, text)
  }
  t.is((await putHook(server, { URL: hook.url, Secret: '<hidden>' })).status, 200)
})
