// Denied attempts: stored in bounded files of their own, and readable with management permissions.
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { DenialLog } from '../../../http/audit/denial-log.js'
import type { DenialLine } from '../../../http/audit/denied-attempt.js'
import { send } from '../../support/client.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { createToken, indexOf, secretWith } from '../support.js'

const keeping = (t: ExecutionContext, audit: object = {}): Promise<TestServer> =>
  serverInProcess(t, { log: 'disk', config: { audit: { denials: true, ...audit } } })

const fileOf = ({ settings }: TestServer): string => join(settings.data_dir, 'denials.ndjson')

const attempts = async (t: ExecutionContext, server: TestServer, query = '', token = ROOT) => {
  const answer = await server.send('GET', `/v1/event/audit?denials=true${query}`, { token })
  t.is(answer.status, 200, answer.text)
  const lines = answer.text.trimEnd().split('\n')
  t.is(JSON.parse(lines.at(-1) ?? '').End, 'until')
  return lines.slice(0, -1).map((line): DenialLine => JSON.parse(line))
}

test('a denied attempt is kept: who, from where, what, and what was missing; and no secret', async t => {
  const server = await keeping(t)
  const { AccessorID, SecretID } = await createToken(server)
  const path = `/v1/kv/web/port?ns=default&token=${SecretID}`
  const headers = { 'X-Service-Request-Id': 'mine-1' }
  t.is((await send(server.base, 'PUT', path, { body: '1', headers })).status, 403)
  const unknown = 'c0ffee00-0000-4000-8000-000000000001'
  t.is((await server.send('GET', '/v1/acl/tokens', { token: unknown })).status, 403)
  const [denied, refused, ...rest] = await attempts(t, server)
  t.deepEqual(rest, [])
  t.like(denied, {
    AfterIndex: server.app.views.index,
    AccessorID,
    RequestID: 'mine-1',
    Method: 'PUT',
    Path: '/v1/kv/web/port?ns=default&token=[redacted]',
    Permission: 'key:write',
    On: 'web/port',
    Namespace: 'default',
    Partition: 'default'
  })
  t.regex(denied?.Address ?? '', /127\.0\.0\.1/)
  t.regex(denied?.Time ?? '', /^\d{4}-/)
  t.like(refused, { AccessorID: '', Path: '/v1/acl/tokens', Refusal: 'ACL not found' })
  const text = readFileSync(fileOf(server), 'utf8')
  for (const secret of [SecretID, unknown, ROOT]) t.false(text.includes(secret))
  t.is(statSync(fileOf(server)).mode & 0o777, 0o600)
})

test('an operation of a transaction and a stream are denied as any request is', async t => {
  const server = await keeping(t)
  const { SecretID: token } = await createToken(server)
  await server.send('PUT', '/v1/txn', { body: [{ KV: { Verb: 'set', Key: 'a', Value: 'MQ==' } }], token })
  await server.send('GET', '/v1/event/stream?topic=KV', { token })
  const lines = await attempts(t, server)
  t.deepEqual(
    lines.map(({ Path, Permission, Count }) => [Path, Permission, Count]),
    [
      ['/v1/txn', 'key:write', undefined],
      ['/v1/event/stream?topic=KV', 'key:read', undefined]
    ]
  )
})

test('they are selected by token, index and time', async t => {
  const server = await keeping(t)
  const [one, other] = [await createToken(server), await createToken(server)]
  await server.send('PUT', '/v1/kv/a', { body: '1', token: one.SecretID })
  const index = indexOf(await server.send('PUT', '/v1/kv/b', { body: '1' }))
  await server.send('PUT', '/v1/kv/c', { body: '1', token: other.SecretID })
  const of = async (query: string) => (await attempts(t, server, query)).map(({ On }) => On)
  t.deepEqual(await of(`&accessor=${one.AccessorID}`), ['a'])
  t.deepEqual(await of(`&since=${index}`), ['c'])
  t.deepEqual(await of(`&until=${index - 1}`), ['a'])
  t.deepEqual(await of('&since=2999-01-01T00:00:00Z'), [])
  t.deepEqual(await of('&until=2999-01-01T00:00:00Z'), ['a', 'c'])
})

test('a flood is bounded: the same again and again is one line, and what is too much is counted', async t => {
  const server = await keeping(t)
  const log = server.scope.resolve(DenialLog)
  const attempt = { accessor: 'x', address: '192.0.2.1', requestId: '1', method: 'GET' }
  for (let i = 0; i < 5000; i++) log.note({ ...attempt, url: '/v1/same', refusal: 'no' })
  for (let i = 0; i < 5000; i++) log.note({ ...attempt, url: `/v1/${i}`, refusal: 'no' })
  const lines = await attempts(t, server)
  t.true(lines.length <= 300)
  t.is(lines[0]?.Count, 5000)
  const total = lines.reduce(
    (sum, { AccessorID, Count = 1, LeftOut }) => sum + (AccessorID ? Count : (LeftOut ?? 0)),
    0
  )
  t.is(total, 10_000)
})

test('the files never have more bytes than they may', async t => {
  const server = await keeping(t, { denials_bytes: 64 * 1024 })
  const log = server.scope.resolve(DenialLog)
  const attempt = { accessor: 'x', address: '192.0.2.1', requestId: '1', method: 'GET', refusal: 'no' }
  for (let i = 0; i < 2000; i++) {
    log.note({ ...attempt, url: `/v1/${i}` })
    if (i % 50 === 0) await log.flush()
  }
  const lines = await attempts(t, server)
  t.is(lines.at(-1)?.Path, '/v1/1999')
  t.true(lines.length > 100)
  const names = readdirSync(server.settings.data_dir).filter(name => name.startsWith('denials'))
  t.deepEqual(names.toSorted(), ['denials.1.ndjson', 'denials.ndjson'])
  const sizes = names.map(name => statSync(join(server.settings.data_dir, name)).size)
  t.true(sizes.reduce((sum, size) => sum + size, 0) <= 64 * 1024)
})

test('a file that was damaged, cut or taken away does no harm', async t => {
  const server = await keeping(t)
  const { SecretID: token } = await createToken(server)
  await server.send('PUT', '/v1/kv/a', { body: '1', token })
  t.is((await attempts(t, server)).length, 1)
  const text = readFileSync(fileOf(server), 'utf8')
  writeFileSync(fileOf(server), `\u0000\u0000{"Time":7}\nnull\n${text}${text.slice(0, 40)}`)
  t.deepEqual(
    (await attempts(t, server)).map(({ On }) => On),
    ['a']
  )
  await server.send('PUT', '/v1/kv/b', { body: '1', token })
  t.is((await attempts(t, server)).at(0)?.On, 'a')
})

test('they are kept through a restart, and nothing is kept where it is not asked for', async t => {
  const server = await keeping(t)
  const { SecretID: token } = await createToken(server)
  await server.send('PUT', '/v1/kv/a', { body: '1', token })
  const dataDir = server.settings.data_dir
  await server.close()
  const again = await serverInProcess(t, { dataDir, config: { data_dir: dataDir, audit: { denials: true } } })
  t.is((await attempts(t, again)).length, 1)
  const without = await serverInProcess(t)
  await without.send('PUT', '/v1/kv/a', { body: '1', token: 'unknown' })
  const { status, text } = await without.send('GET', '/v1/event/audit?denials=true')
  t.is(status, 400)
  t.regex(text, /audit\.denials is off/)
  await without.close()
  t.false(existsSync(fileOf(without)))
})

test('denied attempts of a period are counted by token, repetitions and omitted ones too', async t => {
  const server = await keeping(t)
  const [often, once] = [await createToken(server), await createToken(server)]
  const counts = async (query = '', token = ROOT) =>
    server.send('GET', `/v1/event/audit/denials${query}`, { token })
  const nothing = { IsRecorded: true, Attempts: 0, Accessors: [] }
  t.deepEqual(JSON.parse((await counts()).text), nothing)
  for (let i = 0; i < 3; i++) await server.send('PUT', '/v1/kv/a', { body: '1', token: often.SecretID })
  await server.send('PUT', '/v1/kv/b', { body: '1', token: once.SecretID })
  server.scope.resolve(DenialLog).leaveOut(300)
  t.deepEqual(JSON.parse((await counts()).text), {
    IsRecorded: true,
    Attempts: 304,
    Accessors: [
      { Value: often.AccessorID, Count: 3 },
      { Value: once.AccessorID, Count: 1 }
    ]
  })
  t.deepEqual(JSON.parse((await counts('?since=2999-01-01T00:00:00Z')).text), nothing)
  t.is((await counts('?accessor=x')).status, 400)
  const { status, text } = await counts('', await secretWith(server, 'auditor', 'operator = "read"'))
  t.is(status, 403)
  t.regex(text, /lacks permission 'acl:read'/)
  const without = await serverInProcess(t)
  const { text: off } = await without.send('GET', '/v1/event/audit/denials')
  t.deepEqual(JSON.parse(off), { ...nothing, IsRecorded: false })
})

test('auditors see them with acl:read, and no parameters of commits are taken', async t => {
  const server = await keeping(t)
  const token = await secretWith(server, 'auditor', 'operator = "read"')
  const denied = await server.send('GET', '/v1/event/audit?denials=true', { token })
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'acl:read'/)
  const reader = await secretWith(server, 'reader', 'operator = "read"\nacl = "read"')
  const lines = await attempts(t, server, '', reader)
  t.true(lines.some(({ Permission }) => Permission === 'acl:read'))
  const { status, text } = await server.send('GET', '/v1/event/audit?denials=true&topic=KV')
  t.is(status, 400)
  t.regex(text, /Invalid topic: it cannot be given with denials/)
})
