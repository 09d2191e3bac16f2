// Legal holds over HTTP, and what they keep from erasures (docs/how-to/legal-hold.md).
import test, { type ExecutionContext } from 'ava'
import type { TestResponse } from '../../../support/client.js'
import { allErased } from '../../../support/erasures.js'
import { filesWith } from '../../../support/files-with.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken } from '../../support.js'

const HOUR = 3_600_000
const because = { 'X-Service-Reason': 'request 2026-117' }

const place = (server: TestServer, name: string, body: object = {}): Promise<TestResponse> =>
  server.send('PUT', `/v1/event/hold/${name}`, { body, headers: because })
const lift = (server: TestServer, name: string): Promise<TestResponse> =>
  server.send('DELETE', `/v1/event/hold/${name}`, { headers: because })
const erase = (server: TestServer, body: object, query = ''): Promise<TestResponse> =>
  server.send('POST', `/v1/event/erase${query}`, { body: { Reason: 'test', ...body } })

const withDeletedKeys = async (t: ExecutionContext): Promise<TestServer> => {
  const server = await serverInProcess(t, { dataDir: temporaryFolder(t) })
  for (const key of ['customers/1', 'customers/2', 'other']) {
    await server.send('PUT', `/v1/kv/${key}`, { body: `content of ${key}` })
    await server.send('DELETE', `/v1/kv/${key}`)
  }
  return server
}

test('a hold is placed, read, listed, changed and lifted, each with a reason', async t => {
  const server = await serverInProcess(t)
  const placed = await place(server, 'case', { Topics: ['KV:customers/'], From: '2026-01-01T01:00:00+01:00' })
  t.is(placed.status, 200, placed.text)
  const hold = JSON.parse(placed.text)
  t.like(hold, {
    Name: 'case',
    Topics: ['KV:customers/'],
    Namespace: '*',
    Partition: '*',
    From: '2026-01-01T00:00:00Z',
    Reason: 'request 2026-117'
  })
  t.deepEqual(JSON.parse((await server.send('GET', '/v1/event/hold/case')).text), hold)
  t.deepEqual(JSON.parse((await server.send('GET', '/v1/event/holds')).text), [hold])
  const changed = JSON.parse((await place(server, 'case', { Namespace: 'Team' })).text)
  t.like(changed, { Namespace: 'team', CreateIndex: hold.CreateIndex })
  t.false('Topics' in changed)
  t.is((await lift(server, 'case')).text, 'true')
  t.is((await server.send('GET', '/v1/event/hold/case')).status, 404)
  t.is((await lift(server, 'case')).status, 404)
  const { text } = await server.send('GET', '/v1/event/audit?topic=LegalHold')
  t.deepEqual(text.match(/LegalHold(Placed|Lifted)"/g)?.length, 3)
  t.is(text.match(/"Reason":"request 2026-117"/g)?.length, 3)
})

test('an erasure of held versions is refused and names the hold, also as a dry run', async t => {
  const server = await withDeletedKeys(t)
  const accessor: string = JSON.parse((await server.send('GET', '/v1/acl/token/self')).text).AccessorID
  await place(server, 'case', { Topics: ['KV:customers/1'] })
  for (const query of ['', '?dry-run'])
    for (const body of [
      { Topic: 'KV', Key: 'customers/1' },
      { Topic: 'KV', Prefix: 'customers/' },
      { Topic: 'KV', Prefix: '', Scope: 'history' },
      { Part: 'who', Accessor: accessor }
    ]) {
      const { status, text, headers } = await erase(server, body, query)
      t.is(status, 409, text)
      t.is(headers['x-service-error-code'], 'erasure.held')
      t.regex(text, /Legal hold "case" covers commit \d+/)
    }
  const other = await erase(server, { Topic: 'KV', Prefix: 'customers/2' })
  t.is(other.status, 200, other.text)
  await lift(server, 'case')
  t.is((await erase(server, { Topic: 'KV', Prefix: 'customers/' })).status, 200)
  await allErased(server)
  const { text } = await server.send('GET', '/v1/event/audit?topic=KV&payload=true')
  t.is(text.match(/"Erased":true/g)?.length, 4)
})

test('a hold covers only its period and its namespace', async t => {
  const server = await withDeletedKeys(t)
  await place(server, 'past', { Until: '2020-01-01T00:00:00Z' })
  await place(server, 'future', { From: '2100-01-01T00:00:00Z' })
  await place(server, 'elsewhere', { Namespace: 'team' })
  t.is((await erase(server, { Topic: 'KV', Key: 'customers/1' })).status, 200)
  await place(server, 'now', { From: '2020-01-01T00:00:00Z', Until: '2100-01-01T00:00:00Z' })
  const refused = await erase(server, { Topic: 'KV', Key: 'customers/2' })
  t.regex(refused.text, /Legal hold "now"/)
})

test('secrets of deleted tokens and idempotent responses are erased under a hold of everything', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  await place(server, 'all')
  const { AccessorID, SecretID } = await createToken(server)
  t.not(filesWith(dataDir, [SecretID]).length, 0)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  server.advance(HOUR + 1000)
  await until('the secret is erased', () => filesWith(dataDir, [SecretID]).length === 0)

  const responded = await server.send('PUT', '/v1/acl/token', {
    body: {},
    headers: { 'X-Service-Idempotency-Key': 'one' }
  })
  const token: Awaited<ReturnType<typeof createToken>> = JSON.parse(responded.text)
  await server.send('DELETE', `/v1/acl/token/${token.AccessorID}`)
  server.advance(HOUR + 1000)
  t.not(filesWith(dataDir, [token.SecretID]).length, 0, 'the response is stored')
  server.advance(26 * HOUR)
  await until('the response is erased', () => filesWith(dataDir, [token.SecretID]).length === 0)
  t.is(JSON.parse((await server.send('GET', '/v1/event/holds')).text).length, 1)
})

test('the restore of a snapshot brings holds, and neither lifts nor changes one', async t => {
  const server = await serverInProcess(t, { dataDir: temporaryFolder(t) })
  await place(server, 'archived', { Topics: ['KV'] })
  await place(server, 'changed', { Topics: ['KV'] })
  const archive = await fetch(`${server.base}/v1/snapshot`, { headers: { 'X-Service-Token': ROOT } })
  const bytes = Buffer.from(await archive.arrayBuffer())
  await lift(server, 'archived')
  await place(server, 'changed', {})
  await place(server, 'later')
  const restored = await fetch(`${server.base}/v1/snapshot`, {
    method: 'PUT',
    body: bytes,
    headers: { 'X-Service-Token': ROOT }
  })
  t.is(restored.status, 200, await restored.text())
  const holds: readonly { readonly Name: string; readonly Topics?: readonly string[] }[] = JSON.parse(
    (await server.send('GET', '/v1/event/holds')).text
  )
  t.deepEqual(
    holds.map(({ Name, Topics }) => [Name, Topics]),
    [
      ['archived', ['KV']],
      ['changed', undefined],
      ['later', undefined]
    ]
  )
})

test('a hold needs operator permissions, a reason and a valid scope', async t => {
  const server = await serverInProcess(t)
  await place(server, 'case')
  const reader = await createToken(server, {
    Policies: [{ ID: await createPolicy(server, 'reads', 'operator = "read"') }]
  })
  const as = { token: reader.SecretID, headers: because }
  t.is((await server.send('GET', '/v1/event/holds', as)).status, 200)
  t.is((await server.send('PUT', '/v1/event/hold/x', { ...as, body: {} })).status, 403)
  t.is((await server.send('DELETE', '/v1/event/hold/case', as)).status, 403)
  t.is((await server.send('GET', '/v1/event/hold/case', { token: '' })).status, 403)
  for (const [method, name, body] of [
    ['PUT', 'case', {}],
    ['DELETE', 'case', undefined]
  ] as const) {
    const { status, text } = await server.send(method, `/v1/event/hold/${name}`, body ? { body } : {})
    t.is(status, 400)
    t.regex(text, /X-Service-Reason is missing/)
  }
  for (const [name, body, rule] of [
    ['a%20b', {}, /Name "a b" must be 1 to 128/],
    ['x', { Topics: ['Nothing'] }, /Topics "Nothing" must be a topic/],
    ['x', { Topics: ['any'] }, /Topics "any"/],
    ['x', { Topics: ['KV:'] }, /Topics "KV:"/],
    ['x', { From: 'yesterday' }, /From "yesterday" must be a time/],
    [
      'x',
      { From: '2026-02-01T00:00:00Z', Until: '2026-01-01T00:00:00Z' },
      /Until .* must not be before From/
    ],
    ['x', { Namespace: '-' }, /Namespace "-" must be/],
    ['x', { Name: 'y' }, /do not match/]
  ] as const) {
    const { status, text } = await place(server, name, body)
    t.is(status, 400, text)
    t.regex(text, rule)
  }
})
