// A datacenter that was its own primary for a while, and then follows its former primary again.
import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import { ReplicationFollower } from '../../../../server/cluster/replication/follower.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { caughtUp, put, startPair, statusOf, fixtureIn, type ReplicatedFixture } from './support.js'

const READ = 'key_prefix "" { policy = "read" }'
const WRITE = 'key_prefix "" { policy = "write" }'

const idOf = ({ ID }: ReplicatedFixture): string => String(ID)

const startAgain = async (t: ExecutionContext, before: TestServer, keys: object): Promise<TestServer> => {
  await before.close()
  const config = { ...fixtureIn(readFileSync(before.file, 'utf8')), ...keys }
  return serverInProcess(t, { config, dataDir: before.settings.data_dir })
}

/** Waits until a secondary has compared everything with its primary. */
const reconciled = async (at: TestServer): Promise<ReplicatedFixture> => {
  const { status } = at.scope.resolve(ReplicationFollower)
  await until('everything was compared', () => /"Running":false,"Began"/.test(JSON.stringify(status.shown)))
  return fixtureIn(JSON.stringify((await statusOf(at))['Reconciliation']))
}

/** Everything that is written in the primary, as a server has it. */
const replicatedState = async (at: TestServer): Promise<unknown> => {
  const paths = ['/v1/acl/policies', '/v1/acl/roles', '/v1/acl/tokens', '/v1/config/service-defaults']
  const lists: unknown[] = []
  for (const path of paths) {
    const list: readonly ReplicatedFixture[] = JSON.parse((await at.send('GET', path)).text)
    const contents = list.map(
      ({ CreateIndex: _created, ModifyIndex: _modified, LastUsed: _used, ...content }) => content
    )
    lists.push(contents.map(content => JSON.stringify(content)).toSorted())
  }
  return lists
}

const alone = { primary_datacenter: 'dc2' }
const following = { primary_datacenter: 'dc1' }

test('a secondary that was its own primary has exactly the state of the primary after it joins again', async t => {
  const [dc1, dc2] = await startPair(t)
  const keys = await put(dc1, '/v1/acl/policy', { Name: 'keys', Rules: READ })
  const gone = await put(dc1, '/v1/acl/policy', { Name: 'gone', Rules: READ })
  const token = await put(dc1, '/v1/acl/token', { Policies: [{ ID: keys['ID'] }] })
  await put(dc1, '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await caughtUp(dc1, dc2)
  const own = await startAgain(t, dc2, alone)
  await put(own, `/v1/acl/policy/${idOf(keys)}`, { Name: 'keys', Rules: WRITE })
  await own.send('DELETE', `/v1/acl/policy/${idOf(gone)}`)
  await put(own, '/v1/acl/role', { Name: 'own', Policies: [{ ID: keys['ID'] }] })
  const added = await put(own, '/v1/acl/token', { Policies: [{ ID: keys['ID'] }] })
  const local = await put(own, '/v1/acl/token', { Local: true, Policies: [{ ID: keys['ID'] }] })
  await put(own, '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'tcp' })
  await put(own, '/v1/config', { Kind: 'service-defaults', Name: 'db', Protocol: 'tcp' })
  await own.send('PUT', '/v1/kv/a', { body: '1' })
  const secret = String(token['SecretID'])
  t.is((await own.send('PUT', '/v1/kv/a', { token: secret, body: '2' })).status, 200)
  const again = await startAgain(t, own, following)
  const { Running, Removed, Written } = await reconciled(again)
  t.deepEqual([Running, Removed, Written], [false, 3, 3])
  t.is((await again.send('PUT', '/v1/kv/a', { token: secret, body: '3' })).status, 403)
  t.is((await again.send('GET', '/v1/kv/a', { token: secret })).status, 200)
  t.is((await again.send('GET', '/v1/kv/a', { token: String(added['SecretID']) })).status, 403)
  t.is((await again.send('GET', '/v1/kv/a', { token: String(local['SecretID']) })).status, 200)
  await again.send('DELETE', `/v1/acl/token/${String(local['AccessorID'])}`)
  t.deepEqual(await replicatedState(again), await replicatedState(dc1))
})

test('what was written in other partitions, too, ends when a datacenter joins its primary again', async t => {
  const [dc1, dc2] = await startPair(t)
  await caughtUp(dc1, dc2)
  const own = await startAgain(t, dc2, alone)
  await put(own, '/v1/partition', { Name: 'p' })
  const policy = await put(own, '/v1/acl/policy?partition=p', { Name: 'keys', Rules: WRITE })
  const Policies = [{ ID: policy['ID'] }]
  const token = String((await put(own, '/v1/acl/token?partition=p', { Policies }))['SecretID'])
  const write = (at: TestServer) => at.send('PUT', '/v1/kv/a?partition=p', { token, body: '1' })
  t.is((await write(own)).status, 200)
  const again = await startAgain(t, own, following)
  t.like(await reconciled(again), { Removed: 2 })
  t.is((await write(again)).status, 403)
  t.is((await again.send('GET', '/v1/kv/a?partition=p')).status, 200)
})

test('a start that stays with its primary compares nothing, and becoming a primary is one event', async t => {
  const [dc1, dc2] = await startPair(t)
  await caughtUp(dc1, dc2)
  const same = await startAgain(t, dc2, {})
  await put(dc1, '/v1/acl/policy', { Name: 'later', Rules: '' })
  await caughtUp(dc1, same)
  t.is((await statusOf(same))['Reconciliation'], undefined)
  const own = await startAgain(t, same, alone)
  t.is((await own.send('GET', '/v1/acl/token/self', { token: ROOT })).status, 200)
  t.is((await statusOf(own))['Reconciliation'], undefined)
  const still = await startAgain(t, own, {})
  let endings = 0
  for await (const { Events } of still.app.log.read(1))
    endings += Events.filter(({ Type }) => Type === 'ReplicationEnded').length
  t.is(endings, 1)
})

test('a primary that cannot be reached yet is compared with as soon as it can be', async t => {
  const [dc1, dc2] = await startPair(t)
  await caughtUp(dc1, dc2)
  await dc1.gate.shut()
  const own = await startAgain(t, dc2, alone)
  await put(own, '/v1/acl/policy', { Name: 'own', Rules: '' })
  const again = await startAgain(t, own, following)
  t.is((await statusOf(again))['Reconciliation'], undefined)
  t.is((await again.send('GET', '/v1/acl/policy/name/own')).status, 200)
  await dc1.gate.open()
  again.advance(1000)
  t.like(await reconciled(again), { Running: false, Removed: 1 })
  t.not((await again.send('GET', '/v1/acl/policy/name/own')).status, 200)
})

test('where tokens are not replicated, too, a token that the primary does not know is denied', async t => {
  const [dc1, dc2] = await startPair(t)
  await caughtUp(dc1, dc2)
  const own = await startAgain(t, dc2, alone)
  const Policies = [{ Name: 'global-management' }]
  const secretOf = async (at: TestServer, body: object): Promise<string> =>
    String((await put(at, '/v1/acl/token', { Policies, ...body }))['SecretID'])
  const [added, local] = [await secretOf(own, {}), await secretOf(own, { Local: true })]
  const there = await secretOf(dc1, {})
  const tokens = { initial_management: own.settings.node_id }
  const acl = { enabled: true, default_policy: 'deny', enable_token_replication: false, tokens }
  const datacenters = { dc1: { url: `http://127.0.0.1:${dc1.gate.port}` } }
  const again = await startAgain(t, own, { ...following, acl, datacenters })
  const write = async (token: string): Promise<number> =>
    (await again.send('PUT', '/v1/kv/a', { token, body: '1' })).status
  t.is(await write(added), 403)
  t.is((await again.send('GET', '/v1/kv/a', { token: added })).text, 'ACL not found')
  t.is(await write(there), 200)
  t.is(await write(local), 200)
  t.is(await write(own.settings.node_id), 200)
  await dc1.gate.shut()
  t.is(await write(added), 403)
  t.is(await write(own.settings.node_id), 200)
})
