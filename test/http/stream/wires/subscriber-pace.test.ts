// WebSockets of `annals.v1` with clients that do not read, send too much, or are gone.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import test from 'ava'
import type { Scope } from '../../../support/process.js'
import { until } from '../../../support/wait.js'
import { commit, event, streamServer } from '../streams.js'
import { connect } from './subscribers.js'

/** The server's side of later connections. */
const watchConnections = (t: Scope): readonly Socket[] => {
  const sockets: Socket[] = []
  const listener = (message: unknown): void => {
    if (
      typeof message === 'object' &&
      message !== null &&
      'socket' in message &&
      message.socket instanceof Socket
    )
      sockets.push(message.socket)
  }
  subscribe('net.server.socket', listener)
  t.teardown(() => void unsubscribe('net.server.socket', listener))
  return sockets
}

test('subscriptions of a slow reader lose nothing, cost bounded memory, and take turns', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 16, recentSize: 1_000_000 } })
  const sockets = watchConnections(t)
  const client = await connect(t, server)
  const ids = ['a', 'b', 'c', 'd']
  const from = server.app.views.index + 1
  for (const id of ids) client.subscribe(id, { Topics: ['KV'], Index: from })
  await until('all of them', () => client.texts.length === ids.length)
  client.socket.pause()
  const value = 'x'.repeat(60_000)
  const count = 80
  for (let i = 0; i < count; i++) {
    commit(server, event('KV', `k${i}`, { Payload: { KV: { Value: value } } }))
    await server.app.committer.durable()
  }
  await until('they are behind', () => server.app.streams.lag > 16)
  const held = await until(
    'something is held',
    () => sockets.reduce((sum, { writableLength }) => sum + writableLength, 0) || undefined
  )
  t.true(held <= 256 * 1024, `${held} bytes are held for the slow reader`)
  client.socket.resume()
  await until('everything', () => ids.every(id => client.messagesOf(id).length === count))
  for (const id of ids)
    t.deepEqual(
      client.messagesOf(id).map(text => /^\{"Index":(\d+)/.exec(text)?.[1]),
      Array.from({ length: count }, (_, i) => String(from + i))
    )
})

test('a flood of messages without a reader of the responses waits, and is then answered completely and in order', async t => {
  const server = await streamServer(t)
  const sockets = watchConnections(t)
  const client = await connect(t, server)
  client.subscribe('a', { Topics: ['KV'] })
  t.deepEqual(await client.next(), { ID: 'a' })
  client.socket.pause()
  const name = 'x'.repeat(50)
  const count = 40_000
  for (let i = 0; i < count; i++) client.say({ Unsubscribe: `${name}${i}` })
  await until('the server stops reading', () => sockets.some(socket => socket.writableLength > 32 * 1024))
  await server.send('GET', '/v1/status/leader')
  const held = sockets.reduce((sum, { writableLength }) => sum + writableLength, 0)
  t.true(held <= 256 * 1024, `${held} bytes are held for the slow reader`)
  client.socket.resume()
  await until('every answer', () => client.texts.length === count + 1)
  t.deepEqual(
    client.texts.slice(1).map(text => /^\{"ID":"x{50}(\d+)","Error":\{"Code":404/.exec(text)?.[1]),
    Array.from({ length: count }, (_, i) => String(i))
  )
})

test('a reader that takes nothing is closed', async t => {
  const server = await streamServer(t, { stream: { write_timeout: 300 } })
  const client = await connect(t, server)
  client.subscribe('a', { Topics: ['KV'] })
  await client.next()
  client.socket.pause()
  const value = 'x'.repeat(100_000)
  await until('the stream is closed', async () => {
    commit(server, event('KV', 'k', { Payload: { KV: { Value: value } } }))
    await server.app.committer.durable()
    return server.app.streams.size === 0
  })
  t.pass()
})

test('a connection is pinged, and closed without an answer', async t => {
  const server = await streamServer(t, { stream: { heartbeat: 50 } })
  const [answering, silent] = [await connect(t, server), await connect(t, server, { autoPong: false })]
  let pings = 0
  answering.socket.on('ping', () => pings++)
  t.is((await silent.end()).code, 1006)
  const seen = pings
  await until('more pings', () => pings > seen + 5)
  t.is(answering.closed, undefined)
})
