// Namespaces and partitions in parts of configuration entries (spec: config.md §4, §9, tenancy.md §6).
import test from 'ava'
import { serverInProcess } from '../../support/server.js'
import { secretWith } from '../support.js'
import { call, makeNamespaces } from './support.js'

type Part = Readonly<Record<string, string>>

/** An entry of each kind whose parts have a tenancy, with one such part. */
const entriesWith = (part: Part): readonly object[] => [
  { Kind: 'service-router', Name: 'routed', Routes: [{ Destination: { Service: 'api', ...part } }] },
  { Kind: 'service-splitter', Name: 'split', Splits: [{ Weight: 100, Service: 'api', ...part }] },
  { Kind: 'service-resolver', Name: 'moved', Redirect: { Service: 'api', ...part } },
  { Kind: 'service-resolver', Name: 'safe', Failover: { '*': { Service: 'api', ...part } } },
  { Kind: 'service-intentions', Name: 'web', Sources: [{ Name: 'api', ...part, Action: 'allow' }] },
  {
    Kind: 'ingress-gateway',
    Name: 'edge',
    Listeners: [{ Port: 80, Protocol: 'http', Services: [{ Name: 'api', ...part }] }]
  },
  { Kind: 'terminating-gateway', Name: 'out', Services: [{ Name: 'api', ...part }] },
  { Kind: 'service-defaults', Name: 'web', UpstreamConfig: { Overrides: [{ Name: 'api', ...part }] } }
]

const HTTP = { Kind: 'proxy-defaults', Config: { protocol: 'http' } }

/** Finds the part in the JSON of an entry. */
const partIn = (value: unknown): object | undefined => {
  if (typeof value !== 'object' || value === null) return undefined
  if ('Service' in value || ('Name' in value && value.Name === 'api')) return value
  for (const inner of Object.values(value)) {
    const found = partIn(inner)
    if (found) return found
  }
  return undefined
}

test('a namespace that a part of an entry names is kept as it was written, also default', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/config', HTTP)
  await makeNamespaces(server, 'team')
  for (const part of [{ Namespace: 'default' }, { Namespace: 'team' }, {}])
    for (const entry of entriesWith(part)) {
      t.true(await call(server, 'PUT', '/v1/config', entry))
      const { Kind, Name } = JSON.parse(JSON.stringify(entry))
      const read = partIn(await call(server, 'GET', `/v1/config/${Kind}/${Name}`))
      t.deepEqual({ ...part, ...read }, { ...read }, Kind)
      t.is(read !== undefined && 'Namespace' in read, 'Namespace' in part, Kind)
    }
})

test('a partition that a part of an entry names is kept when it exists, and refused by the name of its field when not', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/config', HTTP)
  const before = server.app.views.index
  for (const entry of entriesWith({ Partition: 'p' })) {
    const { status, text } = await server.send('PUT', '/v1/config', { body: entry })
    t.is(status, 400, JSON.stringify(entry))
    t.regex(text, /\.Partition: Partition "p" does not exist|Redirect\.Partition: /)
  }
  t.is(server.app.views.index, before)
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  await call(server, 'PUT', '/v1/config?partition=p', { ...HTTP, Partition: 'p' })
  for (const Partition of ['p', 'default'])
    for (const entry of entriesWith({ Partition })) {
      t.true(await call(server, 'PUT', '/v1/config', entry))
      const { Kind, Name } = JSON.parse(JSON.stringify(entry))
      const read = partIn(await call(server, 'GET', `/v1/config/${Kind}/${Name}`))
      t.deepEqual({ ...read, Partition }, { ...read }, Kind)
    }
})

test('a chain leads into the partition that a destination names, and speaks the protocol that holds there', async t => {
  const server = await serverInProcess(t)
  const route = { Destination: { Service: 'api', Partition: 'p' } }
  const router = { Kind: 'service-router', Name: 'web', Routes: [route] }
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  await call(server, 'PUT', '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  const mixed = await server.send('PUT', '/v1/config', { body: router })
  t.is(mixed.status, 400)
  t.regex(mixed.text, /"api\.default\.p" has "tcp"/)
  const defaults = { Kind: 'service-defaults', Name: 'api', Protocol: 'http' }
  await call(server, 'PUT', '/v1/config?partition=p', defaults)
  await call(server, 'PUT', '/v1/config', router)
  const { Chain } = await call(server, 'GET', '/v1/discovery-chain/web')
  const [first] = Chain.Nodes['router:web.default'].Routes
  t.is(first.NextNode, 'resolver:api.default.p.dc1')
  t.is(Chain.Targets['api.default.p.dc1'].Partition, 'p')
  t.false('Partition' in Chain.Targets['web.default.dc1'])
  const changed = { ...defaults, Protocol: 'grpc' }
  const refused = await server.send('PUT', '/v1/config?partition=p', { body: changed })
  t.is(refused.status, 400)
  t.regex(refused.text, /service-router "web"/)
  const split = { Weight: 100, Service: 'api', Partition: 'p' }
  await call(server, 'PUT', '/v1/config', { Kind: 'service-splitter', Name: 'web', Splits: [split] })
  await call(server, 'PUT', '/v1/config?partition=p', {
    Kind: 'service-splitter',
    Name: 'api',
    Splits: [{ Weight: 100 }]
  })
  const through = (await call(server, 'GET', '/v1/discovery-chain/web')).Chain
  t.is(through.Nodes['splitter:web.default'].Splits[0].NextNode, 'resolver:api.default.p.dc1')
})

test('a router needs service:read where its destination is', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  await call(server, 'PUT', '/v1/config', HTTP)
  await call(server, 'PUT', '/v1/config?partition=p', HTTP)
  const own = 'service "web" { policy = "write" } service "api" { policy = "read" }'
  const Routes = [{ Destination: { Service: 'api', Partition: 'p' } }]
  const body = { Kind: 'service-router', Name: 'web', Routes }
  const token = await secretWith(server, 'own', own)
  t.is((await server.send('PUT', '/v1/config', { token, body })).status, 403)
  const both = await secretWith(server, 'both', `${own} partition "p" { service "api" { policy = "read" } }`)
  t.is((await server.send('PUT', '/v1/config', { token: both, body })).status, 200)
})

test('an intention tells services of one name in two partitions apart', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  const Sources = [
    { Name: 'api', Partition: 'p', Action: 'allow' },
    { Name: 'api', Action: 'deny' }
  ]
  await call(server, 'PUT', '/v1/config', { Kind: 'service-intentions', Name: 'web', Sources })
  const listed = await call(server, 'GET', '/v1/connect/intentions')
  t.deepEqual(
    listed.map((one: { SourcePartition?: string }) => one.SourcePartition),
    ['p', undefined]
  )
  const check = (source: string) =>
    call(server, 'GET', `/v1/connect/intentions/check?source=${source}&destination=web`)
  t.true((await check('p/default/api')).Allowed)
  t.false((await check('api')).Allowed)
  const exact = '/v1/connect/intentions/exact?destination=web&source=p/default/api'
  t.is((await call(server, 'GET', exact)).Action, 'allow')
  await call(server, 'PUT', exact, { Action: 'deny' })
  t.false((await check('p/default/api')).Allowed)
  await call(server, 'DELETE', exact)
  const { Sources: left } = await call(server, 'GET', '/v1/config/service-intentions/web')
  t.is(left.length, 1)
})

test('exported-services is one for a partition, bears its name and names consumers that exist', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  const service = { Name: 'web', Consumers: [{ Partition: 'p' }] }
  const put = (Name: string, Services: readonly object[], query = '') =>
    server.send('PUT', `/v1/config${query}`, { body: { Kind: 'exported-services', Name, Services } })
  const faults: readonly (readonly [RegExp, readonly object[]])[] = [
    [/Services\[0\]\.Name" is required/, [{ ...service, Name: '' }]],
    [/Services\[0\]\.Name" must be "\*"/, [{ ...service, Namespace: '*' }]],
    [/Services\[0\]\.Consumers" must have/, [{ Name: 'web' }]],
    [/Consumers\[0\]\.Partition" is required/, [{ Name: 'web', Consumers: [{}] }]],
    [/Consumers\[0\]\.Partition" must name one/, [{ Name: 'web', Consumers: [{ Partition: '*' }] }]],
    [
      /Services\[0\]\.Consumers\[0\]\.Partition: Partition "q" does not exist/,
      [{ Name: 'web', Consumers: [{ Partition: 'q' }] }]
    ]
  ]
  for (const [fault, services] of faults) {
    const { status, text } = await put('default', services)
    t.is(status, 400)
    t.regex(text, fault)
  }
  t.regex((await put('p', [service])).text, /must be the partition of the entry, "default", not "p"/)
  t.is((await put('default', [service], '?ns=team')).status, 400)
  t.is((await put('default', [service])).text, 'true')
  t.is((await put('p', [service], '?partition=p')).text, 'true')
  const read = await call(server, 'GET', '/v1/config/exported-services/default')
  t.deepEqual(Object.keys(read), ['Kind', 'Name', 'Services', 'CreateIndex', 'ModifyIndex'])
  t.deepEqual(read.Services, [{ Name: 'web', Namespace: 'default', Consumers: [{ Partition: 'p' }] }])
  t.is((await call(server, 'GET', '/v1/config/exported-services?partition=p')).length, 1)
  const reader = await secretWith(server, 'reader', 'operator = "read"')
  const path = '/v1/config/exported-services/default'
  t.is((await server.send('GET', path, { token: reader })).status, 200)
  t.is((await server.send('DELETE', path, { token: reader })).status, 403)
  t.is((await server.send('GET', path, { token: undefined })).status, 403)
  t.is((await server.send('DELETE', path)).text, '{}')
})
