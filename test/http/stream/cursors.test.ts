import test, { type ExecutionContext } from 'ava'
import { CursorPositions } from '../../../actors/processes/cursor-positions.js'
import type { TestServer } from '../../support/server.js'
import type { StreamReader } from '../../support/stream.js'
import { until } from '../../support/wait.js'
import { createPolicy, createToken, indexOf } from '../support.js'
import { read, streamServer, type StreamServerOptions } from './streams.js'
import { connect } from './wires/subscribers.js'

const PATH = '/v1/event/cursor/loader'

const write = async (server: TestServer, key: string): Promise<number> =>
  indexOf(await server.send('PUT', `/v1/kv/${key}`, { body: 'value' }))

/** Starts a server with a cursor of load/, and returns the first index of its events. */
const withCursor = async (t: ExecutionContext, body: object = {}, options: StreamServerOptions = {}) => {
  const server = await streamServer(t, options)
  const made = await server.send('PUT', PATH, { body: { Topics: ['KV:load/'], ...body } })
  t.is(made.status, 200, made.text)
  return { server, begin: indexOf(made) }
}

/** Returns the keys of the next message. */
const nextKeys = async (reader: StreamReader): Promise<readonly string[]> => {
  for (;;) {
    const { Events } = await reader.next()
    if (Events && Events.length > 0) return Events.map(({ Key }) => Key)
  }
}

/** Moves the cursor, and advances the clock by the second that moves wait for. */
const move = async (server: TestServer, index: number): Promise<void> => {
  const positions = server.scope.resolve(CursorPositions)
  let isMoved = false
  const moved = positions.advance('loader', index).then(() => (isMoved = true))
  await until('the move is on disk', () => {
    server.advance(1000)
    return isMoved
  })
  await moved
}

test('a stream that reads by a cursor starts behind it, and carries what the cursor is of', async t => {
  const { server } = await withCursor(t)
  const first = await write(server, 'load/a')
  await write(server, 'other')
  await write(server, 'load/b')
  const reader = await read(t, server, 'cursor=loader')
  t.deepEqual([await nextKeys(reader), await nextKeys(reader)], [['load/a'], ['load/b']])
  reader.close()
  await move(server, first)
  const again = await read(t, server, 'cursor=loader')
  t.deepEqual(await nextKeys(again), ['load/b'])
})

test('the second reader of a cursor waits, and continues where the first stopped', async t => {
  const { server } = await withCursor(t, {}, { stream: { heartbeat: 20 } })
  const first = await read(t, server, 'cursor=loader')
  const second = await read(t, server, 'cursor=loader')
  const index = await write(server, 'load/a')
  t.deepEqual(await nextKeys(first), ['load/a'])
  await until('the second has had some heartbeats', () => second.lines.length > 3)
  t.true(second.lines.every(line => line === '{}'))
  await move(server, index)
  await write(server, 'load/b')
  t.deepEqual(await nextKeys(first), ['load/b'])
  first.close()
  t.deepEqual(await nextKeys(second), ['load/b'])
})

test('what a cursor says itself cannot be asked for beside it', async t => {
  const { server } = await withCursor(t)
  for (const [query, text] of [
    ['topic=KV', /Invalid topic: cursor and topic cannot both be given/],
    ['type=KVSet', /Invalid type: cursor and type/],
    ['filter=Key==a', /Invalid filter: cursor and filter/],
    ['index=4', /index and cursor cannot both be given/],
    ['snapshot=true', /snapshot/],
    ['ns=other', /Invalid ns: .*the cursor is of "default", and not of "other"/]
  ] as const) {
    const answer = await server.send('GET', `/v1/event/stream?cursor=loader&${query}`)
    t.is(answer.status, 400, query)
    t.regex(answer.text, text)
  }
  t.is((await read(t, server, 'cursor=loader&ns=default')).status, 200)
  t.is((await server.send('GET', '/v1/event/stream?cursor=none')).status, 404)
  t.is((await server.send('GET', '/v1/event/stream?cursor=a%20b')).status, 400)
})

test('only its owner and operators read by a cursor', async t => {
  const { server } = await withCursor(t)
  const ID = await createPolicy(server, 'load', 'key_prefix "load/" { policy = "read" }')
  const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
  const answer = await server.send('GET', '/v1/event/stream?cursor=loader', { token })
  t.is(answer.status, 403)
  t.regex(answer.text, /lacks permission 'operator:write'/)
})

test('who loses the right to the cursors of others reads by none of them any more', async t => {
  const { server } = await withCursor(t)
  const ID = await createPolicy(
    server,
    'operator',
    'operator = "write" key_prefix "load/" { policy = "read" }'
  )
  const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
  const reader = await read(t, server, 'cursor=loader', { token })
  await server.send('PUT', `/v1/acl/policy/${ID}`, {
    body: { Name: 'operator', Rules: 'key_prefix "load/" { policy = "read" }' }
  })
  t.is((await reader.last()).Error?.Code, 403)
})

test('a reader that takes nothing loses its cursor to the one that waits', async t => {
  const { server } = await withCursor(t, { Lease: '5s' })
  const stuck = await read(t, server, 'cursor=loader')
  const waiting = await read(t, server, 'cursor=loader')
  stuck.pause()
  const large = 'x'.repeat(500_000)
  let writes = 0
  await until('the second has taken over', async () => {
    await server.send('PUT', '/v1/kv/load/large', { body: `${writes++}${large}` })
    server.advance(2000)
    return waiting.lines.some(line => line !== '{}')
  })
  stuck.resume()
  t.like((await stuck.last()).Error, { Code: 409 })
  t.deepEqual(await nextKeys(waiting), ['load/large'])
})

test('a stream ends with a last line when its cursor is deleted, or is of other events', async t => {
  const { server } = await withCursor(t)
  const redefined = await read(t, server, 'cursor=loader')
  await server.send('PUT', PATH, { body: { Topics: ['Node'] } })
  t.like(await redefined.last(), { Error: { Code: 409 } })
  const deleted = await read(t, server, 'cursor=loader')
  const waiting = await read(t, server, 'cursor=loader')
  await server.send('DELETE', PATH)
  for (const reader of [deleted, waiting])
    t.like(await reader.last(), { Error: { Code: 404, Message: 'the cursor was deleted' } })
})

test('a subscription acknowledges over its WebSocket', async t => {
  const { server, begin } = await withCursor(t)
  const client = await connect(t, server)
  client.subscribe('a', { Cursor: 'loader' })
  const index = await write(server, 'load/a')
  await client.find(line => line.Index === index)
  client.say({ Ack: { ID: 'a', Index: index } })
  const cursor = () => server.app.views.cursors.get('loader')?.Index
  t.is(cursor(), begin)
  await until('the cursor is moved', () => {
    server.advance(1000)
    return cursor() === index
  })
  client.say({ Ack: { ID: 'a', Index: index + 100 } })
  t.regex((await client.error()).Error?.Message ?? '', /Index \d+ was not sent: the last that was is/)
})

test('a reader of everything is not sent that it acknowledged', async t => {
  const { server } = await withCursor(t, { Topics: ['*'], Namespace: '*' })
  const reader = await read(t, server, 'cursor=loader')
  const byName = await read(t, server, 'topic=Cursor&index=now')
  const index = await write(server, 'load/a')
  t.deepEqual(await nextKeys(reader), ['load/a'])
  await move(server, index)
  const { Events: [moved] = [] } = await byName.message()
  t.like(moved, { Topic: 'Cursor', Type: 'CursorMoved', Key: 'loader' })
  await write(server, 'load/b')
  t.deepEqual(await nextKeys(reader), ['load/b'])
})
