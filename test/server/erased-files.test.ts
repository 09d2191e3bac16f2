// What is erased is in no file of a data folder, whatever kind of file held it.
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { ErasureProcess } from '../../actors/erasure/erasure-process.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { annals } from '../support/command-line.js'
import { filesIn, filesWith } from '../support/files-with.js'
import { temporaryFolder } from '../support/process.js'
import { serverInProcess, type TestServer } from '../support/server.js'
import { send } from '../support/client.js'
import { until } from '../support/wait.js'
import { createToken } from '../http/support.js'

const HOUR = 3_600_000
const SEGMENT = 1024 * 1024
/** With what JSON escapes, and two bytes in UTF-8. */
const SAID = 'a "customer" said: \\ ümlaut 4711'
const REASON = 'because the customer of 4711 has asked'
const FILLER = 'x'.repeat(100_000)

const config = {
  audit: { denials: true },
  log: { level: 'silent', compress: true, retain: { index: 20 } },
  snapshot: { commits: 20 }
}

const start = async (t: ExecutionContext, dataDir: string): Promise<TestServer> => {
  const path = join(dataDir, 'log')
  const log = await SegmentEventLog.open({ path, segmentBytes: SEGMENT, compress: true })
  return serverInProcess(t, { dataDir, log, config })
}

const fill = async (server: TestServer, times: number): Promise<void> => {
  for (let i = 0; i < times; i++) await server.send('PUT', '/v1/kv/filler', { body: `${i}${FILLER}` })
}

const isThere = (dataDir: string, form: RegExp): boolean => filesIn(dataDir).some(name => form.test(name))

test('every kind of file is rid of what was erased: payloads, secrets, addresses and reasons', async t => {
  const dataDir = join(temporaryFolder(t), 'data')
  let server = await start(t, dataDir)
  const writer = await createToken(server, { Policies: [{ ID: '00000000-0000-0000-0000-000000000001' }] })
  const poor = await createToken(server)
  const headers = {
    'X-Service-Reason': REASON,
    'X-Service-Request-Id': 'request-of-4711',
    'X-Service-Idempotency-Key': 'key-of-4711'
  }
  const { SecretID: token } = writer
  await server.send('PUT', '/v1/kv/customers/1', { body: SAID, token })
  await fill(server, 20)
  await server.send('PUT', '/v1/kv/customers/1', { body: SAID, token, headers })
  // What is answered is kept, and has it, too.
  const Value = Buffer.from(SAID).toString('base64')
  const operations = [
    { KV: { Verb: 'set', Key: 'customers/2', Value } },
    { KV: { Verb: 'get', Key: 'customers/2' } }
  ]
  await server.send('PUT', '/v1/txn', {
    body: operations,
    token,
    headers: { ...headers, 'X-Service-Idempotency-Key': 'b' }
  })
  const reading = [
    { KV: { Verb: 'set', Key: 'other', Value: 'MQ==' } },
    { KV: { Verb: 'get', Key: 'customers/2' } }
  ]
  await server.send('PUT', '/v1/txn', {
    body: reading,
    token,
    headers: { ...headers, 'X-Service-Idempotency-Key': 'c' }
  })
  // Denied, by the one who is to be forgotten.
  await send(server.base, 'PUT', '/v1/kv/denied', {
    body: 'x',
    token: poor.SecretID,
    headers: { 'X-Service-Request-Id': 'denied-of-4711' }
  })
  await server.send('GET', '/v1/event/audit?denials=true')
  await fill(server, 20)
  const last = await server.send('PUT', '/v1/kv/customers/1', {
    body: SAID,
    token,
    headers: { 'X-Service-Reason': REASON }
  })
  t.is(last.status, 200, last.text)
  const cut = server.app.views.index
  await server.send('PUT', '/v1/kv/customers/1', { body: `${SAID} again`, token })
  await until('there is a pack', () => isThere(dataDir, /\.pack$/))
  await until('there is a snapshot', () => isThere(dataDir, /\.snapshot$/))
  // Old commits are pruned at a start.
  await server.close()
  server = await start(t, dataDir)
  await until('there is a base', () => server.app.views.retainedLog.retention !== undefined)
  await server.close()
  // The copy of what a repair has cut off.
  const repaired = await annals(['log', 'repair', '--to', String(cut), '--yes', '--data-dir', dataDir])
  t.is(repaired.code, 0, repaired.errors)
  // Archives that a crash has left.
  const log = join(dataDir, 'log')
  const pack = readdirSync(log).find(name => name.endsWith('.pack')) ?? ''
  for (const left of ['restore.tgz', 'restore.tgz.part']) copyFileSync(join(log, pack), join(dataDir, left))

  server = await start(t, dataDir)
  await server.scope.resolve(ErasureProcess).idle()
  const texts = [SAID]
  const who = [REASON, 'request-of-4711', 'denied-of-4711']
  for (const form of [
    /\.seg$/,
    /\.pack$/,
    /\.snapshot$/,
    /\.base$/,
    /^log\/cut\//,
    /^log\/tree\//,
    /^token-use/
  ])
    await until(`${form} is there`, () => isThere(dataDir, form))
  t.true(filesWith(dataDir, texts).some(name => name.endsWith('.base')))
  t.true(filesWith(dataDir, texts).some(name => name.startsWith('log/cut/')))
  t.true(filesWith(dataDir, who).includes('denials.ndjson'))
  await server.send('DELETE', '/v1/kv/customers/?recurse')
  await server.send('DELETE', `/v1/acl/token/${writer.AccessorID}`)
  server.advance(HOUR + 60_000)
  const erase = async (body: object): Promise<void> => {
    const { status, text } = await server.send('POST', '/v1/event/erase', {
      body: { Reason: 'request', ...body }
    })
    t.is(status, 200, text)
  }
  await erase({ Topic: 'KV', Prefix: 'customers/' })
  for (const { AccessorID } of [writer, poor]) await erase({ Part: 'who', Accessor: AccessorID })
  const work = server.scope.resolve(ErasureProcess)
  await until('all is erased', () =>
    server.app.views.erasures.list.every(({ key }) => work.stateOf(key).state === 'done')
  )
  await work.idle()
  t.deepEqual(filesWith(dataDir, texts), [])
  t.deepEqual(filesWith(dataDir, who), [])
  t.deepEqual(filesWith(dataDir, [writer.SecretID]), [])
  t.true(isThere(dataDir, /^log\/cut\//))
  await server.close()
  const verified = await annals(['log', 'verify', '--replay', '--data-dir', dataDir])
  t.is(verified.code, 0, verified.errors)
})
