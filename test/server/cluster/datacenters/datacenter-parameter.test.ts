// Queries that are executed and explained in another datacenter, and what a worker is asked for there (spec: auth.md §11.4).
import test from 'ava'
import { startDatacenters } from '../../../support/datacenters.js'
import { register } from '../../../support/dns.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { serverWithWorker } from '../../../support/worker.js'

test('a query is executed and explained in the datacenter that is named', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await register(dc2, 'a', '10.2.0.1', { Service: 'web', Port: 80 })
  await register(dc2, 'b', '10.2.0.2', { Service: 'web', Port: 80 })
  await register(dc1, 'c', '10.1.0.1', { Service: 'db', Port: 80 })
  for (const [Name, Service] of [
    ['web/all', { Service: 'web' }],
    ['db', { Service: 'db', Failover: { Datacenters: ['dc1'] } }]
  ] as const)
    t.is((await dc2.send('POST', '/v1/query', { body: { Name, Service } })).status, 200)
  const ask = async (path: string) => {
    const { status, text } = await dc1.send('GET', path)
    t.is(status, 200, text)
    return JSON.parse(text)
  }
  const found = await ask('/v1/query/web/all/execute?dc=dc2&limit=1')
  t.like(found, { Service: 'web', Datacenter: 'dc2', Failovers: 0 })
  t.is(found.Nodes.length, 1)
  t.like(await ask('/v1/query/web/all/explain?dc=dc2'), { Query: { Name: 'web/all' } })
  t.like(await ask('/v1/query/db/explain?dc=dc2'), { Query: { Name: 'db' } })
  // That datacenter sends it on to the requesting one.
  t.like(await ask('/v1/query/db/execute?dc=dc2'), { Datacenter: 'dc1', Failovers: 1 })
  for (const path of ['/v1/query/db/execute', '/v1/query/db/explain'])
    t.is((await dc1.send('GET', path)).status, 404)
})

test('a worker asks another datacenter by itself, and answers what is asked from there', async t => {
  const dc2 = await serverInProcess(t, { config: { datacenter: 'dc2', primary_datacenter: 'dc1' } })
  const { worker } = await serverWithWorker(t, {
    config: { datacenter: 'dc1', datacenters: { dc2: { url: dc2.base } } }
  })
  t.is((await worker.send('PUT', '/v1/kv/a?dc=dc2', { body: 'there' })).text, 'true')
  t.is((await dc2.send('GET', '/v1/kv/a?raw')).text, 'there')
  const read = await worker.send('GET', '/v1/kv/a?raw&dc=dc2')
  t.is(read.text, 'there')
  const index = Number(read.headers['x-service-index'])
  const waiting = worker.send('GET', `/v1/kv/a?raw&dc=dc2&index=${index}&wait=10m`)
  await dc2.send('PUT', '/v1/kv/a', { body: 'new' })
  t.is((await waiting).text, 'new')
  t.is((await worker.send('GET', '/v1/kv/a?dc=dc9')).status, 400)
  const asking = await serverInProcess(t, {
    config: { datacenter: 'dc3', primary_datacenter: 'dc1', datacenters: { dc1: { url: worker.base } } }
  })
  t.is((await asking.send('PUT', '/v1/kv/b?dc=dc1', { body: 'here' })).text, 'true')
  t.is((await asking.send('GET', '/v1/kv/b?raw&dc=dc1')).text, 'here')
})

test('a worker of a secondary forwards writes of global resources to the primary, and shows their copies', async t => {
  const key = Buffer.alloc(32, 5).toString('base64')
  const common = { primary_datacenter: 'dc1', replication: { key } }
  const primary = await serverInProcess(t, {
    config: { ...common, datacenter: 'dc1', datacenters: { dc2: { url: 'http://127.0.0.1:1' } } }
  })
  const { worker } = await serverWithWorker(t, {
    config: { ...common, datacenter: 'dc2', datacenters: { dc1: { url: primary.base, token: ROOT } } }
  })
  const made = await worker.send('PUT', '/v1/acl/policy', { body: { Name: 'a' } })
  t.is(made.status, 200, made.text)
  const path = `/v1/acl/policy/${String(JSON.parse(made.text).ID)}`
  t.is((await primary.send('GET', path)).status, 200)
  await until('the copy is there', async () => (await worker.send('GET', path)).status === 200)
  const local = await worker.send('PUT', '/v1/acl/token', { body: { Local: true } })
  const token = String(JSON.parse(local.text).SecretID)
  t.is((await worker.send('GET', '/v1/acl/token/self', { token })).status, 200)
  t.is((await primary.send('GET', '/v1/acl/token/self', { token })).status, 403)
})
