// The same messages on every wire with real clients, and the selection of the wire.
import { spawn } from 'node:child_process'
import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import test from 'ava'
import { WebSocket } from 'ws'
import type { Scope } from '../../../support/process.js'
import { missing } from '../../../support/programs.js'
import { ROOT, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { pollUpTo } from '../poll-client.js'
import { commit, event, read, streamServer } from '../streams.js'
import { connect } from './subscribers.js'

/** Messages received so far, as texts. */
type Messages = () => readonly string[]

const isMessage = (line: string): boolean => line.startsWith('{"Index":')
const linesOf = (text: string): readonly string[] => text.split('\n').filter(isMessage)

/** Opens a reader of a query from an index on. */
type Wire = (t: Scope, server: TestServer, topics: readonly string[], from: number) => Promise<Messages>

const queryOf = (topics: readonly string[], from: number): string =>
  [...topics.map(topic => `topic=${encodeURIComponent(topic)}`), `index=${from}`].join('&')

/** Returns the message of a server-sent event, whose ID is its index. */
const messageIn = (text: string): readonly string[] => {
  const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(text) ?? []
  return data?.startsWith(`{"Index":${id},`) ? [data] : []
}

const compressed =
  (coding: 'gzip' | 'zstd'): Wire =>
  async (t, server, topics, from) => {
    const headers = { 'Accept-Encoding': coding }
    const reader = await read(t, server, queryOf(topics, from), { headers })
    return () => {
      if (reader.bytes.length === 0) return []
      const whole =
        coding === 'gzip'
          ? gunzipSync(reader.bytes, { finishFlush: constants.Z_SYNC_FLUSH })
          : zstdDecompressSync(reader.bytes, { finishFlush: constants.ZSTD_e_flush })
      return linesOf(whole.toString())
    }
  }

const wires: Readonly<Record<string, Wire>> = {
  lines: async (t, server, topics, from) => {
    const reader = await read(t, server, queryOf(topics, from))
    return () => reader.lines.filter(isMessage)
  },
  gzip: compressed('gzip'),
  zstd: compressed('zstd'),
  'server-sent events': async (t, server, topics, from) => {
    const headers = { Accept: 'text/event-stream' }
    const reader = await read(t, server, queryOf(topics, from), { headers })
    return () => reader.bytes.toString().split('\n\n').flatMap(messageIn)
  },
  WebSocket: async (t, server, topics, from) => {
    const socket = new WebSocket(
      `ws://127.0.0.1:${server.port}/v1/event/stream?${queryOf(topics, from)}&token=${ROOT}`
    )
    t.teardown(() => socket.terminate())
    const texts: string[] = []
    socket.on('message', (data: Buffer) => texts.push(data.toString()))
    return () => texts.filter(isMessage)
  },
  'annals.v1': async (t, server, topics, from) => {
    const client = await connect(t, server)
    client.subscribe('one', { Index: from, ...(topics.length > 0 ? { Topics: topics } : {}) })
    return () => client.messagesOf('one')
  }
}

const anEvent = fc
  .tuple(fc.constantFrom('KV', 'Node'), fc.constantFrom('a', 'a/b', 'ä\n"', '日本'), fc.string())
  .map(([topic, key, text]) =>
    event(topic, key, topic === 'KV' ? { Payload: { KV: { Value: text } }, FilterKeys: ['a/'] } : {})
  )

test('every wire carries the same messages, byte for byte', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 8 } })
  const commits = fc.array(fc.array(anEvent, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 20 })
  const topics = fc.subarray(['KV', 'KV:a/', 'Node:a', '*'])
  await fc.assert(
    fc.asyncProperty(commits, commits, topics, async (earlier, after, chosen) => {
      const from = server.app.views.index
      for (const events of earlier) commit(server, ...events)
      const readers = await Promise.all(
        Object.entries(wires).map(
          async ([name, open]) => [name, await open(t, server, chosen, from + 1)] as const
        )
      )
      for (const events of after) commit(server, ...events)
      // Ensures that there is a message to wait for.
      const last = commit(server, event('KV', 'a/z'), event('Node', 'a'))
      await server.app.committer.durable()
      for (const [name, messages] of readers)
        await until(`${name} up to ${last}`, () => messages().at(-1)?.startsWith(`{"Index":${last},`))
      const polled = await pollUpTo(server, queryOf(chosen, from).replace(/&?index=\d+/, ''), from, last)
      const [[, lines] = ['', () => []]] = readers
      for (const [name, messages] of readers) t.deepEqual(messages(), lines(), name)
      t.is(
        polled
          .map(text => text.slice(1, -1))
          .filter(text => text !== '')
          .join(','),
        lines().join(',')
      )
    }),
    { numRuns: 10 }
  )
})

test('curl reads the messages as they come', async t => {
  if (await missing(t, 'curl')) return
  const server = await streamServer(t)
  const from = server.app.views.index + 1
  const url = `${server.base}/v1/event/stream?topic=KV&index=${from}`
  const curl = spawn('curl', ['-sN', '--compressed', '-H', `X-Service-Token: ${ROOT}`, url])
  t.teardown(() => void curl.kill())
  const said: Buffer[] = []
  curl.stdout.on('data', (data: Buffer) => said.push(data))
  const plain = await read(t, server, `topic=KV&index=${from}`)
  for (let i = 0; i < 3; i++) {
    await plain.upTo(commit(server, event('KV', `k${i}`)))
    const expected = plain.bytes.toString()
    await until('the message', () => Buffer.concat(said).toString() === expected)
  }
  t.pass()
})

test('the token of the clients of another product is taken', async t => {
  const server = await streamServer(t)
  const reader = await read(t, server, 'index=1', { token: undefined, headers: { 'X-Nomad-Token': ROOT } })
  t.is(reader.status, 200)
  t.deepEqual(await reader.next(), {})
})

test('a client gets server-sent events when it prefers them to lines', async t => {
  const server = await streamServer(t)
  const cases: readonly (readonly [string, string])[] = [
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, */*', 'text/event-stream'],
    ['text/event-stream;q=0.9, application/json;q=0.1', 'text/event-stream'],
    ['application/json, text/event-stream;q=0.5', 'application/json'],
    ['text/event-stream;q=0', 'application/json'],
    ['text/html', 'application/json'],
    ['*/*', 'application/json']
  ]
  for (const [Accept, type] of cases) {
    const reader = await read(t, server, 'index=1', { headers: { Accept } })
    t.is(reader.headers['content-type'], type, Accept)
    reader.close()
  }
})
