// Histories and answers of earlier indexes where the log has let its oldest commits go.
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { isConsistent, isIncluded } from '../../../events/log/evidence/merkle.js'
import { CommitsPruned } from '../../../events/log/log.js'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { indexOf } from '../support.js'
import { verifiedHead } from '../../support/evidence.js'
import { temporaryFolder } from '../../support/process.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'

const VALUE = 'x'.repeat(100_000)

const start = async (t: ExecutionContext, dataDir: string, config = {}): Promise<TestServer> =>
  serverInProcess(t, {
    dataDir,
    log: await SegmentEventLog.open({ path: join(dataDir, 'log'), segmentBytes: 1024 * 1024 }),
    config
  })

/** A server whose log was pruned, the oldest index it answers for, and a checkpoint of five of the pruned commits. */
const retained = async (
  t: ExecutionContext
): Promise<{ readonly server: TestServer; readonly base: number; readonly checkpoint: string }> => {
  const dataDir = join(temporaryFolder(t), 'data')
  const first = await start(t, dataDir)
  await first.send('PUT', '/v1/acl/policy', { body: { Name: 'kept', Description: 'older' } })
  await first.send('PUT', '/v1/kv/a/kept', { body: 'older' })
  await first.send('PUT', '/v1/kv/a/changed', { body: 'older' })
  for (let i = 0; i < 60; i++) await first.send('PUT', `/v1/kv/key-${i % 3}`, { body: `${i}${VALUE}` })
  const checkpoint = (await first.send('GET', '/v1/event/checkpoint?size=5')).text
  await first.close()
  const server = await start(t, dataDir, { log: { level: 'silent', retain: { commits: 10 } } })
  await until('the oldest commits are gone', () => {
    const { retention } = server.app.views.retainedLog
    return retention !== undefined && server.app.log.firstIndex === retention.Index + 1
  })
  const base = server.app.views.retainedLog.retention?.Index ?? 0
  return { server, base, checkpoint }
}

test('the base snapshot answers each remaining index, and older indexes are gone', async t => {
  const { server, base } = await retained(t)
  await server.send('PUT', '/v1/kv/a/changed', { body: 'of now' })
  await server.send('DELETE', '/v1/kv/a/kept')
  for (const index of [base, base + 1]) {
    const one = await server.send('GET', `/v1/kv/a/changed?raw&at=${index}`)
    t.is(one.text, 'older')
    t.is(indexOf(one), index)
    t.is((await server.send('GET', `/v1/kv/a/?keys&at=${index}`)).text, '["a/changed","a/kept"]')
    t.regex((await server.send('GET', `/v1/acl/policy/name/kept?at=${index}`)).text, /older/)
    t.regex((await server.send('GET', `/v1/acl/policies?at=${index}`)).text, /older/)
    const holders = await server.send('GET', `/v1/acl/who?resource=acl&access=write&at=${index}`)
    t.regex(holders.text, /^\[\{"Kind":"token"[^}]*"Name":"Initial Management Token"/)
  }
  t.is((await server.send('GET', `/v1/kv/a/never?at=${base}`)).status, 404)
  for (const at of [String(base - 1), '2001-01-01T00:00:00Z']) {
    const gone = await server.send('GET', `/v1/kv/a/changed?at=${at}`)
    t.is(gone.status, 410)
    t.regex(gone.text, new RegExp(`no longer retained: the oldest index is ${base}$`))
  }
})

test('a list of an earlier index whose commits are pruned during its read is to be read again', async t => {
  const server = await serverInProcess(t)
  const index = indexOf(await server.send('PUT', '/v1/kv/web', { body: 'x' }))
  await server.send('PUT', '/v1/kv/web', { body: 'y' })
  const { log } = server.app
  const records = log.records.bind(log)
  log.records = () => {
    log.records = records
    throw new CommitsPruned(1, index)
  }
  const path = `/v1/kv/?recurse&at=${index}`
  const answer = await server.send('GET', path)
  t.is(answer.status, 503)
  t.is(answer.headers['x-service-error-code'], 'read.unavailable')
  t.is(answer.text, 'Commits were pruned during the read: repeat it')
  t.is((await server.send('GET', path)).status, 200)
})

test('a history ends with what the base has, whole and without who', async t => {
  const { server } = await retained(t)
  await server.send('PUT', '/v1/kv/a/changed', { body: 'of now' })
  const { text } = await server.send('GET', '/v1/history/kv/a/changed')
  const [newest, oldest, ...others] = JSON.parse(text)
  t.deepEqual(others, [])
  t.deepEqual(
    newest.Patch.map(({ path }: { readonly path: string }) => path),
    ['/KV/Value', '/KV/ModifyIndex']
  )
  t.true(oldest.Base)
  t.is(oldest.By, undefined)
  t.is(oldest.Index, oldest.Payload.KV.ModifyIndex)
  t.is(Buffer.from(oldest.Payload.KV.Value, 'base64').toString(), 'older')
  const untouched = JSON.parse((await server.send('GET', '/v1/history/kv/a/kept')).text)
  t.is(untouched.length, 1)
  t.true(untouched[0].Base)
  t.is((await server.send('GET', '/v1/history/kv/a/never')).status, 404)
})

test('a resource is reverted to its version in the base; older versions are gone', async t => {
  const { server, base } = await retained(t)
  await server.send('PUT', '/v1/kv/a/changed', { body: 'of now' })
  const revert = (key: string, to: number) =>
    server.send('PUT', `/v1/event/revert?topic=KV&key=${key}&to=${to}`)
  const { status, text } = await revert('a/changed', base)
  t.is(status, 200, text)
  t.is((await server.send('GET', '/v1/kv/a/changed?raw')).text, 'older')
  const gone = await revert('key-0', 1)
  t.is(gone.status, 410)
  t.regex(gone.text, /What KV "key-0" was at index 1 is no longer retained: the oldest index is \d+$/)
})

test('pruned commits are proved by their hashes, while only what is retained is opened', async t => {
  const { server, base, checkpoint } = await retained(t)
  t.true(base > 5)
  const get = async (path: string): Promise<string> => {
    const { status, text } = await server.send('GET', path)
    t.is(status, 200, `${path}: ${text}`)
    return text
  }
  const vkey = (await get('/v1/event/checkpoint/key')).trim()
  await server.send('PUT', '/v1/kv/a/changed', {
    body: 'of now',
    headers: { 'X-Service-Checkpoint': 'true' }
  })
  const head = verifiedHead(await get('/v1/event/checkpoint'), vkey)
  const hashesOf = (hashes: readonly string[]) => hashes.map(hash => Buffer.from(hash, 'base64'))
  for (const index of [1, 5, base, base + 1, head.size]) {
    const { LeafHash, Hashes } = JSON.parse(
      await get(`/v1/event/proof/inclusion?index=${index}&size=${head.size}`)
    )
    t.true(isIncluded({ index: index - 1, hash: Buffer.from(LeafHash, 'base64') }, head, hashesOf(Hashes)))
  }
  const { Hashes } = JSON.parse(await get(`/v1/event/proof/consistency?from=5&to=${head.size}`))
  t.true(isConsistent(verifiedHead(checkpoint, vkey), head, hashesOf(Hashes)))
  await get(`/v1/event/leaf?index=${base + 1}`)
  for (const index of [1, base]) {
    const { status, text } = await server.send('GET', `/v1/event/leaf?index=${index}`)
    t.is(status, 410, text)
    t.regex(text, /is no longer kept: the oldest is \d+/)
  }
})
