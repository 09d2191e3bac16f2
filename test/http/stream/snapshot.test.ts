// Streams that begin with the current state.
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { eventText } from '../../../events/codec.js'
import { eventViewOf } from '../../../projections/stream/event-view.js'
import { gatedLog } from '../../support/gated-log.js'
import type { TestServer } from '../../support/server.js'
import type { Line, StreamReader } from '../../support/stream.js'
import { until } from '../../support/wait.js'
import { createPolicy, createToken } from '../support.js'
import { commit, event, read, streamServer } from './streams.js'

const put = async (server: TestServer, key: string, value = key): Promise<number> => {
  const { headers } = await server.send('PUT', `/v1/kv/${key}`, { body: value })
  return Number(headers['x-service-index'])
}

const isEnd = ({ Snapshot }: Line): boolean => Snapshot === 'end'

/** The lines of a snapshot, and the index of its mark. */
const snapshotOf = async (
  reader: StreamReader
): Promise<{ readonly lines: readonly Line[]; readonly at: number }> => {
  const lines: Line[] = []
  for (;;) {
    const line = await reader.message()
    if (line.Error) throw new Error(line.Error.Message)
    if (isEnd(line)) return { lines, at: line.Index ?? 0 }
    lines.push(line)
  }
}

const keysOf = (lines: readonly Line[]): readonly string[] =>
  lines.flatMap(({ Events = [] }) => Events.map(({ Key }) => Key))

test('a snapshot has the last event of everything that exists, its mark follows, and then the tail', async t => {
  const server = await streamServer(t)
  await put(server, 'gone')
  await put(server, 'kept', 'old')
  const set = await put(server, 'kept', 'new')
  await server.send('DELETE', '/v1/kv/gone')
  const other = await put(server, 'other')
  const reader = await read(t, server, 'topic=KV&snapshot=true')
  const { lines, at } = await snapshotOf(reader)
  t.deepEqual(keysOf(lines).toSorted(), ['kept', 'other'])
  t.is(at, other)
  for (const { Index = 0, Events = [] } of lines) {
    t.is(Events.length, 1)
    for await (const { Events: stored } of server.app.log.read(Index)) {
      const same = stored.find(({ Key }) => Key === Events[0]?.Key)
      t.deepEqual(same && JSON.parse(eventText(eventViewOf(same), Index)), Events[0])
      break
    }
  }
  t.true(lines.some(({ Index }) => Index === set))
  const next = await put(server, 'later')
  t.like(await reader.message(), { Index: next, Events: [{ Key: 'later' }] })
})

test('a snapshot is of what the topics, keys and namespace ask for', async t => {
  const server = await streamServer(t)
  for (const key of ['a/b', 'a/b/c', 'a/d', 'b']) await put(server, key)
  await server.send('PUT', '/v1/namespace/team', { body: { Name: 'team' } })
  await server.send('PUT', '/v1/kv/in-team?ns=team', { body: 'x' })
  const keys = async (query: string): Promise<readonly string[]> => {
    const reader = await read(t, server, `${query}&snapshot=true`)
    return keysOf((await snapshotOf(reader)).lines).toSorted()
  }
  t.deepEqual(await keys('topic=KV'), ['a/b', 'a/b/c', 'a/d', 'b'])
  t.deepEqual(await keys('topic=KV:a/b'), ['a/b'])
  t.deepEqual(await keys('topic=KV:a/'), ['a/b', 'a/b/c', 'a/d'])
  t.deepEqual(await keys('topic=KV:a/b/&topic=KV:a/&topic=KV:b'), ['a/b', 'a/b/c', 'a/d', 'b'])
  t.deepEqual(await keys('topic=KV:none'), [])
  t.deepEqual(await keys('topic=KV&namespace=team'), ['in-team'])
  t.deepEqual(await keys('topic=KV&namespace=*'), ['a/b', 'a/b/c', 'a/d', 'b', 'in-team'])
  t.true((await keys('')).includes('global-management') || (await keys('')).length > 6)
})

test('of a snapshot only the mark is a place to resume at, and who resumes there gets no second one', async t => {
  const server = await streamServer(t)
  await put(server, 'a')
  const headers = { Accept: 'text/event-stream' }
  const events = await read(t, server, 'topic=KV&snapshot=true', { headers })
  const at = server.app.views.index
  const mark = `id: ${at}\ndata: {"Snapshot":"end","Index":${at}}\n\n`
  await until('the mark', () => events.bytes.includes(mark))
  const text = events.bytes.toString()
  t.true(text.includes('\n\ndata: {"Index":'))
  t.is(text.match(/^id:/gm)?.length, 1)
  const later = await put(server, 'later')
  const again = await read(t, server, 'topic=KV&snapshot=true', { headers: { 'Last-Event-ID': String(at) } })
  t.like(await again.message(), { Index: later, Events: [{ Key: 'later' }] })
})

test('a snapshot has what its reader may see, event by event', async t => {
  const server = await streamServer(t)
  await put(server, 'app/a')
  await put(server, 'secret/b')
  const rules = 'key_prefix "" { policy = "read" }\nkey_prefix "secret/" { policy = "deny" }'
  const id = await createPolicy(server, 'most', rules)
  const { SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const reader = await read(t, server, 'topic=KV&snapshot=true', { token: SecretID })
  t.deepEqual(keysOf((await snapshotOf(reader)).lines), ['app/a'])
})

const VALUE = 'x'.repeat(20_000)
/** More values than the buffers of a connection hold. */
const MANY = 600

const fill = (server: TestServer): void => {
  for (let i = 0; i < MANY; i++) commit(server, kv(`k${i}`, VALUE, server.app.views.index + 1))
}

const kv = (key: string, Value: string, ModifyIndex: number) =>
  event('KV', key, {
    Type: 'KVSet',
    Payload: { KV: { Key: key, Value, Flags: 0, LockIndex: 0, CreateIndex: 1, ModifyIndex } }
  })

test('losing the permission during a snapshot ends it without further events, and reports that it is incomplete', async t => {
  const server = await streamServer(t)
  fill(server)
  const id = await createPolicy(server, 'p', 'key_prefix "" { policy = "read" }')
  const { SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const reader = await read(t, server, 'topic=KV&snapshot=true', { token: SecretID })
  await reader.next()
  reader.pause()
  await server.send('DELETE', `/v1/acl/policy/${id}`)
  reader.resume()
  const last = await reader.last()
  t.like(last, { Error: { Code: 403 }, LastIndex: 0 })
  t.true(reader.lines.length < MANY)
  t.is(await reader.end(), 'ended')
})

test('rights that grow narrower in the middle hold for what is still to come', async t => {
  const server = await streamServer(t)
  fill(server)
  const id = await createPolicy(server, 'p', 'key_prefix "" { policy = "read" }')
  const { SecretID } = await createToken(server, { Policies: [{ ID: id }] })
  const reader = await read(t, server, 'topic=KV&snapshot=true', { token: SecretID })
  await reader.next()
  reader.pause()
  const Rules = 'key_prefix "" { policy = "read" }\nkey "k99" { policy = "deny" }'
  await server.send('PUT', `/v1/acl/policy/${id}`, { body: { Name: 'p', Rules } })
  reader.resume()
  const keys = keysOf((await snapshotOf(reader)).lines)
  // The last one in byte order.
  t.is(keys.length, MANY - 1)
  t.false(keys.includes('k99'))
})

test('what is written during a snapshot comes once, in the tail, and writers do not wait', async t => {
  const server = await streamServer(t)
  fill(server)
  const reader = await read(t, server, 'topic=KV&snapshot=true')
  await reader.next()
  reader.pause()
  const changed = await put(server, 'k99', 'changed')
  await server.send('DELETE', '/v1/kv/k98')
  const made = await put(server, 'made')
  reader.resume()
  const { lines, at } = await snapshotOf(reader)
  t.true(at < changed)
  t.is(new Set(keysOf(lines)).size, lines.length)
  for (const { Index = 0 } of lines) t.true(Index <= at)
  t.deepEqual(
    (await reader.upTo(made)).map(({ Index }) => Index),
    [changed, changed + 1, made]
  )
})

test('a snapshot is sent as its reader takes it, and heartbeats do not say how far it is', async t => {
  const server = await streamServer(t, { stream: { heartbeat: 20 } })
  fill(server)
  const reader = await read(t, server, 'topic=KV&snapshot=true&progress=true')
  const before: Line[] = []
  let line = await reader.next()
  for (; !isEnd(line); line = await reader.next()) before.push(line)
  t.is(before.filter(({ Index }) => Index).length, MANY)
  t.true(before.every(({ LastIndex }) => LastIndex === undefined))
  const mark = await until('the reader has caught up', async () => {
    const next = await reader.next()
    return next.CaughtUp && next
  })
  t.deepEqual(mark, { CaughtUp: true, LastIndex: line.Index })
})

test('rebuilding the state during a snapshot ends it', async t => {
  const gate = gatedLog()
  const server = await streamServer(t, { log: gate.log })
  fill(server)
  const reader = await read(t, server, 'topic=KV&snapshot=true')
  await reader.next()
  reader.pause()
  gate.fail()
  t.is((await server.send('PUT', '/v1/kv/lost', { body: 'x' })).status, 503)
  gate.heal()
  reader.resume()
  t.like(await reader.last(), { Error: { Code: 503 }, LastIndex: 0 })
  t.is(await reader.end(), 'ended')
})

test('a reader that goes away in the middle leaves nothing behind', async t => {
  const server = await streamServer(t)
  fill(server)
  const reader = await read(t, server, 'topic=KV&snapshot=true')
  await reader.next()
  reader.close()
  while (server.app.streams.size > 0) await setImmediate()
  t.is(server.app.views.watch.size, 0)
})
