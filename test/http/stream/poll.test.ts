// GET /v1/events: polls of the event stream.
import test from 'ava'
import { MemoryEventLog } from '../../../events/log/memory.js'
import type { Line } from '../../support/stream.js'
import { until } from '../../support/wait.js'
import { createPolicy, createToken } from '../support.js'
import { indexOf, poll, pollUpTo } from './poll-client.js'
import { commit, event, read, streamServer } from './streams.js'

test('a poll answers with what came after an index, and says which index to ask with next', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index
  const first = commit(server, event('KV', 'a'))
  commit(server, event('Node', 'n'))
  const last = commit(server, event('KV', 'b'))
  await server.app.committer.durable()
  const answer = await poll(server, `topic=KV&index=${from}`)
  const messages: readonly Line[] = JSON.parse(answer.text)
  t.deepEqual(
    messages.map(({ Index }) => Index),
    [first, last]
  )
  t.is(indexOf(answer), last)
  t.is(answer.headers['content-type'], 'application/json')
  t.is(answer.headers['x-consul-index'], String(last))
  t.deepEqual((await poll(server, `topic=KV&after=${from}`)).text, answer.text)
})

test('a poll for which there is nothing waits for it, or for the end of its wait', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index
  const waiting = poll(server, `topic=KV&index=${from}`)
  await until('it waits', () => server.app.streams.size === 1)
  commit(server, event('Node', 'n'))
  const index = commit(server, event('KV', 'k'))
  const answer = await waiting
  t.is(indexOf(answer), index)
  t.is(JSON.parse(answer.text).length, 1)
  const passed = commit(server, event('Node', 'm'))
  // The covered index depends on timing.
  await until('one that has looked at the newest', async () => {
    const empty = await poll(server, `topic=KV&index=${index}&wait=20ms`)
    t.deepEqual([empty.status, empty.text], [200, '[]'])
    return indexOf(empty) === passed
  })
  await until('no stream', () => server.app.streams.size === 0)
})

test('a poll without an index answers at once with the newest commits', async t => {
  const server = await streamServer(t, { stream: { event_backlog: 3 } })
  for (let i = 0; i < 9; i++) commit(server, event('KV', `k${i}`))
  await server.app.committer.durable()
  const last = server.app.views.index
  const messages: readonly Line[] = JSON.parse((await poll(server, '')).text)
  t.deepEqual(
    messages.map(({ Index }) => Index),
    [last - 2, last - 1, last]
  )
})

test('a poll without an index does not wait, though nothing is selected', async t => {
  const server = await streamServer(t)
  const last = commit(server, event('KV', 'k'))
  const answer = await poll(server, 'topic=KV:nothing')
  t.deepEqual([answer.status, answer.text, indexOf(answer)], [200, '[]', last])
})

test('a poll ends at its requested end, and has at most as many messages as requested', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index
  for (let i = 0; i < 5; i++) commit(server, event('KV', `k${i}`))
  await server.app.committer.durable()
  const some = await poll(server, `topic=KV&index=${from}&limit=2`)
  const messages: readonly Line[] = JSON.parse(some.text)
  t.deepEqual(
    messages.map(({ Index }) => Index),
    [from + 1, from + 2]
  )
  t.is(indexOf(some), from + 2)
  const none = await poll(server, `topic=Node&index=${from}&until=${from + 3}`)
  t.deepEqual([none.text, indexOf(none)], ['[]', from + 3])
})

test('polls one after another miss nothing and repeat nothing, and none is large', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 8 } })
  const from = server.app.views.index
  for (let i = 0; i < 400; i++)
    commit(
      server,
      event(i % 2 ? 'KV' : 'Node', `k${i}`, i % 2 ? { Payload: { KV: { Value: 'x'.repeat(1000) } } } : {})
    )
  const last = server.app.views.index
  await server.app.committer.durable()
  const plain = await read(t, server, `topic=KV&index=${from + 1}`)
  await plain.upTo(last)
  const texts = await pollUpTo(server, 'topic=KV', from, last)
  t.true(texts.length > 2, String(texts.length))
  for (const text of texts) t.true(text.length <= 70_000, String(text.length))
  t.is(
    texts
      .map(text => text.slice(1, -1))
      .join('\n')
      .replaceAll('\n', ','),
    plain.lines.filter(line => line !== '{}').join(',')
  )
})

test('a poll is refused as a stream is', async t => {
  const server = await streamServer(t)
  const { SecretID } = await createToken(server)
  const refused: readonly (readonly [string, number, RegExp, string?])[] = [
    ['topic=KV', 403, /^Permission denied: .*'key:read'/, SecretID],
    ['', 403, /^ACL not found/, 'unknown'],
    ['index=x', 400, /^Unable to parse index/],
    ['index=-1', 400, /^Invalid index/],
    ['topic=Nonsense', 400, /unknown topic/],
    ['index=5&after=6', 400, /^Invalid after/],
    ['wait=x', 400, /^Invalid wait time/],
    ['snapshot=true', 400, /^Unknown query parameter "snapshot"/],
    ['idnex=5', 400, /^Unknown query parameter "idnex"/]
  ]
  for (const [query, status, text, token] of refused) {
    const answer = await poll(server, query, token)
    t.is(answer.status, status, query)
    t.regex(answer.text, text, query)
  }
})

test('a poll counts as a stream of its address while it waits', async t => {
  const server = await streamServer(t, { stream: { max_connections_per_address: 1 } })
  const index = server.app.views.index
  const waiting = poll(server, `topic=KV&index=${index}`)
  await until('it waits', () => server.app.streams.size === 1)
  t.is((await poll(server, `topic=KV&index=${index}`)).status, 429)
  commit(server, event('KV', 'k'))
  t.is((await waiting).status, 200)
})

test('a poll that loses its right is denied, and one at the end of the server is answered', async t => {
  const server = await streamServer(t)
  await createPolicy(server, 'keys', 'key_prefix "" { policy = "read" }')
  const { SecretID, AccessorID } = await createToken(server, { Policies: [{ Name: 'keys' }] })
  const index = server.app.views.index
  const denied = poll(server, `topic=KV&index=${index}`, SecretID)
  const answered = poll(server, `topic=KV&index=${index}`)
  await until('both wait', () => server.app.streams.size === 2)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.is((await denied).status, 403)
  await server.close()
  const { status, text } = await answered
  t.deepEqual([status, text], [200, '[]'])
})

test('a poll that begins before what is kept says so', async t => {
  const server = await streamServer(t, { log: new MemoryEventLog() })
  for (let i = 0; i < 20; i++) commit(server, event('KV', `k${i}`))
  await server.app.committer.durable()
  const oldest = server.app.views.index - 4
  await server.app.log.prune(oldest - 1)
  const answer = await poll(server, 'topic=KV&index=1')
  t.is(answer.headers['x-service-oldest-index'], String(oldest))
  t.is(JSON.parse(answer.text)[0].Index, oldest)
  const strict = await poll(server, 'topic=KV&index=1&strict=true')
  t.is(strict.status, 410)
  t.is(strict.headers['x-service-oldest-index'], String(oldest))
})

test('a client that goes away ends its poll', async t => {
  const server = await streamServer(t)
  const controller = new AbortController()
  const url = `${server.base}/v1/events?topic=KV&index=${server.app.views.index}`
  const gone = fetch(`${url}&token=${server.settings.acl.tokens.initial_management}`, {
    signal: controller.signal
  })
  await until('it waits', () => server.app.streams.size === 1)
  controller.abort()
  await t.throwsAsync(gone)
  await until('no stream', () => server.app.streams.size === 0)
})
