// A log that lets its oldest commits go, and the base that stands in for them.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { LogUnusable } from '../../events/log/log.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { LOGGER } from '../../server/settings/ports.js'
import { createLogger } from '../../server/telemetry/logging/logger.js'
import { annals } from '../support/command-line.js'
import { fileScope } from '../support/file-scope.js'
import { temporaryFolder, type Scope } from '../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../support/server.js'
import { factsOf } from '../support/state-facts.js'
import { openStream } from '../support/stream.js'
import { until } from '../support/wait.js'

const SEGMENT = 1024 * 1024
const VALUE = 'x'.repeat(100_000)
const retained = { log: { level: 'silent', retain: { commits: 10 } } }

const open = (dataDir: string): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: join(dataDir, 'log'), segmentBytes: SEGMENT })

const start = async (t: Scope, dataDir: string, config = {}): Promise<TestServer> =>
  serverInProcess(t, { dataDir, log: await open(dataDir), config })

const file = fileScope(test, 'the data folder that was written')

/** Writes the data folder of which the tests have copies. */
const write = async (): Promise<string> => {
  const dataDir = join(temporaryFolder(file), 'data')
  const server = await start(file, dataDir)
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'kept', Rules: 'key "a" { policy = "read" }' } })
  await server.send('PUT', '/v1/acl/token', { body: { Description: 'kept', Policies: [{ Name: 'kept' }] } })
  await server.send('PUT', '/v1/kv/gone/below', { body: 'v' })
  await server.send('DELETE', '/v1/kv/gone/below')
  for (let i = 0; i < 60; i++) await server.send('PUT', `/v1/kv/key-${i % 3}`, { body: `${i}${VALUE}` })
  await server.close()
  return dataDir
}

let original: Promise<string> | undefined

/** The data folder of a server that wrote several segments, of which most is superseded. */
const written = async (t: ExecutionContext): Promise<string> => {
  const dataDir = join(temporaryFolder(t), 'data')
  cpSync(await (original ??= write()), dataDir, { recursive: true })
  return dataDir
}

/** Starts a server that keeps few commits, and waits until the others are gone. */
const startAndPrune = async (
  t: ExecutionContext,
  dataDir: string,
  config: object = retained
): Promise<TestServer> => {
  const server = await start(t, dataDir, config)
  await until('the oldest commits are gone', () => {
    const { retention } = server.app.views.retainedLog
    return retention !== undefined && server.app.log.firstIndex === retention.Index + 1
  })
  return server
}

const namesIn = (dataDir: string, folder: string): readonly string[] =>
  readdirSync(join(dataDir, 'log', folder)).toSorted()

const damage = (path: string): void => {
  const bytes = readFileSync(path)
  bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200)
  writeFileSync(path, bytes)
}

test('the oldest commits go when their base is there; the state, and what proves it, stay', async t => {
  const dataDir = await written(t)
  const segments = namesIn(dataDir, '.').filter(name => name.endsWith('.seg')).length
  const server = await startAndPrune(t, dataDir)
  const { firstIndex } = server.app.log
  t.true(firstIndex > 30)
  t.true(namesIn(dataDir, '.').filter(name => name.endsWith('.seg')).length < segments)
  await until('one base is left', () => namesIn(dataDir, 'base').length === 2)
  const before = JSON.stringify([...server.app.views.dump()])
  await server.close()

  const again = await start(t, dataDir)
  t.is(JSON.stringify([...again.app.views.dump()]), before)
  const { status, text } = await again.send('GET', '/v1/kv/key-0?raw')
  t.is(status, 200)
  t.true(text.endsWith(VALUE))
  const gone = await again.send('GET', '/v1/kv/gone/?recurse')
  t.is(gone.status, 404)
  await again.close()

  const proved = await annals(['log', 'verify', '--replay', '--data-dir', dataDir])
  t.is(proved.code, 0, proved.errors)
  const shown = await annals(['log', 'show', '--data-dir', dataDir])
  t.true(shown.output.startsWith(`${firstIndex} `), shown.output.slice(0, 200))
  const asked = await annals(['log', 'show', '--from', '1', '--data-dir', dataDir])
  t.is(asked.code, 1)
  t.regex(asked.errors, new RegExp(`the oldest is ${firstIndex}`))
})

test('log.retain.index lets whole segments up to that commit go, and nothing above', async t => {
  const dataDir = await written(t)
  const server = await start(t, dataDir, { log: { level: 'silent', retain: { index: 30 } } })
  await until('the oldest commits are gone', () => {
    const { retention } = server.app.views.retainedLog
    return retention !== undefined && server.app.log.firstIndex === retention.Index + 1
  })
  const { firstIndex } = server.app.log
  t.true(firstIndex > 1 && firstIndex <= 31)
  const [piece] = await server.app.log.prunableSegments()
  t.true((piece?.last ?? 0) > 30, 'the next piece has a later commit')
})

/** A cursor that stands at a commit of a log that was written. */
const withCursor = async (t: ExecutionContext, dataDir: string, Index: number): Promise<void> => {
  const server = await start(t, dataDir)
  const made = await server.send('PUT', '/v1/event/cursor/slow', { body: { Topics: ['KV'], Index } })
  t.is(made.status, 200, made.text)
  await server.close()
}

const heldBytes = async (server: TestServer): Promise<number> => {
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  return Number(/^annals_cursor_held_bytes (\S+)$/m.exec(text)?.[1])
}

test('commits that a cursor has not passed stay, and go when it has', async t => {
  const dataDir = await written(t)
  await withCursor(t, dataDir, 25)
  const server = await startAndPrune(t, dataDir)
  const { firstIndex } = server.app.log
  t.true(firstIndex > 1 && firstIndex <= 26, `the oldest is ${firstIndex}`)
  t.true((await heldBytes(server)) > SEGMENT)
  const stream = await openStream(server.base, 'cursor=slow', { token: ROOT })
  t.is((await stream.message()).Index, 26)
  stream.close()
  const moved = server.send('PUT', '/v1/event/cursor/slow?cas=25', { body: { Index: 60 } })
  await until('the cursor is moved', () => {
    server.advance(1000)
    return server.app.views.cursors.get('slow')?.Index === 60
  })
  t.is((await moved).text, 'true')
  await server.close()
  const again = await start(t, dataDir, retained)
  await until('more of them are gone', () => again.app.log.firstIndex > 30)
})

test('a cursor beyond cursor.max_held retains no commits, and its reader is notified', async t => {
  const dataDir = await written(t)
  await withCursor(t, dataDir, 25)
  const server = await startAndPrune(t, dataDir, { ...retained, cursor: { max_held: 1000 } })
  t.true(server.app.log.firstIndex > 30)
  const { status, headers } = await server.send('GET', '/v1/event/stream?cursor=slow')
  t.is(status, 410)
  t.is(headers['x-service-oldest-index'], String(server.app.log.firstIndex))
  const back = await server.send('PUT', '/v1/event/cursor/slow', { body: { Topics: ['KV'], Index: 20 } })
  t.is(back.status, 410)
  const Index = server.app.log.firstIndex - 1
  const put = await server.send('PUT', '/v1/event/cursor/slow', { body: { Topics: ['KV'], Index } })
  t.is(put.status, 200)
  const stream = await openStream(server.base, 'cursor=slow', { token: ROOT })
  t.is(stream.status, 200, stream.rest)
  t.is((await stream.message()).Index, Index + 1)
  stream.close()
})

test('a log that is restored to before the commit that tells of its base tells of it again', async t => {
  const dataDir = await written(t)
  const server = await startAndPrune(t, dataDir)
  const base = server.app.log.firstIndex - 1
  const durableIndex = server.app.log.durableIndex
  await server.close()
  const folder = temporaryFolder(t)
  const made = await annals(['log', 'backup', join(folder, 'backup'), '--data-dir', dataDir])
  t.is(made.code, 0, made.errors)
  t.true(durableIndex > base + 2)
  const restored = join(folder, 'restored')
  const restore = (last: number) =>
    annals(['log', 'restore', join(folder, 'backup'), '--until', `${last}`, '--data-dir', restored])
  const { code, errors } = await restore(base + 2)
  t.is(code, 0, errors)
  const proved = await annals(['log', 'verify', '--replay', '--data-dir', restored])
  t.is(proved.code, 0, proved.errors)
  t.regex(proved.output, new RegExp(`it covers commits 1 to ${base}`))
  const again = await start(t, restored)
  t.is(again.app.views.retainedLog.retention?.Index, base)
  t.is((await again.send('PUT', '/v1/kv/after', { body: 'v' })).status, 200)
})

test('a stream from an index that is gone is refused, or begins with the oldest and says so', async t => {
  const server = await startAndPrune(t, await written(t))
  const oldest = String(server.app.log.firstIndex)
  const strict = await server.send('GET', '/v1/event/stream?index=1&strict')
  t.is(strict.status, 410)
  t.is(strict.headers['x-service-oldest-index'], oldest)
  const ending = new AbortController()
  const headers = { 'X-Service-Token': ROOT }
  const stream = await fetch(`${server.base}/v1/event/stream?index=1`, { headers, signal: ending.signal })
  t.is(stream.headers.get('x-service-oldest-index'), oldest)
  ending.abort()
})

test('an archive of such a log holds all that there is, with the filter keys of its events', async t => {
  const server = await startAndPrune(t, await written(t))
  const headers = { 'X-Service-Token': ROOT }
  const saved = await (await fetch(`${server.base}/v1/snapshot`, { headers })).arrayBuffer()
  const { retention } = server.app.views.retainedLog
  const used = await serverInProcess(t, { log: 'disk' })
  await used.send('PUT', '/v1/kv/used', { body: 'x' })
  for (const [other, kept] of [
    [await serverInProcess(t, { log: 'disk' }), retention],
    [used, undefined]
  ] as const) {
    const put = await fetch(`${other.base}/v1/snapshot`, { method: 'PUT', headers, body: saved })
    t.is(put.status, 200, await put.text())
    t.deepEqual(
      other.app.views.tokens.list({ partition: 'default', namespace: 'default' }).length,
      server.app.views.tokens.list({ partition: 'default', namespace: 'default' }).length
    )
    t.is(
      (await other.send('GET', '/v1/kv/key-1?raw')).text,
      (await server.send('GET', '/v1/kv/key-1?raw')).text
    )
    t.deepEqual(other.app.views.retainedLog.retention, kept)
  }
  // Onto itself it changes nothing.
  const before = JSON.stringify(factsOf(server.app.views))
  t.is((await fetch(`${server.base}/v1/snapshot`, { method: 'PUT', headers, body: saved })).status, 200)
  t.is(JSON.stringify(factsOf(server.app.views)), before)
})

test('one copy of the base is enough, and makes the other; without either the server does not start', async t => {
  const dataDir = await written(t)
  const server = await startAndPrune(t, dataDir)
  await until('one base is left', () => namesIn(dataDir, 'base').length === 2)
  await server.close()
  const [first = '', second = ''] = namesIn(dataDir, 'base').map(name => join(dataDir, 'log/base', name))
  damage(first)
  const repaired = await start(t, dataDir)
  await repaired.close()
  t.deepEqual(readFileSync(first), readFileSync(second))
  rmSync(second)
  const again = await start(t, dataDir)
  await again.close()
  t.deepEqual(readFileSync(first), readFileSync(second))

  // A snapshot could start it, and does not.
  const made = await annals(['log', 'snapshot', '--data-dir', dataDir])
  t.is(made.code, 0, made.errors)
  damage(first)
  damage(second)
  const error = await t.throwsAsync(start(t, dataDir), { instanceOf: LogUnusable })
  t.regex(error.message, /the base of the log, .*, is damaged or missing/)
  const verified = await annals(['log', 'verify', '--data-dir', dataDir])
  t.is(verified.code, 1)
  t.regex(verified.errors, /base/)
})

test('a legal hold keeps its oldest commit and all later ones, until it is lifted', async t => {
  const dataDir = await written(t)
  const before = await start(t, dataDir)
  const headers = { 'X-Service-Reason': 'request 2026-117' }
  const { text } = await before.send('GET', '/v1/event/audit?topic=KV:key-1&limit=1')
  const [, first] = /"Index":(\d+)/.exec(text) ?? []
  const placed = await before.send('PUT', '/v1/event/hold/case', { headers, body: { Topics: ['KV:key-1'] } })
  t.is(placed.status, 200, placed.text)
  await before.close()

  let lines = ''
  const out = { write: (line: string): void => void (lines += line) }
  const server = await serverInProcess(t, {
    dataDir,
    log: await open(dataDir),
    config: retained,
    register: scope =>
      scope.registerInstance(LOGGER, createLogger({ log: { level: 'info', pretty: false } }, out))
  })
  const metric = async (name: string): Promise<number> => {
    const scraped = await server.send('GET', '/v1/agent/metrics?format=prometheus')
    return Number(new RegExp(`^annals_legal_${name} (\\S+)$`, 'm').exec(scraped.text)?.[1])
  }
  await until('retention reports what the hold keeps', async () => (await metric('hold_bytes')) > SEGMENT)
  t.is(await metric('holds'), 1)
  t.regex(lines, new RegExp(`"index":${first},"hold":"case",.*a legal hold keeps commits from pruning`))
  t.true(server.app.log.firstIndex <= Number(first))
  await server.send('DELETE', '/v1/event/hold/case', { headers })
  await server.close()
  const released = await startAndPrune(t, dataDir)
  t.true(released.app.log.firstIndex > Number(first))
})
