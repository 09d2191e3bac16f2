// The subscriptions that operators see.
import test from 'ava'
import type { EndedStream, OpenStream } from '../../../http/schemas/event-subscriptions.js'
import type { TestServer } from '../../support/server.js'
import { send } from '../../support/client.js'
import { until } from '../../support/wait.js'
import { createPolicy, createToken, secretWith } from '../support.js'
import { commit, event, read, streamServer } from './streams.js'

interface Subscriptions {
  readonly Open: readonly OpenStream[]
  readonly Ended: readonly EndedStream[]
}

const readSubscriptions = async (server: TestServer): Promise<Subscriptions> => {
  const { status, text } = await server.send('GET', '/v1/event/subscriptions')
  if (status !== 200) throw new Error(`answered ${status} ${text}`)
  const answer: Subscriptions = JSON.parse(text)
  return answer
}

test('each open stream is listed with its request and its position', async t => {
  const server = await streamServer(t)
  const token = await createToken(server, {
    Policies: [{ ID: await createPolicy(server, 'some', 'key_prefix "" { policy = "read" }') }]
  })
  const filter = encodeURIComponent('Key matches "a"')
  const headers = { accept: 'text/event-stream', 'X-Service-Request-Id': 'mine' }
  const first = await read(t, server, `topic=KV:a/&topic=KV:b&type=KVSet&filter=${filter}&ns=default`, {
    token: token.SecretID,
    headers
  })
  const second = await read(t, server, 'topic=any&index=now')
  const index = commit(server, event('KV', 'elsewhere'))
  await server.app.committer.durable()
  await until('both have come so far', async () =>
    (await readSubscriptions(server)).Open.every(({ LastIndex }) => LastIndex === index)
  )
  const { Open, Ended } = await readSubscriptions(server)
  t.deepEqual(Ended, [])
  t.like(Open[0], {
    AccessorID: token.AccessorID,
    Address: '127.0.0.1',
    RequestID: 'mine',
    Wire: 'sse',
    Topics: ['KV:a/', 'KV:b'],
    Types: ['KVSet'],
    Filter: 'Key matches "a"',
    Namespace: 'default',
    Partition: 'default',
    Cursor: '',
    State: 'live',
    LagCommits: 0,
    BytesWaiting: 0
  })
  t.like(Open[1], { Wire: 'ndjson', Topics: ['any'], Types: [], Filter: '' })
  t.not(Open[0]?.ID, Open[1]?.ID)
  t.false(Number.isNaN(Date.parse(Open[0]?.Since ?? '')))
  t.false(JSON.stringify(Open).includes(token.SecretID))
  first.close()
  second.close()
})

test('a reader that lags is listed with its lag and the waiting bytes', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 4 } })
  const slow = await read(t, server, 'topic=KV&index=now')
  await slow.next()
  slow.pause()
  const change = event('KV', 'k', { Payload: { KV: { Value: 'x'.repeat(100_000) } } })
  // More than the buffers of the connection hold. Further writes would slow the reader down.
  for (let i = 0; i < 200; i++) commit(server, change)
  await server.app.committer.durable()
  await until('it lags', async () => {
    const [one] = (await readSubscriptions(server)).Open
    return one?.State === 'behind' && one.LagCommits > 4 && one.BytesWaiting > 0
  })
  t.pass()
})

test('the last ended streams are listed with their reasons, the newest first', async t => {
  const server = await streamServer(t)
  const policy = await createPolicy(server, 'some', 'key_prefix "" { policy = "read" }')
  const { SecretID: token } = await createToken(server, { Policies: [{ ID: policy }] })
  const gone = await read(t, server, 'topic=KV')
  gone.close()
  await until('it is listed', async () => (await readSubscriptions(server)).Ended.length === 1)
  const refused = await read(t, server, 'topic=KV', { token })
  await server.send('DELETE', `/v1/acl/policy/${policy}`)
  await refused.end()
  const { Open, Ended } = await readSubscriptions(server)
  t.deepEqual(Open, [])
  t.deepEqual(
    Ended.map(({ Code, Reason }) => [Code, Reason]),
    [
      [403, 'subscription closed by server, client should resubscribe'],
      [0, 'the reader has gone']
    ]
  )
  t.true(Ended.every(({ Since, EndedAt }) => Date.parse(Since) <= Date.parse(EndedAt)))
})

test('at most the last hundred ended streams are listed', async t => {
  const server = await streamServer(t, { stream: { max_connections_per_address: 0 } })
  const readers = await Promise.all(Array.from({ length: 105 }, () => read(t, server, 'topic=KV')))
  for (const reader of readers) reader.close()
  await until('all have ended', () => server.app.streams.size === 0)
  t.is((await readSubscriptions(server)).Ended.length, 100)
})

test('it takes operator:read, and no parameter that it does not know', async t => {
  const server = await streamServer(t)
  const token = await secretWith(server, 'some', 'key_prefix "" { policy = "read" }')
  const denied = await send(server.base, 'GET', '/v1/event/subscriptions', { token })
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'operator:read'/)
  const unknown = await server.send('GET', '/v1/event/subscriptions?wire=sse')
  t.is(unknown.status, 400)
  t.regex(unknown.text, /^Unknown query parameter "wire"/)
})
