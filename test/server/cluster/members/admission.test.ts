// Servers that may not take part beside each other.
import test from 'ava'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'

/** The nodes of the catalog: names and IDs. */
const nodesOf = async (server: ClusterServer | undefined): Promise<readonly string[]> => {
  const nodes: readonly { readonly Node: string; readonly ID: string }[] = JSON.parse(
    (await server?.send('GET', '/v1/catalog/nodes'))?.text ?? '[]'
  )
  return nodes.map(({ Node, ID }) => `${Node} ${ID}`)
}

test('a second server with the name of a live one is refused, and the error names that one', async t => {
  const cluster = new TestCluster(t, { lease_ttl: '2s' })
  const [one] = await cluster.startAll('one', 'two')
  const { message } = await t.throwsAsync(cluster.start('three', undefined, { node_name: 'ONE' }), {
    name: 'JoinRefused'
  })
  t.true(
    message.includes(`node_name ONE belongs to the server with node ID ${one?.settings.node_id} at http://`)
  )
  t.is(one?.role(), 'leading')
})

test('a server of another datacenter is refused, and the error names a live server', async t => {
  const cluster = new TestCluster(t)
  const [one] = await cluster.startAll('one')
  await t.throwsAsync(cluster.start('two', undefined, { datacenter: 'dc2', primary_datacenter: 'dc2' }), {
    name: 'JoinRefused',
    message: /datacenter is dc2, and one at http:\/\/.* is of datacenter dc1/
  })
  t.is(one?.role(), 'leading')
})

test('a server that lost its data folder takes the place of the one before, once that is dead', async t => {
  const cluster = new TestCluster(t)
  const [one, two] = await cluster.startAll('one', 'two')
  const before = two?.settings.node_id ?? ''
  await cluster.until('its node is there', async () => (await nodesOf(one)).includes(`two ${before}`))
  await two?.send('PUT', '/v1/agent/service/register', { body: '{"Name":"web"}' })
  await two?.close()
  const again = await cluster.start('other', undefined, { node_name: 'two' })
  const id = again.settings.node_id
  t.not(id, before)
  await cluster.until('it follows', () => again.role() === 'following')
  await cluster.until('its node has its ID', async () => (await nodesOf(one)).includes(`two ${id}`))
  t.is((await nodesOf(one)).length, 2)
  const { Servers } = JSON.parse((await one?.send('GET', '/v1/operator/raft/configuration'))?.text ?? '{}')
  t.is(Servers.length, 2)
})

test('a copy of the data folder of a live server is refused', async t => {
  const cluster = new TestCluster(t, { lease_ttl: '2s' })
  const one = await cluster.start('one', undefined, { cluster: { advertise: 'http://192.0.2.1:8500' } })
  await cluster.until('it leads', () => one.role() === 'leading')
  const own = { node_id: one.settings.node_id, cluster: { advertise: 'http://192.0.2.2:8500' } }
  const { message } = await t.throwsAsync(cluster.start('copy', undefined, own), { name: 'JoinRefused' })
  t.true(
    message.startsWith(`node ID ${one.settings.node_id} belongs to the server one at http://192.0.2.1:8500`)
  )
  t.is(one.role(), 'leading')
})
