// The agent endpoints of a follower: they are about its own node, whichever server stores what they say.
import test from 'ava'
import { until } from '../../../support/wait.js'
import type { TestServer } from '../../../support/server.js'
import { pairOfServers } from './pair.js'

const nodesOf = async (server: TestServer, service: string): Promise<readonly string[]> => {
  const { text } = await server.send('GET', `/v1/catalog/service/${service}`)
  const found: readonly { readonly Node: string }[] = JSON.parse(text)
  return found.map(({ Node }) => Node)
}

const statusOf = async (server: TestServer, id: string): Promise<string | undefined> => {
  const { text } = await server.send('GET', '/v1/agent/checks')
  const found: Readonly<Record<string, { readonly Status: string }>> = JSON.parse(text)
  return found[id]?.Status
}

const web = (more: object = {}) => ({ body: { Name: 'web', ID: 'web-1', Port: 80, ...more } })

test('a service that is registered with a follower is on its node, and goes from there', async t => {
  const { leader, follower } = await pairOfServers(t)
  t.is((await follower.send('PUT', '/v1/agent/service/register', web())).status, 200)
  t.deepEqual(await nodesOf(leader, 'web'), ['server-2'])
  t.is((await leader.send('GET', '/v1/agent/service/web-1')).status, 404)
  t.is((await follower.send('GET', '/v1/agent/service/web-1')).status, 200)
  t.is((await leader.send('PUT', '/v1/agent/service/register', web())).status, 200)
  t.deepEqual(await nodesOf(follower, 'web'), ['server-1', 'server-2'])
  t.is((await follower.send('PUT', '/v1/agent/maintenance?enable=true')).status, 200)
  t.is(await statusOf(follower, '_node_maintenance'), 'critical')
  t.is(await statusOf(leader, '_node_maintenance'), undefined)
  t.is((await follower.send('PUT', '/v1/agent/service/deregister/web-1')).status, 200)
  t.deepEqual(await nodesOf(leader, 'web'), ['server-1'])
})

test('what is asked of a server that has just started waits until its node is there', async t => {
  const { leader, follower, ofFollower } = await pairOfServers(t)
  const node = { Node: 'server-2' }
  t.is((await leader.send('PUT', '/v1/catalog/deregister', { body: node })).status, 200)
  await until('it is gone', () => leader.app.views.catalog.host('default', 'server-2') === undefined)
  const before = leader.app.views.watch.size
  const made = follower.send('PUT', '/v1/agent/service/register', web())
  await until('it waits', () => leader.app.views.watch.size > before && ofFollower.listeners > 0)
  const registered = await leader.send('PUT', '/v1/catalog/register', {
    body: { ...node, Address: '127.0.0.1' }
  })
  t.is(registered.status, 200)
  t.is((await made).status, 200)
})

test('a session that names no node is of the node that was asked', async t => {
  const { leader, follower } = await pairOfServers(t)
  const { text } = await follower.send('PUT', '/v1/session/create', { body: { Checks: [] } })
  const { ID }: { readonly ID: string } = JSON.parse(text)
  const info = await leader.send('GET', `/v1/session/info/${ID}`)
  t.regex(info.text, /"Node":"server-2"/)
})

test('a TTL runs where its check was registered, and the leader hears that it is over', async t => {
  const { leader, follower } = await pairOfServers(t)
  const check = web({ Check: { CheckID: 'alive', TTL: '60s' } })
  // Both have a check of this name.
  for (const server of [leader, follower]) await server.send('PUT', '/v1/agent/service/register', check)
  for (const server of [leader, follower]) await server.send('PUT', '/v1/agent/check/pass/alive')
  leader.advance(40_000)
  follower.advance(40_000)
  t.is((await follower.send('PUT', '/v1/agent/check/pass/alive')).status, 200)
  leader.advance(30_000)
  follower.advance(30_000)
  await until('the TTL of the leader is over', async () => (await statusOf(leader, 'alive')) === 'critical')
  t.is(await statusOf(follower, 'alive'), 'passing')
  follower.advance(40_000)
  await until('and then that of the follower', async () => (await statusOf(follower, 'alive')) === 'critical')
  t.is(
    leader.app.views.catalog.check({ partition: 'default', namespace: 'default' }, 'server-2', 'alive')?.check
      .Status,
    'critical'
  )
})

test('a report that finds no leader is sent later', async t => {
  const { leader, follower, ofFollower } = await pairOfServers(t)
  const place = ofFollower.leader()
  await follower.send('PUT', '/v1/agent/check/register', {
    body: { Name: 'alive', TTL: '60s', Status: 'passing' }
  })
  ofFollower.change('following', undefined)
  follower.advance(61_000)
  t.is(await statusOf(follower, 'alive'), 'passing')
  ofFollower.change('following', place)
  await until('it is reported', async () => {
    follower.advance(1001)
    return (
      (await statusOf(leader, 'alive')) === undefined && (await statusOf(follower, 'alive')) === 'critical'
    )
  })
  t.pass()
})

test('only servers of the cluster tell what they find', async t => {
  const { leader, follower } = await pairOfServers(t)
  const body = { Partition: 'default', Namespace: 'default', ID: 'a', Status: 'passing', Output: '' }
  for (const server of [leader, follower])
    t.is((await server.send('PUT', '/v1/internal/findings/check', { body })).status, 403)
})
