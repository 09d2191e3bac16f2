// Erasing from the log over HTTP, and what is left of it in the files.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { ErasureProcess } from '../../../../actors/erasure/erasure-process.js'
import { verifyChain } from '../../../../events/log/verify.js'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { TOKEN_TOPIC } from '../../../../events/token.js'
import { allErased } from '../../../support/erasures.js'
import { filesWith } from '../../../support/files-with.js'
import { temporaryFolder } from '../../../support/process.js'
import { until } from '../../../support/wait.js'
import { openLog } from '../../../../server/open-log.js'
import { DISK_TIMEOUT_MS, serverInProcess, type TestServer } from '../../../support/server.js'
import { createToken, secretWith } from '../../support.js'

const SECRET = 'the-number-of-a-customer'
const HOUR = 3_600_000

const erase = (server: TestServer, body: object, query = '', token?: string) =>
  server.send('POST', `/v1/event/erase${query}`, { body, ...(token === undefined ? {} : { token }) })

const order = (body: object) => ({ Reason: 'request 2026-117', ...body })

interface Entry {
  readonly Index: number
  readonly State: string
  readonly Parts: number
}

test('a deleted entry is erased from every file, and the log continues, restarts and verifies', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  await server.send('PUT', '/v1/kv/customers/1', { body: `${SECRET} 1` })
  await server.send('PUT', '/v1/kv/customers/2', { body: `${SECRET} 2` })
  await server.send('PUT', '/v1/kv/other', { body: 'stays' })
  await server.send('DELETE', '/v1/kv/customers/1')
  const refused = await erase(server, order({ Topic: 'KV', Prefix: 'customers/' }))
  t.is(refused.status, 409)
  t.regex(refused.text, /customers\/2.* delete it first/)
  await server.send('DELETE', '/v1/kv/customers/2')
  t.not(filesWith(dataDir, [`${SECRET} 1`]).length, 0)
  const trial = await erase(server, order({ Topic: 'KV', Prefix: 'customers/' }), '?dry-run')
  t.like(JSON.parse(trial.text), { DryRun: true, Commits: 4, Versions: 4 })
  const { headHash } = server.app.log instanceof SegmentEventLog ? server.app.log : { headHash: '' }
  const ordered = await erase(server, order({ Topic: 'KV', Prefix: 'customers/' }))
  t.is(ordered.status, 200, ordered.text)
  const { Index }: Entry = JSON.parse(ordered.text)
  await allErased(server)
  const entries: readonly Entry[] = JSON.parse((await server.send('GET', '/v1/event/erasures')).text)
  t.deepEqual(
    entries.map(entry => [entry.Index, entry.State, entry.Parts]),
    [[Index, 'done', 4]]
  )
  t.deepEqual(filesWith(dataDir, [`${SECRET} 1`, `${SECRET} 2`]), [])
  const stream = await server.send('GET', '/v1/event/audit?topic=KV&payload=true')
  t.regex(stream.text, /"Key":"customers\/1".*"Erased":true/)
  t.notRegex(stream.text, new RegExp(SECRET))
  await server.close()
  const again = await serverInProcess(t, { dataDir })
  t.is((await again.send('GET', '/v1/kv/other?raw')).text, 'stays')
  t.is((await again.send('GET', '/v1/kv/customers/1')).status, 404)
  const { log } = again.app
  if (!(log instanceof SegmentEventLog)) return t.fail()
  t.is((await verifyChain(log)).broken, undefined)
  t.not(headHash, '')
  await allErased(again)
  t.deepEqual(filesWith(dataDir, [`${SECRET} 1`, `${SECRET} 2`]), [])
})

test('with Scope history the newest version stays', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  for (const version of ['one', 'two', 'three'])
    await server.send('PUT', '/v1/kv/a', { body: `${SECRET}-${version}` })
  t.is((await erase(server, order({ Topic: 'KV', Key: 'a', Scope: 'history' }))).status, 200)
  await allErased(server)
  t.deepEqual(filesWith(dataDir, [`${SECRET}-one`, `${SECRET}-two`]), [])
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, `${SECRET}-three`)
  await server.close()
  const again = await serverInProcess(t, { dataDir })
  t.is((await again.send('GET', '/v1/kv/a?raw')).text, `${SECRET}-three`)
  t.is((await erase(again, order({ Topic: 'KV', Key: 'b' }))).status, 404)
})

test('Part who erases from where and why of one accessor', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  const { AccessorID, SecretID } = await createToken(server, {
    Policies: [{ ID: '00000000-0000-0000-0000-000000000001' }]
  })
  const headers = { 'X-Service-Reason': 'ticket-of-mallory' }
  await server.send('PUT', '/v1/kv/a', { body: '1', token: SecretID, headers })
  t.not(filesWith(dataDir, ['ticket-of-mallory']).length, 0)
  t.is((await erase(server, order({ Part: 'who', Accessor: AccessorID }))).status, 200)
  await allErased(server)
  t.deepEqual(filesWith(dataDir, ['ticket-of-mallory']), [])
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '1')
})

test('bad orders are refused naming field and rule, and need acl:write', async t => {
  const server = await serverInProcess(t)
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ Topic: 'KV', Key: 'a' }, /Reason/],
    [order({ Key: 'a' }), /Topic/],
    [order({ Topic: 'Nothing', Key: 'a' }), /Invalid Topic/],
    [order({ Topic: 'Erasure', Prefix: '' }), /Invalid Topic/],
    [order({ Topic: 'KV' }), /Key/],
    [order({ Topic: 'KV', Key: 'a', Prefix: 'a' }), /Invalid Prefix/],
    [order({ Topic: 'KV', Key: 'a', Scope: 'all' }), /Scope/],
    [order({ Topic: 'KV', Key: 'a', Part: 'what' }), /Part/],
    [order({ Topic: 'KV', Part: 'who', Accessor: 'x' }), /Invalid Topic/],
    [order({ Part: 'who' }), /Missing Accessor/],
    [order({ Part: 'who', Accessor: 'x' }), /Invalid Accessor/],
    [order({ Topic: 'KV', Key: 'a', Accessor: 'x' }), /Invalid Accessor/],
    [order({ Topic: 'KV', Key: 'a', Reson: 'x' }), /Reson/],
    [{ Topic: 'KV', Key: 'a', Reason: '' }, /Invalid Reason/]
  ]
  for (const [body, rule] of cases) {
    const { status, text } = await erase(server, body)
    t.is(status, 400, text)
    t.regex(text, rule)
  }
  t.is((await erase(server, order({ Topic: 'KV', Key: 'a' }), '?dryrun')).status, 400)
  const token = await secretWith(server, 'writer', 'key_prefix "" { policy = "write" } operator = "write"')
  const denied = await erase(server, order({ Topic: 'KV', Prefix: '' }), '', token)
  t.is(denied.status, 403)
  t.regex(denied.text, /acl:write|'acl:write'/)
  t.is((await server.send('GET', '/v1/event/erasures', { token })).status, 403)
})

test('the secret of a deleted token is in no file an hour later, of any other it stays', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  const gone = await createToken(server)
  const kept = await createToken(server)
  await server.send('DELETE', `/v1/acl/token/${gone.AccessorID}`)
  server.advance(HOUR - 60_000)
  await allErased(server)
  t.not(filesWith(dataDir, [gone.SecretID]).length, 0)
  server.advance(2 * 60_000)
  await until('the secret is in no file', () => filesWith(dataDir, [gone.SecretID]).length === 0)
  t.not(filesWith(dataDir, [kept.SecretID]).length, 0)
  await server.close()
  const again = await serverInProcess(t, { dataDir, clock: server.clock })
  t.is((await again.send('GET', '/v1/acl/token/self', { token: kept.SecretID })).status, 200)
  t.is((await again.send('GET', '/v1/acl/token/self', { token: gone.SecretID })).status, 403)
})

test('a start looks for what has ended behind the last one, or before the first whose secrets are still there', async t => {
  const dataDir = temporaryFolder(t)
  const markOf = (): number => JSON.parse(readFileSync(join(dataDir, 'erased.json'), 'utf8')).SecretsUpTo
  const server = await serverInProcess(t, { dataDir })
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  await allErased(server)
  const { index } = server.app.views
  await server.close()
  t.is(markOf(), index)

  const again = await serverInProcess(t, { dataDir })
  const { AccessorID } = await createToken(again)
  const before = again.app.views.index
  await again.send('DELETE', `/v1/acl/token/${AccessorID}`)
  await again.send('PUT', '/v1/kv/a', { body: 'y' })
  await allErased(again)
  await again.close()
  t.is(markOf(), before)
})

test('commits during the search of a start do not end it', async t => {
  let release = (): void => {}
  const released = new Promise<void>(resolve => (release = resolve))
  const server = await serverInProcess(t, {
    open: async settings => {
      const log = await openLog(settings, { patience: DISK_TIMEOUT_MS })
      const records = log.records.bind(log)
      log.records = async function* (from, range) {
        if (range?.topics?.includes(TOKEN_TOPIC)) await released
        yield* records(from, range)
      }
      return { log }
    }
  })
  await createToken(server)
  release()
  await allErased(server)
  const checkpoint = readFileSync(join(server.settings.data_dir, 'erased.json'), 'utf8')
  t.is(JSON.parse(checkpoint).SecretsUpTo, server.app.views.index)
})

test('a server knows after a start up to where the secrets of what had ended were erased', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  const { AccessorID } = await createToken(server)
  const made = server.app.views.index
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.is(server.scope.resolve(ErasureProcess).erasedUpTo, 0)
  server.advance(HOUR)
  await until('the secret is erased', () => server.scope.resolve(ErasureProcess).erasedUpTo === made)
  await server.close()
  const again = await serverInProcess(t, { dataDir, clock: server.clock })
  await allErased(again)
  t.is(again.scope.resolve(ErasureProcess).erasedUpTo, made)
})
