// Requested ends of streams, and progress reports.
import test from 'ava'
import { Deadlines } from '../../../actors/clock.js'
import { formatTime } from '../../../events/time.js'
import { EventStreams } from '../../../http/stream/event-streams.js'
import type { Line, StreamReader } from '../../support/stream.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { commit, event, read, streamServer } from './streams.js'

const HOUR_MS = 3_600_000

const linesOf = (reader: StreamReader): readonly Line[] =>
  reader.lines.map((line): Line => JSON.parse(line)).filter(line => Object.keys(line).length > 0)

/** Returns all lines except heartbeats of a stream that ends by itself. */
const whole = async (reader: StreamReader): Promise<readonly Line[]> => {
  await reader.end()
  return linesOf(reader)
}
const indexes = (lines: readonly Line[]) => lines.flatMap(({ Index }) => (Index ? [Index] : []))

for (const [where, limits] of [
  ['among the recent commits', {}],
  ['behind them', { recentCommits: 2, batchBytes: 300 }]
] as const) {
  test(`a stream ends behind the index that was asked for, ${where}`, async t => {
    const server = await streamServer(t, { limits })
    const from = server.app.views.index + 1
    for (let i = 0; i < 20; i++) commit(server, event(i % 2 === 0 ? 'KV' : 'Operator', `k${i}`))
    await server.app.committer.durable()
    for (const at of [from, from + 7, from + 19]) {
      const lines = await whole(await read(t, server, `index=${from}&until=${at}`))
      t.deepEqual(
        indexes(lines),
        Array.from({ length: at - from + 1 }, (_, i) => from + i)
      )
      t.deepEqual(lines.at(-1), { End: 'until', LastIndex: at })
    }
    const filtered = await whole(await read(t, server, `topic=KV:k4&index=${from}&until=${from + 9}`))
    t.deepEqual(indexes(filtered), [from + 4])
    t.deepEqual(filtered.at(-1), { End: 'until', LastIndex: from + 9 })
    const now = await whole(await read(t, server, `topic=KV:none&index=${from}&until=now`))
    t.deepEqual(now, [{ End: 'until', LastIndex: from + 19 }])
  })

  test(`a stream ends after as many messages as were asked for, ${where}`, async t => {
    const server = await streamServer(t, { limits })
    const from = server.app.views.index + 1
    for (let i = 0; i < 20; i++) commit(server, event(i % 2 === 0 ? 'KV' : 'Operator', `k${i}`))
    await server.app.committer.durable()
    for (const limit of [1, 2, 9]) {
      const lines = await whole(await read(t, server, `topic=KV&index=${from}&limit=${limit}`))
      t.deepEqual(
        indexes(lines),
        Array.from({ length: limit }, (_, i) => from + 2 * i)
      )
      t.is(lines.at(-1)?.End, 'limit')
      const { LastIndex = 0 } = lines.at(-1) ?? {}
      t.true(LastIndex >= from + 2 * (limit - 1) && LastIndex < from + 2 * limit)
      const rest = await read(t, server, `topic=KV&index=${LastIndex + 1}`)
      t.is((await rest.message()).Index, from + 2 * limit)
    }
    const headers = { Accept: 'text/event-stream' }
    const events = await read(t, server, `topic=KV&index=${from}&limit=3`, { headers })
    await events.end()
    t.deepEqual(
      events.bytes.toString().match(/^id: \d+$/gm),
      [from, from + 2, from + 4].map(index => `id: ${index}`)
    )
    t.regex(events.bytes.toString(), /\n\ndata: \{"End":"limit","LastIndex":\d+\}\n\n$/)
  })
}

test('a stream that ends at what comes first waits for it', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index + 1
  const [byIndex, byCount, past] = [
    await read(t, server, `index=${from}&until=${from + 2}`),
    await read(t, server, `index=${from}&until=${from + 9}&limit=2`),
    await read(t, server, `index=${from}&until=${from - 1}`)
  ]
  t.deepEqual(await whole(past), [{ End: 'until', LastIndex: from - 1 }])
  for (let i = 0; i < 5; i++) {
    commit(server, event('KV', `k${i}`))
    await server.app.committer.durable()
  }
  t.deepEqual(indexes(await whole(byIndex)), [from, from + 1, from + 2])
  t.deepEqual((await whole(byCount)).at(-1), { End: 'limit', LastIndex: from + 1 })
})

test('a stream until a moment to come ends when it has passed, with what was written by then', async t => {
  const server = await streamServer(t)
  const from = server.app.views.index + 1
  const moment = server.clock.now() + 60_000
  const query = `index=${from}&until=${encodeURIComponent(formatTime(moment))}`
  const [reader, gone] = [await read(t, server, query), await read(t, server, query)]
  gone.close()
  const index = commit(server, event('KV', 'in time'))
  t.is((await reader.message()).Index, index)
  server.advance(60_001)
  t.deepEqual(await whole(reader), [...linesOf(reader).slice(0, 1), { End: 'until', LastIndex: index }])
})

test('a stream ends hours later, and of those that have gone before nothing is kept for years', async t => {
  const server = await streamServer(t)
  const [streams, deadlines] = [server.scope.resolve(EventStreams), server.scope.resolve(Deadlines)]
  const open = (hours: number): Promise<StreamReader> =>
    read(t, server, `topic=KV&until=${formatTime(server.clock.now() + hours * HOUR_MS)}`)
  for (const hours of [20_000, 20_001, 20_002]) (await open(hours)).close()
  const reader = await open(3)
  await until('the others have gone', () => streams.size === 1)
  const scheduled = deadlines.size
  for (let hour = 0; hour < 3; hour++) {
    t.is(streams.size, 1)
    server.advance(HOUR_MS + 1)
    await until('what was due is done', () => deadlines.size <= scheduled - 3)
  }
  t.deepEqual(await whole(reader), [{ End: 'until', LastIndex: server.app.views.index }])
})

test('a snapshot with an immediate end contains only the current state', async t => {
  const server = await streamServer(t)
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  const { index } = server.app.views
  const lines = await whole(await read(t, server, 'topic=KV&snapshot=true&until=now'))
  t.is(lines.length, 3)
  t.deepEqual(lines.slice(1), [
    { Snapshot: 'end', Index: index },
    { End: 'until', LastIndex: index }
  ])
})

test('a stream that tells its progress says once that it has caught up', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 8 } })
  const from = server.app.views.index + 1
  for (let i = 0; i < 50; i++) commit(server, event('KV', `k${i}`))
  const last = server.app.views.index
  const reader = await read(t, server, `index=${from}&progress=true`)
  await until('the reader has caught up', async () => (await reader.next()).CaughtUp)
  t.is(indexes(linesOf(reader)).at(-1), last)
  t.deepEqual(linesOf(reader).at(-1), { CaughtUp: true, LastIndex: last })
  const next = commit(server, event('KV', 'next'))
  t.is((await reader.message()).Index, next)
  t.is(linesOf(reader).filter(({ CaughtUp }) => CaughtUp).length, 1)
  const plain = await read(t, server, `index=${from}`)
  await plain.upTo(next)
  t.false(plain.bytes.includes('CaughtUp'))
})

test('progress is reported after a number of commits, also while a filter matches nothing', async t => {
  const server = await streamServer(t)
  const reader = await read(t, server, `topic=Operator&index=${server.app.views.index + 1}&progress=true`)
  await until('the reader has caught up', async () => (await reader.next()).CaughtUp)
  const from = server.app.views.index
  for (let i = 0; i < 2500; i++) commit(server, event('KV', 'k'))
  await server.app.committer.durable()
  const line = await reader.next()
  t.deepEqual({ Index: line.Index, Events: line.Events }, { Index: 0, Events: [] })
  t.true((line.LastIndex ?? 0) >= from + 1000)
})

test('a compressed stream that has its end before its first piece was taken ends', async t => {
  const server = await streamServer(t)
  for (const coding of ['gzip', 'identity']) {
    const headers = { 'x-service-token': ROOT, 'accept-encoding': coding }
    const answer = await fetch(`${server.base}/v1/event/stream?index=now&until=now`, { headers })
    t.deepEqual(JSON.parse((await answer.text()).split('\n').at(-2) ?? ''), {
      End: 'until',
      LastIndex: server.app.views.index
    })
  }
})
