// Namespaces that require a reason for every write.
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { restore, save } from '../routes/snapshot/support.js'
import { secretWith, tokenOf } from '../support.js'

const WHY = { 'X-Service-Reason': 'a test' }
const MISSING =
  'Bad request: header X-Service-Reason is missing. A write that changes namespace "prod" must say why it is made (reason.required)'

const requiring = async (
  t: Parameters<typeof serverInProcess>[0],
  ...required: readonly string[]
): Promise<TestServer> => {
  const server = await serverInProcess(t, { config: { reason: { required } } })
  for (const Name of ['prod', 'team'])
    await server.send('PUT', '/v1/namespace', { body: { Name }, headers: WHY })
  return server
}

test('a write that changes the namespace needs a reason, and one elsewhere does not', async t => {
  const server = await requiring(t, 'prod')
  const policy = { Name: 'p', Rules: '' }
  for (const [method, path, body] of [
    ['PUT', '/v1/kv/a?ns=prod', '1'],
    ['PUT', '/v1/acl/policy?ns=prod', policy],
    ['PUT', '/v1/txn', [{ KV: { Verb: 'set', Key: 'a', Value: 'Mg==', Namespace: 'prod' } }]],
    ['PUT', '/v1/namespace/prod', { Description: 'production' }],
    ['DELETE', '/v1/namespace/prod', undefined]
  ] as const) {
    const index = server.app.views.index
    const refused = await server.send(method, path, { body })
    t.is(refused.status, 400, path)
    t.is(refused.text, MISSING)
    t.is(server.app.views.index, index)
    t.is((await server.send(method, path, { body, headers: WHY })).status, 200, path)
  }
  t.is((await server.send('PUT', '/v1/kv/a?ns=team', { body: '1' })).status, 200)
  t.is((await server.send('PUT', '/v1/acl/policy', { body: policy })).status, 200)
})

test('what others bring about there needs one too: the end of a node ends the services of the namespace', async t => {
  const server = await requiring(t, 'prod')
  const node = { Node: 'n', Address: '10.0.0.1' }
  t.is((await server.send('PUT', '/v1/catalog/register', { body: node })).status, 200)
  const body = { ...node, Service: { Service: 'web', Namespace: 'prod' } }
  t.is((await server.send('PUT', '/v1/catalog/register', { body })).status, 400)
  t.is((await server.send('PUT', '/v1/catalog/register', { body, headers: WHY })).status, 200)
  const gone = await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'n' } })
  t.is(gone.text, MISSING)
})

test('a missing permission is reported before a missing reason; unchanged resources need no reason', async t => {
  const server = await requiring(t, 'prod')
  const token = await secretWith(server, 'reader', 'key_prefix "" { policy = "read" }')
  t.is((await server.send('PUT', '/v1/kv/a?ns=prod', { body: '1', token })).status, 403)
  t.is((await server.send('DELETE', '/v1/kv/nothing?ns=prod')).status, 200)
})

test('with * every write needs one, but for what programs do by themselves, and the server', async t => {
  const server = await requiring(t, '*')
  t.regex((await server.send('PUT', '/v1/kv/a', { body: '1' })).text, /Every write must say why/)
  const made = await server.send('PUT', '/v1/acl/token', { body: { ExpirationTTL: '1h' }, headers: WHY })
  t.is(made.status, 200)
  const check = { Name: 'up', TTL: '30s' }
  t.is((await server.send('PUT', '/v1/agent/check/register', { body: check })).status, 400)
  t.is((await server.send('PUT', '/v1/agent/check/register', { body: check, headers: WHY })).status, 200)
  t.is((await server.send('PUT', '/v1/agent/check/pass/up')).status, 200)
  const { AccessorID } = tokenOf(made)
  server.advance(3_700_000)
  await until('the token has ended', () => server.app.views.tokens.get(AccessorID) === undefined)
  const { text } = await server.send('GET', '/v1/agent/checks')
  t.is(JSON.parse(text).up.Status, 'critical')
})

test('the restore of a snapshot writes everywhere, and is asked for one reason', async t => {
  const server = await requiring(t, 'prod')
  await server.send('PUT', '/v1/kv/a?ns=prod', { body: '1', headers: WHY })
  const archive = await save(server)
  t.is((await restore(server, archive)).status, 400)
  t.is(server.app.views.restore.current, undefined)
})

test('a namespace of another partition is named with it', async t => {
  const server = await requiring(t, 'p/prod')
  await server.send('PUT', '/v1/partition', { body: { Name: 'p' }, headers: WHY })
  await server.send('PUT', '/v1/namespace?partition=p', { body: { Name: 'prod' }, headers: WHY })
  t.is((await server.send('PUT', '/v1/kv/a?ns=prod', { body: '1' })).status, 200)
  t.is((await server.send('PUT', '/v1/kv/a?ns=prod&partition=p', { body: '1' })).status, 400)
  t.is((await server.send('DELETE', '/v1/partition/p')).status, 400)
  t.is((await server.send('DELETE', '/v1/partition/p', { headers: WHY })).status, 200)
})

test('a reload changes which these are', async t => {
  const server = await requiring(t)
  t.is((await server.send('PUT', '/v1/kv/a?ns=prod', { body: '1' })).status, 200)
  const config: object = JSON.parse(readFileSync(server.file, 'utf8'))
  writeFileSync(server.file, JSON.stringify({ ...config, reason: { required: ['prod'] } }))
  t.is((await server.send('PUT', '/v1/agent/reload')).status, 200)
  t.is((await server.send('PUT', '/v1/kv/a?ns=prod', { body: '2' })).text, MISSING)
})
