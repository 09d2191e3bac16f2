import test from 'ava'
import { send } from '../../support/client.js'
import { ROOT } from '../../support/server.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { createToken } from '../support.js'
import { commit, event, read, streamServer } from './streams.js'

test('without an index the stream begins with a heartbeat and the newest commits, secrets emptied', async t => {
  const server = await streamServer(t)
  const token = await createToken(server, { Description: 'seen' })
  const reader = await read(t, server)
  t.is(reader.status, 200)
  t.is(reader.headers['content-type'], 'application/json')
  t.is(reader.headers['cache-control'], 'no-cache')
  t.is(reader.headers['x-accel-buffering'], 'no')
  t.is(reader.headers['transfer-encoding'], 'chunked')
  t.is(reader.headers['x-service-index'], undefined)
  t.deepEqual(await reader.next(), {})
  const messages = await reader.upTo(token.CreateIndex)
  t.deepEqual(
    messages.map(({ Index }) => Index),
    Array.from({ length: token.CreateIndex }, (_, i) => i + 1)
  )
  const last = messages.at(-1)?.Events?.[0]
  t.like(last, {
    Topic: 'ACLToken',
    Type: 'ACLTokenUpserted',
    Key: token.AccessorID,
    FilterKeys: null,
    Index: token.CreateIndex,
    Payload: { ACLToken: { AccessorID: token.AccessorID, SecretID: '', Description: 'seen' } }
  })
  t.deepEqual(Object.keys(last ?? {}), [
    'Topic',
    'Type',
    'Key',
    'Namespace',
    'FilterKeys',
    'Index',
    'Payload'
  ])
  t.false(reader.bytes.includes(token.SecretID))
})

test('the backlog of a stream without an index is as long as configured', async t => {
  const server = await streamServer(t, { stream: { event_backlog: 2 } })
  for (let i = 0; i < 5; i++) commit(server, event('Operator', `o${i}`))
  // Only durable commits are sent.
  await server.app.committer.durable()
  const newest = server.app.views.index
  const reader = await read(t, server, 'index=0')
  t.deepEqual(
    (await reader.upTo(newest)).map(({ Index }) => Index),
    [newest - 1, newest]
  )
})

test('an index is where the stream begins, itself included', async t => {
  const server = await streamServer(t)
  const first = commit(server, event('Operator', 'a'))
  const second = commit(server, event('Operator', 'b'))
  const reader = await read(t, server, `index=${first}`)
  t.is((await reader.message()).Index, first)
  t.is((await reader.message()).Index, second)
})

test('an index that is not selected begins with the next one that is', async t => {
  const server = await streamServer(t)
  const first = commit(server, event('Operator', 'a'))
  const second = commit(server, event('KV', 'b'))
  const reader = await read(t, server, `index=${first}&topic=KV`)
  t.is((await reader.message()).Index, second)
})

test('an index of the future waits for it and delivers nothing older', async t => {
  const server = await streamServer(t)
  const now = server.app.views.index
  const reader = await read(t, server, `index=${now + 3}`)
  t.deepEqual(await reader.next(), {})
  for (let i = 0; i < 4; i++) commit(server, event('Operator', `o${i}`))
  t.is((await reader.message()).Index, now + 3)
  t.is((await reader.message()).Index, now + 4)
  t.is((await read(t, server, 'index=9223372036854775807')).status, 200)
})

test('X-Service-Resume-Index and Last-Event-ID name the last index seen and win over the index', async t => {
  const server = await streamServer(t)
  const first = commit(server, event('Operator', 'a'))
  const second = commit(server, event('Operator', 'b'))
  for (const name of ['X-Service-Resume-Index', 'X-Consul-Resume-Index', 'Last-Event-ID']) {
    const reader = await read(t, server, 'index=1', { headers: { [name]: String(first) } })
    t.is((await reader.message()).Index, second, name)
  }
})

test('all events of a commit come in one message, in their order', async t => {
  const server = await streamServer(t)
  const reader = await read(t, server, 'topic=KV')
  const keys = Array.from({ length: 64 }, (_, i) => `k${i}`)
  const index = commit(server, ...keys.map(key => event('KV', key)))
  const { Index, Events } = await reader.message()
  t.is(Index, index)
  t.deepEqual(
    Events?.map(each => each.Key),
    keys
  )
  t.true(Events?.every(each => each.Index === index))
})

test('a message holds only the events that were asked for', async t => {
  const server = await streamServer(t)
  const reader = await read(t, server, `topic=KV:b&topic=Operator&index=${server.app.views.index + 1}`)
  commit(
    server,
    event('KV', 'a'),
    event('KV', 'b'),
    event('Node', 'n', { Namespace: '' }),
    event('Operator', 'o')
  )
  t.deepEqual(
    (await reader.message()).Events?.map(({ Key }) => Key),
    ['b', 'o']
  )
})

test('a message leaves only when its commit is on disk', async t => {
  const held: (() => void)[] = []
  let hold = false
  const log = new MemoryEventLog({
    beforeFlush: () => (hold ? new Promise(resolve => held.push(resolve)) : Promise.resolve())
  })
  const server = await streamServer(t, { log, stream: { heartbeat: 20 } })
  const reader = await read(t, server, `index=${server.app.views.index + 1}`)
  hold = true
  const index = commit(server, event('Operator', 'a'))
  for (let beats = 0; beats < 5; beats++) t.deepEqual(await reader.next(), {})
  hold = false
  for (const flush of held) flush()
  t.is((await reader.message()).Index, index)
})

test('heartbeats come in their interval, also while messages do', async t => {
  const server = await streamServer(t, { stream: { heartbeat: 30 } })
  const reader = await read(t, server, `index=${server.app.views.index + 1}`)
  let [beats, messages] = [0, 0]
  while (beats < 5 || messages < 5) {
    const line = await reader.next()
    if (line.Index) messages++
    else beats++
    commit(server, event('Operator', `o${beats}-${messages}`))
  }
  t.pass()
})

test('progress heartbeats tell up to which index everything was sent', async t => {
  const server = await streamServer(t, { stream: { heartbeat: 20 } })
  const reader = await read(t, server, 'topic=KV&progress=true')
  t.like(await reader.next(), { Index: 0, Events: [] })
  const index = commit(server, event('Operator', 'not asked for'))
  for (;;) {
    const { Index, LastIndex = 0, CaughtUp } = await reader.next()
    t.true(Index === 0 || CaughtUp)
    t.true(LastIndex <= index)
    if (LastIndex === index) break
  }
})

test('what cannot be understood is refused with one line and nothing after it', async t => {
  const server = await streamServer(t)
  const refused: readonly (readonly [string, RegExp])[] = [
    ['index=abc', /^Unable to parse index: "abc" is not an integer$/],
    ['index=1.5', /^Unable to parse index: /],
    ['index=0x10', /^Unable to parse index: /],
    ['index=+5', /^Unable to parse index: /],
    ['index=99999999999999999999', /^Unable to parse index: .* is out of range$/],
    ['index=-1', /^Invalid index: "-1" is negative$/],
    ['wait=abc', /^Invalid wait time: /],
    ['topic=Foo', /^Invalid topic query: unknown topic "Foo"$/],
    ['topic=aclToken', /^Invalid topic query: unknown topic/],
    ['topic=', /^Invalid topic query: the topic is empty/],
    ['topic=:a', /^Invalid topic query: the topic is empty/],
    ['topic=KV:', /^Invalid topic query: the key is empty/],
    ['strict=maybe', /^Invalid strict: /]
  ]
  for (const [query, expected] of refused) {
    const answer = await send(server.base, 'GET', `/v1/event/stream?${query}`)
    t.is(answer.status, 400, query)
    t.regex(answer.text, expected)
  }
})

test('what has no effect is accepted', async t => {
  const server = await streamServer(t)
  for (const query of [
    'pretty',
    'stale&consistent',
    'index=&index=zz',
    'index=007',
    'wait=5s',
    'dc=dc1',
    'namespace=nosuch'
  ]) {
    const reader = await read(t, server, query)
    t.is(reader.status, 200, query)
    t.deepEqual(await reader.next(), {})
    reader.close()
  }
  for (const topic of [
    'Job',
    'Allocation',
    'CSIPlugin',
    'Variable',
    'NodePool',
    'NodeDrain',
    'ACLRoles',
    '*:k'
  ])
    t.is((await read(t, server, `topic=${topic}`)).status, 200, topic)
})

test('other methods are refused, and the path is exact', async t => {
  const server = await streamServer(t)
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD'])
    t.is((await server.send(method, '/v1/event/stream')).status, 405, method)
  t.is((await server.send('GET', '/v1/event/stream/')).status, 404)
})

test('an address has as many streams as configured, then 429 with the limit', async t => {
  const server = await streamServer(t, { stream: { max_connections_per_address: 2 } })
  const first = await read(t, server)
  await read(t, server)
  const third = await send(server.base, 'GET', '/v1/event/stream', { token: ROOT })
  t.is(third.status, 429)
  t.regex(third.text, /the limit is 2 \(stream\.max_connections_per_address\)/)
  first.close()
  for (;;) {
    const again = await read(t, server)
    if (again.status === 200) break
  }
  t.pass()
})

test('the end of the server ends a stream with a last line and a proper end', async t => {
  const server = await streamServer(t)
  const index = commit(server, event('Operator', 'a'))
  const reader = await read(t, server)
  await reader.upTo(index)
  const closed = server.close()
  t.deepEqual(await reader.message(), {
    Error: { Code: 503, Message: 'server shutting down' },
    LastIndex: index
  })
  t.is(await reader.end(), 'ended')
  t.is(reader.rest, '')
  await closed
})

test('the metrics count open streams', async t => {
  const server = await streamServer(t)
  const reader = await read(t, server)
  await reader.next()
  t.regex(await server.app.metrics.prometheus(), /annals_event_streams 1\n/)
  t.regex(await server.app.metrics.prometheus(), /annals_event_stream_lag \d+\n/)
})
