// The servers of the cluster as operators see and set them.
import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { openStream } from '../../../support/stream.js'
import { secretWith } from '../../support.js'

const CONFIGURATION = '/v1/operator/autopilot/configuration'
const value = async (server: TestServer, path: string) => JSON.parse((await server.send('GET', path)).text)

const DEFAULTS = {
  CleanupDeadServers: true,
  LastContactThreshold: '200ms',
  MaxTrailingLogs: 250,
  MinQuorum: 0,
  ServerStabilizationTime: '10s',
  RedundancyZoneTag: '',
  DisableUpgradeMigration: false,
  UpgradeVersionTag: '',
  CreateIndex: 0,
  ModifyIndex: 0
}

test('the configuration is read, written, written with cas, and there after a restart', async t => {
  const first = await serverInProcess(t, { log: 'disk' })
  const read = await value(first, CONFIGURATION)
  t.deepEqual(read, DEFAULTS)
  const put = (body: object, query = '') => first.send('PUT', `${CONFIGURATION}${query}`, { body })
  const wanted = {
    ...read,
    CleanupDeadServers: false,
    LastContactThreshold: '1.5s',
    ServerStabilizationTime: 5e9
  }
  t.is((await put(wanted, '?cas=7')).text, 'false')
  const largest = '18446744073709551615'
  const before = JSON.stringify(wanted).replace('"ModifyIndex":0', `"ModifyIndex":${largest}`)
  const counted = await first.send('PUT', `${CONFIGURATION}?cas=${largest}`, { body: before })
  t.is(counted.text, 'false', 'a client that counts down from 0 in 64 bits')
  t.is((await put(wanted, '?cas=0')).text, 'true')
  const set = await value(first, CONFIGURATION)
  t.like(set, { CleanupDeadServers: false, LastContactThreshold: '1.5s', ServerStabilizationTime: '5s' })
  t.true(set.ModifyIndex > 0)
  t.is((await put({ ...set, MinQuorum: 3 }, `?cas=${set.ModifyIndex - 1}`)).text, 'false')
  t.is((await put({ ...set, MinQuorum: 3 }, `?cas=${set.ModifyIndex}`)).text, 'true')
  const again = await value(first, CONFIGURATION)
  t.deepEqual([again.MinQuorum, again.CreateIndex], [3, set.CreateIndex])
  t.is((await put({ CleanupDeadServers: true })).text, 'true')
  const replaced = await value(first, CONFIGURATION)
  t.like(replaced, { CleanupDeadServers: true, LastContactThreshold: '0s', MaxTrailingLogs: 0 })
  await first.close()
  const second = await serverInProcess(t, { dataDir: first.settings.data_dir })
  t.deepEqual(await value(second, CONFIGURATION), replaced)
})

test('what cannot be a configuration is refused, naming the field', async t => {
  const server = await serverInProcess(t)
  for (const [body, query, fault] of [
    [{ LastContactThreshold: 'soon' }, '', /"LastContactThreshold" must be a duration/],
    [{ ServerStabilizationTime: '-1s' }, '', /"ServerStabilizationTime" must be a duration/],
    [{ MaxTrailingLogs: -1 }, '', /"MaxTrailingLogs" must be >= 0/],
    [{ Colour: 'red' }, '', /unknown field "Colour"/],
    [{}, '?cas=x', /Invalid cas/]
  ] as const) {
    const { status, text } = await server.send('PUT', `${CONFIGURATION}${query}`, { body })
    t.is(status, 400)
    t.regex(text, fault)
  }
  t.deepEqual(await value(server, CONFIGURATION), DEFAULTS)
})

test('one server leads, votes and is healthy', async t => {
  const server = await serverInProcess(t)
  const { node_id: ID, node_name } = server.settings
  const { Servers, Index } = await value(server, '/v1/operator/raft/configuration')
  t.is(Index, 0)
  t.is(Servers.length, 1)
  const address = JSON.parse((await server.send('GET', '/v1/status/leader')).text)
  t.like(Servers[0], {
    ID,
    Node: node_name,
    Address: address,
    Leader: true,
    Voter: true,
    ProtocolVersion: '3'
  })
  const health = await value(server, '/v1/operator/autopilot/health')
  t.like(health, { Healthy: true, FailureTolerance: 0 })
  t.like(health.Servers[0], { ID, Name: node_name, SerfStatus: 'alive', Leader: true, LastContact: '0s' })
  t.is(health.Servers[0].LastIndex, server.app.views.index)
  t.true(Date.parse(health.Servers[0].StableSince) <= Date.now())
  const state = await value(server, '/v1/operator/autopilot/state')
  t.like(state, { Healthy: true, Leader: ID, Voters: [ID] })
  t.like(state.Servers[ID], { Status: 'leader', NodeType: 'voter', NodeStatus: 'alive', ReadReplica: false })
})

test('the only server cannot be removed, and one that is not there neither', async t => {
  const server = await serverInProcess(t)
  const remove = async (query: string) => {
    const { status, text } = await server.send('DELETE', `/v1/operator/raft/peer${query}`)
    t.is(status, 400)
    return text
  }
  t.regex(await remove(''), /Must specify either \?id/)
  t.regex(await remove('?id=a&address=b'), /only one of/)
  t.is(await remove('?id=other'), 'id "other" was not found in the Raft configuration')
  t.regex(await remove(`?id=${server.settings.node_id}`), /is the only server/)
  t.regex(await remove('?address=127.0.0.1:8300'), /is the only server/)
})

test('a change of the configuration needs operator:write and is on the stream for who may read it', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'reader', 'operator = "read"')
  t.is((await server.send('GET', CONFIGURATION, { token })).status, 200)
  const denied = await server.send('PUT', CONFIGURATION, { token, body: DEFAULTS })
  t.is(denied.status, 403)
  t.regex(denied.text, /operator:write/)
  const stream = await openStream(server.base, 'topic=Autopilot', { token })
  t.teardown(() => stream.close())
  await server.send('PUT', CONFIGURATION, { body: { ...DEFAULTS, MinQuorum: 3 } })
  const { Events = [] } = await stream.message()
  t.like(Events[0], { Topic: 'Autopilot', Type: 'AutopilotUpserted', Key: 'autopilot' })
})
