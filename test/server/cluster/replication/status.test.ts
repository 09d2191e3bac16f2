// What a datacenter tells of how replication fares (spec: auth.md §11.1).
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { ROOT } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { caughtUp, put, startPair, statusOf, replicated } from './support.js'

const NEVER = '0001-01-01T00:00:00Z'
const withTokenReplication = (enabled: boolean) => (name: string) =>
  name === 'dc1'
    ? {}
    : {
        config: {
          acl: {
            enabled: true,
            default_policy: 'deny',
            enable_token_replication: enabled,
            tokens: { initial_management: ROOT }
          }
        }
      }
const waiting = { remote: () => ({}), of: withTokenReplication(true) }

test('the primary takes nothing over, a secondary tells up to where and when', async t => {
  const [dc1, dc2] = await startPair(t)
  t.like(await statusOf(dc1), { Enabled: false, Running: false, SourceDatacenter: '', ReplicationType: '' })
  await put(dc1, '/v1/acl/role', { Name: 'a' })
  await caughtUp(dc1, dc2)
  const { policies, roles, tokens } = dc1.app.views
  const status = await statusOf(dc2)
  t.like(status, {
    Enabled: true,
    Running: true,
    SourceDatacenter: 'dc1',
    ReplicationType: 'tokens',
    ReplicatedIndex: policies.index,
    ReplicatedRoleIndex: roles.index,
    ReplicatedTokenIndex: tokens.index,
    LastError: NEVER,
    LastErrorMessage: ''
  })
  t.regex(String(status['LastSuccess']), /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const metrics = (await dc2.send('GET', '/v1/agent/metrics?format=prometheus')).text
  t.regex(metrics, /^annals_replication_lag_commits 0$/m)
  t.regex(metrics, /^annals_replication_last_success_age_seconds \d/m)
})

test('without ACLs no token is needed', async t => {
  const [dc1, dc2] = await startPair(t, {
    remote: () => ({}),
    of: () => ({ config: { acl: { enabled: false } } })
  })
  await put(dc2, '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await caughtUp(dc1, dc2)
  t.is((await dc2.send('GET', '/v1/config/service-defaults/web')).status, 200)
})

test('without a token it waits, and begins when it is given one', async t => {
  const [dc1, dc2] = await startPair(t, waiting)
  t.like(await statusOf(dc2), {
    Enabled: true,
    Running: true,
    ReplicationType: 'tokens',
    ReplicatedIndex: 0,
    LastSuccess: NEVER,
    LastError: NEVER
  })
  const given = { body: JSON.stringify({ Token: ROOT }) }
  t.is((await dc2.send('PUT', '/v1/agent/token/replication', given)).status, 200)
  await caughtUp(dc1, dc2)
  t.is((await statusOf(dc2))['LastErrorMessage'], '')
})

test('a token that is unknown, or may not read secrets, is reported', async t => {
  const [dc1, dc2] = await startPair(t, waiting)
  const use = (token: unknown) =>
    dc2.send('PUT', '/v1/agent/token/replication', { body: JSON.stringify({ Token: token }) })
  await use('00000000-1111-2222-3333-444444444444')
  await replicated(dc2, /^failed to retrieve remote ACL tokens: rpc error making call: ACL not found$/)
  const reading = await put(dc1, '/v1/acl/policy', { Name: 'reading', Rules: 'acl = "read"' })
  const token = await put(dc1, '/v1/acl/token', { Policies: [{ ID: reading['ID'] }] })
  await use(token['SecretID'])
  await replicated(
    dc2,
    /^failed to retrieve unredacted tokens - replication token in use does not grant acl:write$/
  )
  await until(
    'policies come',
    async () => (await dc2.send('GET', '/v1/acl/policy/name/reading')).status === 200
  )
  t.is(dc2.app.views.tokens.get(String(token['AccessorID'])), undefined)
  await until('with them', async () => (await statusOf(dc2))['LastSuccess'] !== NEVER)
  const rules = { ID: reading['ID'], Name: 'reading', Rules: 'acl = "write"' }
  await put(dc1, `/v1/acl/policy/${String(reading['ID'])}`, rules)
  await until('tokens come', () => dc2.app.views.tokens.get(String(token['AccessorID'])))
  await use('anonymous')
  await replicated(dc2, /^failed to retrieve remote ACL policies: rpc error making call: Permission denied/)
})

test('without the primary replicated resources stay, and the error is reported', async t => {
  const [dc1, dc2] = await startPair(t)
  const token = await put(dc1, '/v1/acl/token', { Description: 'x' })
  await caughtUp(dc1, dc2)
  const before = await statusOf(dc2)
  await dc1.gate.shut()
  await replicated(dc2, /^No path to datacenter: no server of "dc1" can be reached/)
  const after = await statusOf(dc2)
  t.is(after['ReplicatedTokenIndex'], before['ReplicatedTokenIndex'])
  t.true(after['Running'])
  t.is((await dc2.send('GET', '/v1/acl/token/self', { token: String(token['SecretID']) })).status, 200)
  const metrics = (await dc2.send('GET', '/v1/agent/metrics?format=prometheus')).text
  t.regex(metrics, /^annals_replication_failures_total\{kind="refused"\} [1-9]/m)
  await dc1.gate.open()
  await put(dc1, '/v1/acl/token', { Description: 'y' })
  await caughtUp(dc1, dc2)
  t.not((await statusOf(dc2))['LastErrorMessage'], '')
})

test('a silent primary is contacted again', async t => {
  const [dc1, dc2] = await startPair(t)
  await caughtUp(dc1, dc2)
  dc1.gate.hold()
  await until('it is noticed', async () => {
    dc2.advance(1000)
    return /has fallen silent|No path/.test(String((await statusOf(dc2))['LastErrorMessage']))
  })
  await put(dc1, '/v1/acl/policy', { Name: 'meanwhile', Rules: '' })
  dc1.gate.pass()
  await caughtUp(dc1, dc2)
  t.is((await dc2.send('GET', '/v1/acl/policy/name/meanwhile')).status, 200)
})

test('without token replication policies come, and tokens stay what they are', async t => {
  const [dc1, dc2] = await startPair(t, { of: withTokenReplication(false) })
  await put(dc1, '/v1/acl/policy', { Name: 'there', Rules: '' })
  const token = await put(dc1, '/v1/acl/token', { Description: 'x' })
  const own = dc2.app.views.tokens.bySecret(ROOT)?.token.AccessorID
  await caughtUp(dc1, dc2)
  t.like(await statusOf(dc2), { ReplicationType: 'policies', ReplicatedTokenIndex: 0, LastErrorMessage: '' })
  t.truthy(dc2.app.views.policies.named(DEFAULT_TENANCY, 'there'))
  t.is(dc2.app.views.tokens.get(String(token['AccessorID'])), undefined)
  t.is(dc2.app.views.tokens.bySecret(ROOT)?.token.AccessorID, own)
})
