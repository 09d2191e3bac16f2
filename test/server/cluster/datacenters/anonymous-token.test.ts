// The anonymous token of a datacenter that does not replicate tokens: its rights are those that it has in the primary.
import test from 'ava'
import { ANONYMOUS_ACCESSOR } from '../../../../events/token.js'
import { TestCluster } from '../../../support/cluster.js'
import { ask, dataOf, register } from '../../../support/dns.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy } from '../../../http/support.js'
import { withoutReplication } from './remote-tokens.js'

const READ = ['node', 'service', 'query', 'key']
  .map(kind => `${kind}_prefix "" { policy = "read" }`)
  .join(' ')
const replication = { key: Buffer.alloc(32, 7).toString('base64') }
const acl = { enabled: true, default_policy: 'deny', enable_token_replication: false }

const letAnonymousRead = async (primary: TestServer): Promise<void> => {
  const ID = await createPolicy(primary, 'anonymous', READ)
  await primary.send('PUT', `/v1/acl/token/${ANONYMOUS_ACCESSOR}`, { body: { Policies: [{ ID }] } })
}

for (const token of [undefined, ROOT])
  test(`requests without a token and DNS read what the anonymous token of the primary may, ${token ? 'where policies are replicated' : 'where nothing is replicated'}`, async t => {
    const { primary, secondary } = await withoutReplication(t, { ports: { http: 0, dns: 0 } }, token)
    await letAnonymousRead(primary)
    await register(secondary, 'n1', '192.0.2.7', { Service: 'web', Port: 80 })
    await secondary.send('PUT', '/v1/kv/a', { body: 'x' })
    await secondary.send('POST', '/v1/query', { body: { Name: 'q', Service: { Service: 'web' } } })
    for (const path of ['catalog/nodes', 'catalog/service/web', 'health/service/web', 'query/q/execute']) {
      const { text } = await secondary.send('GET', `/v1/${path}`, { token: undefined })
      t.true(text.includes('"n1"'), path)
    }
    t.is((await secondary.send('GET', '/v1/kv/a?raw', { token: undefined })).text, 'x')
    t.is((await secondary.send('PUT', '/v1/kv/a', { token: undefined, body: 'y' })).status, 403)
    const { dnsPort = 0 } = secondary
    for (const name of ['n1.node.consul', 'web.service.consul', 'q.query.consul'])
      t.deepEqual(dataOf(await ask(dnsPort, name, 'A')), ['192.0.2.7'], name)
  })

test('the first anonymous request that a server of a cluster answers has those rights, too', async t => {
  const primary = await serverInProcess(t, {
    config: { replication, datacenters: { dc2: { url: 'http://127.0.0.1:1' } } }
  })
  await letAnonymousRead(primary)
  const datacenters = { dc1: { url: primary.base } }
  const more = { datacenter: 'dc2', primary_datacenter: 'dc1', replication, datacenters, acl }
  const cluster = new TestCluster(t, {}, more)
  const servers = await cluster.startAll('one', 'two')
  t.is((await servers[0]?.send('PUT', '/v1/kv/a', { body: 'x' }))?.status, 200)
  await cluster.settled()
  for (const server of servers)
    t.is((await server.send('GET', '/v1/kv/a?raw&stale', { token: undefined })).text, 'x', server.name)
})
