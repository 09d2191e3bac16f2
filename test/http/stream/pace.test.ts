// Slow, late and returning readers, and streams that must read from the log.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { constants, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import test from 'ava'
import type { Event } from '../../../events/envelope.js'
import { eventText } from '../../../events/codec.js'
import { eventViewOf } from '../../../projections/stream/event-view.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { TopicFilter, type TopicChoice } from '../../../projections/stream/topic-filter.js'
import { temporaryFolder, type Scope } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { createToken } from '../support.js'
import { commit, event, read, streamServer, writeUntilClosed } from './streams.js'
import type { Line } from '../../support/stream.js'

/** The server's side of the requests of this process whose address holds a text. */
const watchResponses = (t: Scope, text: string): readonly ServerResponse[] => {
  const responses: ServerResponse[] = []
  const listener = (message: unknown): void => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    if (request.url?.includes(text)) responses.push(response)
  }
  subscribe('http.server.request.start', listener)
  t.teardown(() => void unsubscribe('http.server.request.start', listener))
  return responses
}

const numbers = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)
const indexes = (lines: readonly Line[]) => lines.map(({ Index }) => Index)

test('a stream reads from the log what is no longer recent, and becomes live without gap or repetition', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 8, batchBytes: 512 } })
  const newest = server.app.views.index
  for (let i = 0; i < 500; i++) commit(server, event('KV', `k${i}`))
  await server.app.committer.durable()
  const readers = await Promise.all(
    [1, 1, newest, newest + 400, newest + 495].map(async from => ({
      from,
      reader: await read(t, server, `index=${from}`)
    }))
  )
  for (let i = 0; i < 500; i++) {
    commit(server, event('KV', `l${i}`))
    if (i % 50 === 0) await new Promise(setImmediate)
  }
  for (const { from, reader } of readers)
    t.deepEqual(indexes(await reader.upTo(newest + 1000)), numbers(from, newest + 1000))
  t.is(server.app.streams.behind, 0)
  t.is(server.app.streams.lag, 0)
})

const HOUR = 3_600_000

test('a reader that stops for longer than any buffer loses nothing and costs bounded memory', async t => {
  const server = await streamServer(t, {
    limits: { recentCommits: 16, recentSize: 1_000_000 },
    // A timeout that is never reached, however busy the machine.
    stream: { write_timeout: HOUR }
  })
  const from = server.app.views.index + 1
  const responses = watchResponses(t, 'slow')
  const slow = await read(t, server, `topic=KV&index=${from}&params=slow`)
  const fast = await read(t, server, `topic=KV&index=${from}`)
  await slow.next()
  slow.pause()
  const value = 'x'.repeat(60_000)
  let last = 0
  for (let i = 0; i < 200; i++) {
    last = commit(server, event('KV', `k${i}`, { Payload: { KV: { Value: value } } }))
    await server.app.committer.durable()
  }
  t.deepEqual(indexes(await fast.upTo(last)), numbers(from, last))
  await until('the slow stream is behind', () => server.app.streams.lag > 16)
  const held = responses.reduce((sum, { writableLength }) => sum + writableLength, 0)
  t.is(responses.length, 1)
  t.true(held > 0)
  t.true(held <= 256 * 1024, `${held} bytes are held for the slow reader`)
  slow.resume()
  t.deepEqual(indexes(await slow.upTo(last)), numbers(from, last))
})

test('a stream whose next commits are pruned while it is behind reports it in its last line', async t => {
  const limits = { recentCommits: 16, recentSize: 1_000_000 }
  const server = await streamServer(t, { limits, log: new MemoryEventLog() })
  const from = server.app.views.index + 1
  const slow = await read(t, server, `topic=KV&index=${from}`)
  await slow.next()
  slow.pause()
  const value = 'x'.repeat(60_000)
  let last = 0
  for (let i = 0; i < 200; i++) {
    last = commit(server, event('KV', `k${i}`, { Payload: { KV: { Value: value } } }))
    await server.app.committer.durable()
  }
  await until('the stream is behind', () => server.app.streams.lag > 16)
  // Commits that a catch-up has read before they are pruned are still sent: two pages of 256 at most.
  for (let i = 0; i < 600; i++) last = commit(server, event('KV', `l${i}`))
  await server.app.committer.durable()
  await server.app.log.prune(last - 20)
  slow.resume()
  const got: Line[] = []
  let line = await slow.message()
  for (; !line.Error; line = await slow.message()) got.push(line)
  t.deepEqual(indexes(got), numbers(from, from + got.length - 1))
  const next = from + got.length
  t.true(next <= last - 20)
  const Message = `Index ${next} is no longer retained: the oldest index is ${last - 19}`
  t.deepEqual(line, { Error: { Code: 410, Message }, LastIndex: next - 1 })
  await until('the stream has ended', () => slow.state === 'ended')
})

test('a reader that takes nothing is closed', async t => {
  const server = await streamServer(t, { stream: { write_timeout: 300 } })
  const reader = await read(t, server, `topic=KV&index=${server.app.views.index + 1}`)
  await reader.next()
  reader.pause()
  await writeUntilClosed(server)
  t.pass()
})

test('an idle reader is not taken for a stuck one', async t => {
  const server = await streamServer(t, { stream: { write_timeout: 50, heartbeat: 400 } })
  const reader = await read(t, server, 'topic=KV')
  await reader.next()
  await reader.next()
  t.is(reader.state, 'open')
})

test('after a restart a client resumes at its position', async t => {
  const dataDir = temporaryFolder(t)
  const first = await streamServer(t, { dataDir })
  const before = await read(t, first, 'index=1')
  const middle = commit(first, event('KV', 'a'))
  await before.upTo(middle)
  const last = commit(first, event('KV', 'b'))
  await first.close()
  const second = await streamServer(t, { dataDir })
  const after = await read(t, second, `index=${middle + 1}`)
  const now = commit(second, event('KV', 'c'))
  t.true(now > last)
  t.deepEqual(indexes(await after.upTo(now)), numbers(middle + 1, now))
  const whole = await read(t, second, 'index=1')
  t.deepEqual(indexes(await whole.upTo(now)), numbers(1, now))
})

test('the same bytes come live, from the recent commits and from the log', async t => {
  const dataDir = temporaryFolder(t)
  const first = await streamServer(t, { dataDir })
  const live = await read(t, first, 'index=1')
  await createToken(first, { Description: 'é\u2028"\\' })
  const last = commit(first, event('KV', 'a', { FilterKeys: ['x'] }), event('Node', 'n', { Namespace: '' }))
  await live.upTo(last)
  const recent = await read(t, first, 'index=1')
  await recent.upTo(last)
  await first.close()
  const second = await streamServer(t, { dataDir, limits: { recentCommits: 1 } })
  const stored = await read(t, second, 'index=1')
  await stored.upTo(last)
  const messages = (lines: readonly string[]) =>
    lines.filter(line => line.startsWith('{"Index"')).slice(0, last)
  t.deepEqual(messages(recent.lines), messages(live.lines))
  t.deepEqual(messages(stored.lines), messages(live.lines))
})

test('nothing secret is in a stream, every line is JSON, and no key looks like an error of its decoder', async t => {
  const server = await streamServer(t)
  const secrets: string[] = []
  for (let i = 0; i < 5; i++) {
    const { SecretID, AccessorID } = await createToken(server, { Description: `t${i}` })
    secrets.push(SecretID)
    await server.send('PUT', `/v1/acl/token/${AccessorID}`, { body: { Description: `u${i}` } })
    if (i % 2 === 0) await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  }
  const [plain, events] = [
    await read(t, server),
    await read(t, server, '', { headers: { Accept: 'text/event-stream' } })
  ]
  await plain.upTo(server.app.views.index)
  await until('the last event', () => events.bytes.includes(`id: ${server.app.views.index}\n`))
  await server.close()
  await plain.end()
  for (const secret of [...secrets, 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55']) {
    t.false(plain.bytes.includes(secret))
    t.false(events.bytes.includes(secret))
  }
  t.notThrows(() => {
    for (const line of plain.lines)
      JSON.parse(line, (key, value: unknown) => {
        if (key.toLowerCase() === 'err') throw new Error(line)
        return value
      })
  })
  t.is(plain.rest, '')
})

const unpackers = {
  gzip: (bytes: Buffer, isWhole: boolean) =>
    gunzipSync(bytes, isWhole ? {} : { finishFlush: constants.Z_SYNC_FLUSH }),
  zstd: (bytes: Buffer, isWhole: boolean) =>
    zstdDecompressSync(bytes, isWhole ? {} : { finishFlush: constants.ZSTD_e_flush })
}

for (const [coding, unpack] of Object.entries(unpackers))
  test(`a stream is compressed with ${coding} on request, every message at once`, async t => {
    const server = await streamServer(t)
    const headers = { 'Accept-Encoding': `br;q=1, ${coding}` }
    const [reader, plain] = [await read(t, server, 'index=1', { headers }), await read(t, server, 'index=1')]
    t.is(reader.headers['content-encoding'], coding)
    const refusing = { 'Accept-Encoding': `${coding};q=0` }
    t.is((await read(t, server, '', { headers: refusing })).headers['content-encoding'], undefined)
    const text = () => unpack(reader.bytes, false).toString()
    for (let i = 0; i < 3; i++) {
      const index = commit(server, event('KV', `k${i}`))
      await plain.upTo(index)
      await until('the message', () => reader.bytes.length > 0 && text().includes(`"Index":${index},`))
    }
    t.deepEqual(text().split('\n').slice(1), plain.bytes.toString().split('\n').slice(1))
    await server.close()
    await Promise.all([reader.end(), plain.end()])
    t.is(unpack(reader.bytes, true).toString(), plain.bytes.toString())
  })

test('server-sent events carry the same messages, with the index as id', async t => {
  const server = await streamServer(t)
  const index = commit(server, event('KV', 'a'))
  const [plain, events] = [
    await read(t, server, `index=${index}`),
    await read(t, server, `index=${index}`, { headers: { Accept: 'text/event-stream' } })
  ]
  await plain.upTo(index)
  t.is(events.headers['content-type'], 'text/event-stream')
  t.is(events.headers['x-accel-buffering'], 'no')
  const expected = `data: {}\n\nid: ${index}\ndata: ${plain.lines.at(-1)}\n\n`
  await until('the event', () => events.bytes.toString() === expected)
  t.pass()
})

const topics = ['KV', 'Node', 'Service', 'Operator']
const keys = ['a', 'b', 'c:d']
const arbitraryEvent = fc
  .record({
    topic: fc.constantFrom(...topics),
    key: fc.constantFrom(...keys),
    more: fc.option(fc.uniqueArray(fc.constantFrom(...keys), { minLength: 1 })),
    drain: fc.boolean()
  })
  .map(({ topic, key, more, drain }) =>
    event(topic, key, { FilterKeys: more, ...(topic === 'Node' && drain ? { Type: 'NodeDrain' } : {}) })
  )
const arbitraryChoice = fc.record<TopicChoice>({
  topic: fc.constantFrom('*', 'NodeDrain', 'ACLRoles', ...topics),
  key: fc.option(fc.constantFrom(...keys), { nil: undefined })
})

/** The text of the specification. */
const naive = (choices: readonly TopicChoice[], { Topic, Type, Key, FilterKeys }: Event): boolean =>
  choices.length === 0 ||
  choices.some(
    ({ topic, key }) =>
      (topic === '*' ||
        topic === Topic ||
        (topic === 'NodeDrain' && Topic === 'Node' && Type === 'NodeDrain')) &&
      (key === undefined || key === Key || (FilterKeys ?? []).includes(key))
  )

test('a filter lets through what the union of its topics says', t => {
  fc.assert(
    fc.property(fc.array(arbitraryChoice, { maxLength: 5 }), fc.array(arbitraryEvent), (choices, events) => {
      const filter = new TopicFilter(choices)
      t.deepEqual(
        events.filter(each => filter.matches(each)),
        events.filter(each => naive(choices, each))
      )
      t.is(new TopicFilter(choices.toReversed()).id, filter.id)
    })
  )
})

test('what a stream of random topics delivers is what a naive filter takes from the log', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 20, batchBytes: 400 } })
  const commits = fc.sample(fc.array(arbitraryEvent, { minLength: 1, maxLength: 4 }), 60)
  const from = server.app.views.index + 1
  for (const events of commits) commit(server, ...events)
  const last = commit(server, event('Operator', 'last', { FilterKeys: keys }))
  for (const choices of fc.sample(fc.array(arbitraryChoice, { maxLength: 4 }), 25)) {
    const all = [...choices, { topic: 'Operator', key: 'last' }]
    const query = all.map(({ topic, key }) => `topic=${topic}${key === undefined ? '' : `:${key}`}`).join('&')
    const reader = await read(t, server, `index=${from}&${query}`)
    const expected: Line[] = []
    for await (const { Index, Events } of server.app.log.read(from)) {
      const selected = Events.filter(each => naive(all, each))
      if (selected.length > 0)
        expected.push({
          Index,
          Events: selected.map(each => JSON.parse(eventText(eventViewOf(each), Index)))
        })
    }
    t.deepEqual(await reader.upTo(last), expected, query)
    reader.close()
  }
})
