// A datacenter that takes over what its primary has (spec: auth.md §11.2): two servers in one process.
import { OWN_LOG } from '../../../../server/settings/ports.js'
import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { SERVER } from '../../../../actors/aggregate.js'
import { inNamespace } from '../../../../actors/ref.js'
import { ActorSystem } from '../../../../actors/system.js'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { isPolicyEvent } from '../../../../events/policy.js'
import { ANONYMOUS_ACCESSOR, TOKEN_TOPIC } from '../../../../events/token.js'
import { id, tokenInput } from '../../../actors/acl-resources.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { startTcpProxy } from '../../../support/tcp-proxy.js'
import { until } from '../../../support/wait.js'
import { caughtUp, put, startPair, statusOf, fixtureIn } from './support.js'

const KEY = Buffer.alloc(32, 7).toString('base64')
const MANY = 1200
const KEYS = 'key_prefix "" { policy = "write" }'

const snapshot = ({ base }: TestServer, options: RequestInit = {}): Promise<Response> =>
  fetch(`${base}/v1/snapshot`, { ...options, headers: { 'X-Service-Token': ROOT } })
const archiveOf = async (at: TestServer): Promise<ArrayBuffer> => (await snapshot(at)).arrayBuffer()
const restore = async (at: TestServer, body: ArrayBuffer): Promise<number> =>
  (await snapshot(at, { method: 'PUT', body })).status

test('a token made in the primary works in the secondary, and ends there', async t => {
  const [dc1, dc2] = await startPair(t)
  const policy = await put(dc1, '/v1/acl/policy', { Name: 'keys', Rules: KEYS })
  const role = await put(dc1, '/v1/acl/role', { Name: 'writers', Policies: [{ ID: policy['ID'] }] })
  const token = await put(dc1, '/v1/acl/token', { Description: 'x', Roles: [{ ID: role['ID'] }] })
  const secret = String(token['SecretID'])
  await caughtUp(dc1, dc2)
  t.is((await dc2.send('PUT', '/v1/kv/a', { token: secret, body: '1' })).status, 200)
  const path = `/v1/acl/token/${String(token['AccessorID'])}`
  const copy = fixtureIn((await dc2.send('GET', path)).text)
  t.like(copy, { SecretID: secret, Description: 'x', CreateTime: token['CreateTime'], Hash: token['Hash'] })
  t.is(copy['CreateIndex'], copy['ModifyIndex'])
  await dc1.send('DELETE', path)
  await caughtUp(dc1, dc2)
  t.is((await dc2.send('GET', '/v1/kv/a', { token: secret })).status, 403)
})

test('configuration entries and namespaces come too, local tokens and keys do not', async t => {
  const [dc1, dc2] = await startPair(t)
  await put(dc1, '/v1/namespace', { Name: 'team', Description: 'of the primary' })
  await put(dc1, '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await put(dc1, '/v1/acl/policy?ns=team', { Name: 'keys', Rules: KEYS })
  const local = await put(dc1, '/v1/acl/token', { Local: true })
  await dc1.send('PUT', '/v1/kv/only-here', { body: '1' })
  await caughtUp(dc1, dc2)
  t.is(fixtureIn((await dc2.send('GET', '/v1/namespace/team')).text)['Description'], 'of the primary')
  const entry = '/v1/config/service-defaults/web'
  t.is(fixtureIn((await dc2.send('GET', entry)).text)['Protocol'], 'http')
  t.is((await dc2.send('GET', '/v1/acl/policy/name/keys?ns=team')).status, 200)
  t.is((await dc2.send('GET', `/v1/acl/token/${String(local['AccessorID'])}`)).status, 403)
  t.is((await dc2.send('GET', '/v1/kv/only-here')).status, 404)
  await dc1.send('DELETE', entry)
  await dc1.send('DELETE', '/v1/namespace/team')
  await until('the namespace ends', async () => (await dc2.send('GET', '/v1/namespace/team')).status === 404)
  t.is((await dc2.send('GET', entry)).status, 404)
})

const manyComeInBoundedCommits = async (t: ExecutionContext, isResumed: boolean): Promise<void> => {
  const [dc1, dc2] = await startPair(t)
  if (isResumed) await caughtUp(dc1, dc2)
  await dc1.gate.shut()
  const system = dc1.scope.resolve(ActorSystem)
  for (let n = 0; n < MANY; n++) {
    const ref = inNamespace(TOKEN_TOPIC, DEFAULT_TENANCY, '')
    const data = { ...tokenInput(), newAccessor: id(n), newSecret: id(MANY + n) }
    const asked = {
      name: 'CreateToken',
      tenancy: DEFAULT_TENANCY,
      caller: SERVER,
      at: Date.now(),
      data
    } as const
    system.send(ref, asked)
  }
  await dc1.app.committer.durable()
  await dc1.gate.open()
  const { tokens } = dc2.app.views
  await until(
    'all are there',
    () => tokens.size === dc1.app.views.tokens.size && dc2.app.views.replication.position
  )
  t.is(tokens.bySecret(id(MANY + 7))?.token.AccessorID, id(7))
  await dc2.app.committer.durable()
  for await (const { Events, By } of dc2.app.log.read(1))
    t.true(Events.length <= 501, `${By.Command} has ${Events.length} events`)
}

test('many come in bounded commits', t => manyComeInBoundedCommits(t, false))

test('many that were missed come in bounded commits', t => manyComeInBoundedCommits(t, true))

test('what the primary does not have ends, but for what is of this datacenter alone', async t => {
  const mine = '5d7a6c1e-0000-4000-8000-000000000001'
  const acl = { enabled: true, default_policy: 'deny', tokens: { initial_management: mine } }
  const [dc1, dc2] = await startPair(t, {
    of: name => ({ log: 'disk', ...(name === 'dc2' && { config: { acl } }) })
  })
  await caughtUp(dc1, dc2)
  t.is((await dc2.send('GET', '/v1/acl/token/self', { token: mine })).status, 403)
  const { token } = dc2.app.views.tokens.bySecret(ROOT) ?? {}
  t.is(token?.AccessorID, dc1.app.views.tokens.bySecret(ROOT)?.token.AccessorID)
  t.truthy(dc2.app.views.tokens.get(ANONYMOUS_ACCESSOR))
  const kept = await put(dc2, '/v1/acl/token', { Local: true, Description: 'of dc2' })
  await put(dc1, '/v1/acl/token', { Description: 'of both' })
  await caughtUp(dc1, dc2)
  t.is((await dc2.send('GET', '/v1/acl/token/self', { token: String(kept['SecretID']) })).status, 200)
})

test('what a local token was in the way of comes when that is deleted', async t => {
  const [dc1, dc2] = await startPair(t)
  const secret = id(7)
  const local = await put(dc2, '/v1/acl/token', { Local: true, SecretID: secret })
  const copied = String((await put(dc1, '/v1/acl/token', { SecretID: secret }))['AccessorID'])
  await put(dc1, '/v1/acl/policy', { Name: 'later', Rules: '' })
  await caughtUp(dc1, dc2)
  const { policies, replication, tokens } = dc2.app.views
  t.truthy(policies.named(DEFAULT_TENANCY, 'later'))
  t.is(tokens.get(copied), undefined)
  t.regex(String((await statusOf(dc2))['LastErrorMessage']), /one of this datacenter alone/)
  t.true(replication.position?.LeftOut)
  await dc2.send('DELETE', `/v1/acl/token/${String(local['AccessorID'])}`)
  dc2.advance(30_000)
  await until('the copy is there', () => tokens.get(copied))
  await until('nothing is left out', () => !replication.position?.LeftOut)
  t.is((await dc2.send('GET', '/v1/acl/token/self', { token: secret })).status, 200)
})

test('a restart resumes replication, and does not restore tokens of the settings', async t => {
  const [dc1, dc2] = await startPair(t)
  await put(dc1, '/v1/acl/policy', { Name: 'before', Rules: '' })
  await caughtUp(dc1, dc2)
  const { file, settings } = dc2
  await dc2.close()
  await put(dc1, '/v1/acl/policy', { Name: 'meanwhile', Rules: '' })
  const config = fixtureIn(readFileSync(file, 'utf8'))
  const acl = { enabled: true, default_policy: 'deny', tokens: { initial_management: settings.node_id } }
  const again = await serverInProcess(t, { config: { ...config, acl }, dataDir: settings.data_dir })
  await caughtUp(dc1, again)
  t.is((await again.send('GET', '/v1/acl/policy/name/meanwhile')).status, 200)
  t.is((await again.send('GET', '/v1/acl/token/self', { token: settings.node_id })).status, 403)
  const names: string[] = []
  for await (const { Events } of again.app.log.read(1))
    for (const event of Events) if (isPolicyEvent(event)) names.push(event.Payload.ACLPolicy.Name)
  t.deepEqual(
    names.filter(name => name !== 'global-management'),
    ['before', 'meanwhile']
  )
})

test('a new primary is detected: resources that it lacks are deleted', async t => {
  const primary = (): Promise<TestServer> =>
    serverInProcess(t, {
      log: 'disk',
      config: {
        datacenter: 'dc1',
        datacenters: { dc2: { url: 'http://127.0.0.1:1' } },
        replication: { key: KEY }
      }
    })
  const [before, after] = [await primary(), await primary()]
  let [{ port }] = [before]
  const gate = await startTcpProxy(t, () => port)
  const remote = { url: `http://127.0.0.1:${gate.port}`, token: ROOT }
  const dc2 = await serverInProcess(t, {
    config: {
      datacenter: 'dc2',
      primary_datacenter: 'dc1',
      datacenters: { dc1: remote },
      replication: { key: KEY }
    }
  })
  await put(before, '/v1/acl/policy', { Name: 'old', Rules: '' })
  await caughtUp(before, dc2)
  await gate.shut()
  await put(after, '/v1/acl/policy', { Name: 'new', Rules: '' })
  ;({ port } = after)
  await gate.open()
  const { policies } = dc2.app.views
  await until('what the other one has is there', () => policies.named(DEFAULT_TENANCY, 'new'))
  await until('what it lacks is gone', () => !policies.named(DEFAULT_TENANCY, 'old'))
  t.is(dc2.app.views.replication.position?.Log, after.scope.resolve(OWN_LOG).identity.id)
})

test('what a restore in the primary changes is changed here, and one here is undone', async t => {
  const [dc1, dc2] = await startPair(t)
  await put(dc1, '/v1/acl/policy', { Name: 'first', Rules: '' })
  await caughtUp(dc1, dc2)
  const [there, here] = [await archiveOf(dc1), await archiveOf(dc2)]
  await put(dc1, '/v1/acl/policy', { Name: 'second', Rules: '' })
  await caughtUp(dc1, dc2)
  t.is(await restore(dc2, here), 200)
  const { policies } = dc2.app.views
  await until('it is there again', () => policies.named(DEFAULT_TENANCY, 'second'))
  t.is(await restore(dc1, there), 200)
  await until('it ends here, too', () => !policies.named(DEFAULT_TENANCY, 'second'))
  t.truthy(policies.named(DEFAULT_TENANCY, 'first'))
})
