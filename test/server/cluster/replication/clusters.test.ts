// Datacenters of which one is a cluster: any server of the primary tells, and only the leader of a secondary takes over.
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { put } from './support.js'

const replication = { key: Buffer.alloc(32, 7).toString('base64') }

const hasPolicy = async (at: Pick<ClusterServer, 'send'>, name: string): Promise<boolean> =>
  (await at.send('GET', `/v1/acl/policy/name/${name}`)).status === 200

test('a server of the primary that follows tells what its leader has made', async t => {
  const cluster = new TestCluster(t, {}, { replication, datacenters: { dc2: { url: 'http://127.0.0.1:1' } } })
  const [one, two] = await cluster.startAll('one', 'two')
  if (!one || !two) return t.fail()
  const url = `http://127.0.0.1:${two.running.port}`
  const dc2 = await serverInProcess(t, {
    config: {
      datacenter: 'dc2',
      primary_datacenter: 'dc1',
      replication,
      datacenters: { dc1: { url, token: ROOT } }
    }
  })
  for (const name of ['first', 'second']) {
    const body = JSON.stringify({ Name: name, Rules: '' })
    t.is((await one.send('PUT', '/v1/acl/policy', { body })).status, 200)
    await until(`the ${name} is there`, () => dc2.app.views.policies.named(DEFAULT_TENANCY, name))
  }
})

test('the next leader of a secondary continues', async t => {
  const config = { replication, datacenters: { dc2: { url: 'http://127.0.0.1:1' } } }
  const dc1 = await serverInProcess(t, { config })
  const datacenters = { dc1: { url: dc1.base, token: ROOT } }
  const more = { datacenter: 'dc2', primary_datacenter: 'dc1', replication, datacenters }
  const cluster = new TestCluster(t, {}, more)
  const [one, two] = await cluster.startAll('one', 'two')
  if (!one || !two) return t.fail()
  await put(dc1, '/v1/acl/policy', { Name: 'first', Rules: '' })
  await until('both have the first', async () => (await hasPolicy(one, 'first')) && hasPolicy(two, 'first'))
  // Time passes faster for the cluster than for the primary, which may seem silent meanwhile.
  await until('it replicates', async () => {
    const { text } = await two.send('GET', '/v1/acl/replication')
    return /"Running":true.*"SourceDatacenter":"dc1".*"LastErrorMessage":""/.test(text)
  })
  await one.close()
  await cluster.until('two leads', () => two.role() === 'leading')
  await put(dc1, '/v1/acl/policy', { Name: 'second', Rules: '' })
  await until('the second comes', () => hasPolicy(two, 'second'))
  t.true(await hasPolicy(two, 'first'))
})
