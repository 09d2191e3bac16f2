// One WebSocket of `annals.v1`, on which a client subscribes and unsubscribes.
import test from 'ava'
import { WebSocket } from 'ws'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { ROOT } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken } from '../../support.js'
import { commit, event, read, streamServer } from '../streams.js'
import { connect } from './subscribers.js'

const MANAGEMENT = { Policies: [{ Name: 'global-management' }] }

test('subscriptions of one connection get the lines of streams of their own, each with its ID', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 8 } })
  const from = server.app.views.index + 1
  for (let i = 0; i < 30; i++) commit(server, event(i % 3 ? 'KV' : 'Node', `k${i}`))
  const client = await connect(t, server)
  client.subscribe('keys', { Topics: ['KV'], Index: from })
  client.subscribe('all', { Index: from })
  const [keys, all] = [
    await read(t, server, `topic=KV&index=${from}`),
    await read(t, server, `index=${from}`)
  ]
  const last = commit(server, event('KV', 'live'))
  await Promise.all([keys.upTo(last), all.upTo(last)])
  const isMessage = (line: string): boolean => line !== '{}'
  await until(
    'all of them',
    () => client.messagesOf('keys').length + client.messagesOf('all').length >= 21 + 31
  )
  t.deepEqual(client.messagesOf('keys'), keys.lines.filter(isMessage))
  t.deepEqual(client.messagesOf('all'), all.lines.filter(isMessage))
  t.is(client.texts.filter(text => text === '{"ID":"keys"}').length, 1)
  t.is(server.app.streams.size, 4)
})

test('a client that ends a subscription receives its last index, and the other subscriptions continue', async t => {
  const server = await streamServer(t)
  const client = await connect(t, server)
  const from = server.app.views.index + 1
  client.subscribe('a', { Topics: ['KV'], Index: from })
  client.subscribe('b', { Topics: ['KV'], Index: from })
  const first = commit(server, event('KV', 'first'))
  await until('two messages', () => client.messagesOf('a').length + client.messagesOf('b').length === 2)
  client.say({ Unsubscribe: 'a' })
  t.deepEqual(await client.find(({ End }) => End !== undefined), {
    ID: 'a',
    End: 'unsubscribed',
    LastIndex: first
  })
  t.is(server.app.streams.size, 1)
  const second = commit(server, event('KV', 'second'))
  t.like(await client.find(({ Index }) => Index === second), { ID: 'b' })
  client.subscribe('a', { Topics: ['KV'], Index: second })
  t.like(await client.find(({ ID, Index }) => ID === 'a' && Index !== undefined), { Index: second })
  client.say({ Unsubscribe: 'unknown' })
  t.like(await client.error(), { ID: 'unknown', Error: { Code: 404 } })
})

test('a subscription begins with what is true now and ends where it is asked to', async t => {
  const server = await streamServer(t)
  for (const key of ['a', 'b']) await server.send('PUT', `/v1/kv/${key}`, { body: key })
  const client = await connect(t, server)
  const Index = server.app.views.index
  client.subscribe('all', { Topics: ['KV'], Snapshot: true, Limit: 1 })
  t.deepEqual(await client.find(({ Snapshot }) => Snapshot !== undefined), {
    ID: 'all',
    Snapshot: 'end',
    Index
  })
  t.is(client.messagesOf('all').length, 2)
  const index = commit(server, event('KV', 'c'))
  const ended = await client.find(({ End }) => End !== undefined)
  t.deepEqual(ended, { ID: 'all', End: 'limit', LastIndex: index })
  client.subscribe('all', { Topics: ['KV'], After: Index, Until: index })
  t.deepEqual(await client.find(({ End }) => End !== undefined), {
    ID: 'all',
    End: 'until',
    LastIndex: index
  })
  t.is(server.app.streams.size, 0)
})

test('what is refused is refused for its subscription alone', async t => {
  const server = await streamServer(t)
  await createPolicy(server, 'keys', 'key_prefix "" { policy = "read" }')
  const { SecretID: token } = await createToken(server, { Policies: [{ Name: 'keys' }] })
  const client = await connect(t, server, { token })
  client.subscribe('mine', { Topics: ['KV'], Index: server.app.views.index + 1 })
  const refused: readonly (readonly [object, number, RegExp])[] = [
    [{ ID: 'x', Topics: ['Node'] }, 403, /^Permission denied: .*'node:read'/],
    [{ ID: 'x' }, 403, /'acl:write'/],
    [{ ID: 'x', Topics: ['Nonsense'] }, 400, /unknown topic "Nonsense"/],
    [{ ID: 'x', Topics: ['KV'], Index: 'x' }, 400, /^Unable to parse index/],
    [{ ID: 'mine', Topics: ['KV'] }, 409, /there is a subscription "mine" already/]
  ]
  for (const [said, Code, text] of refused) {
    client.say({ Subscribe: said })
    const { ID, Error } = await client.error()
    t.deepEqual([ID, Error?.Code], ['ID' in said ? said.ID : '', Code], JSON.stringify(said))
    t.regex(Error?.Message ?? '', text)
  }
  const index = commit(server, event('KV', 'k'))
  t.like(await client.find(({ Index }) => Index !== undefined), { ID: 'mine', Index: index })
  t.is(client.closed, undefined)
})

test('a token may come in the first message, where it counts in place of any other', async t => {
  const server = await streamServer(t)
  const anonymous = await connect(t, server, { isAnonymous: true })
  anonymous.subscribe('a', { Topics: ['KV'] })
  t.like(await anonymous.error(), { ID: 'a', Error: { Code: 403 } })
  anonymous.say({ Token: ROOT })
  t.like(await anonymous.error(), {
    Error: { Code: 400, Message: 'Invalid message: Token must be the first message' }
  })
  const client = await connect(t, server, { isAnonymous: true })
  client.say({ Token: ROOT })
  client.subscribe('a')
  t.deepEqual(await client.next(), { ID: 'a' })
})

test('a token that is not valid ends the connection, and counts as a failure of its address', async t => {
  const server = await streamServer(t)
  const client = await connect(t, server, { isAnonymous: true })
  client.say({ Token: 'unknown' })
  client.subscribe('a')
  t.deepEqual(await client.next(), { Error: { Code: 403, Message: 'ACL not found' } })
  t.deepEqual(await client.end(), { code: 1008, reason: 'token refused' })
  t.is(client.texts.length, 1)
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  t.regex(text, /^annals_auth_failures_total\{credential="token"\} 1$/m)
})

test('guesses at tokens are answered 429 as those of requests are', async t => {
  const server = await streamServer(t, { config: { limits: { auth_failures: 1, auth_failures_burst: 1 } } })
  const clients = await Promise.all(
    Array.from({ length: 5 }, () => connect(t, server, { isAnonymous: true }))
  )
  for (const client of clients) client.say({ Token: 'unknown' })
  const codes = await Promise.all(clients.map(async client => (await client.error()).Error?.Code))
  t.true(codes.includes(403) && codes.includes(429), String(codes))
  t.true((await Promise.all(clients.map(client => client.end()))).every(({ code }) => code === 1008))
})

test('malformed messages are rejected, and too many of them end the connection', async t => {
  const server = await streamServer(t)
  const client = await connect(t, server)
  client.subscribe('a', { Topics: ['KV'] })
  t.deepEqual(await client.next(), { ID: 'a' })
  client.say('nonsense')
  t.like(await client.error(), { Error: { Code: 400 } })
  client.socket.send(Buffer.from('{"Unsubscribe":"a"}'), { binary: true })
  t.deepEqual((await client.error()).Error, { Code: 400, Message: 'Invalid message: messages must be text' })
  client.say({ Subscribe: { ID: 'b', Topic: 'KV' } })
  t.deepEqual(await client.error(), {
    ID: 'b',
    Error: { Code: 400, Message: 'Invalid message: unknown field "Subscribe.Topic"' }
  })
  const index = commit(server, event('KV', 'k'))
  t.like(await client.find(({ Index }) => Index === index), { ID: 'a' })
  for (let i = 0; i < 20; i++) client.say('{')
  t.deepEqual(await client.end(), { code: 1008, reason: 'too many invalid messages' })
  t.is(client.texts.filter(text => text.includes('"Error"')).length, 10)
  await until('no stream', () => server.app.streams.size === 0)
})

test('a message that is too long closes the connection', async t => {
  const server = await streamServer(t)
  const client = await connect(t, server)
  client.say(JSON.stringify({ Token: 'x'.repeat(70_000) }))
  t.is((await client.end()).code, 1009)
})

test('a connection has a bounded number of subscriptions, which count as streams of its address', async t => {
  const stream = { max_subscriptions_per_connection: 2, max_connections_per_address: 3 }
  const server = await streamServer(t, { stream })
  const client = await connect(t, server)
  for (const id of ['a', 'b', 'c']) client.subscribe(id, { Topics: ['KV'] })
  const { ID, Error } = await client.error()
  t.deepEqual([ID, Error?.Code], ['c', 429])
  t.regex(Error?.Message ?? '', /the limit is 2 \(stream.max_subscriptions_per_connection\)/)
  const other = await connect(t, server)
  for (const id of ['a', 'b']) other.subscribe(id, { Topics: ['KV'] })
  t.regex((await other.error()).Error?.Message ?? '', /the limit is 3 \(stream.max_connections_per_address\)/)
  client.say({ Unsubscribe: 'a' })
  client.subscribe('c', { Topics: ['KV'] })
  t.deepEqual(await client.find(line => line.ID === 'c'), { ID: 'c' })
})

test('a connection that subscribes to nothing in time is closed, one with a subscription is not', async t => {
  const server = await streamServer(t, { config: { limits: { request_timeout: '2s' } } })
  const busy = await connect(t, server)
  busy.subscribe('a', { Topics: ['KV'] })
  const idle = await connect(t, server)
  t.deepEqual(await idle.end(), { code: 1008, reason: 'no subscription in time' })
  t.is(busy.closed, undefined)
  busy.say({ Unsubscribe: 'a' })
  t.is((await busy.end()).code, 1008)
})

test('a deleted token ends its subscriptions, each with a last line', async t => {
  const server = await streamServer(t)
  const { AccessorID, SecretID: token } = await createToken(server, MANAGEMENT)
  const client = await connect(t, server, { token })
  for (const id of ['a', 'b']) client.subscribe(id, { Topics: ['KV'] })
  await until('both', () => client.texts.length === 2)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  const ended = [await client.error(), await client.error()]
  t.deepEqual(ended.map(({ ID, Error }) => `${ID} ${Error?.Code}`).toSorted(), ['a 403', 'b 403'])
  client.subscribe('c', { Topics: ['KV'] })
  t.deepEqual(await client.error(), { ID: 'c', Error: { Code: 403, Message: 'ACL not found' } })
})

test('the end of the server ends the subscriptions, then the connections', async t => {
  const server = await streamServer(t)
  const [client, idle] = [await connect(t, server), await connect(t, server)]
  client.subscribe('a', { Topics: ['KV'] })
  await client.next()
  await server.close()
  t.like(await client.error(), { ID: 'a', Error: { Code: 503 } })
  t.is((await client.end()).code, 1001)
  t.is((await idle.end()).code, 1001)
})

test('a client that goes away leaves nothing', async t => {
  const server = await streamServer(t)
  const client = await connect(t, server)
  for (const id of ['a', 'b']) client.subscribe(id, { Topics: ['KV'] })
  await until('both', () => server.app.streams.size === 2)
  client.socket.terminate()
  await until('none', () => server.app.streams.size === 0)
  t.pass()
})

test('what the query says of a subscription is refused, for it belongs into a message', async t => {
  const server = await streamServer(t)
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/event/stream?topic=KV`, 'annals.v1', {
    headers: { 'X-Service-Token': ROOT }
  })
  t.teardown(() => socket.terminate())
  socket.on('error', () => {})
  const status = await new Promise(resolve =>
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode))
  )
  t.is(status, 400)
})

test('a subscription that begins before what is kept hears so first', async t => {
  const server = await streamServer(t, { log: new MemoryEventLog() })
  for (let i = 0; i < 20; i++) commit(server, event('KV', `k${i}`))
  await server.app.committer.durable()
  const oldest = server.app.views.index - 4
  await server.app.log.prune(oldest - 1)
  const client = await connect(t, server)
  client.subscribe('a', { Topics: ['KV'], Index: 1 })
  t.deepEqual(await client.next(), { ID: 'a', OldestIndex: oldest })
  t.like(await client.find(({ Index }) => Index !== undefined), { ID: 'a', Index: oldest })
  client.subscribe('b', { Topics: ['KV'], Index: 1, Strict: true })
  t.like(await client.error(), { ID: 'b', Error: { Code: 410 } })
})
