// DNS names of other datacenters, and queries that fail over to them (spec: queries.md §8.1, §8.3).
import test, { type ExecutionContext } from 'ava'
import { RemoteNames } from '../../../../server/cluster/datacenters/remote-names.js'
import { startDatacenters, type Datacenter, type DatacentersOptions } from '../../../support/datacenters.js'
import { ask, dataOf, register } from '../../../support/dns.js'
import { ROOT } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { stillClock } from './support.js'

const answering = (t: ExecutionContext, more: DatacentersOptions = {}) =>
  startDatacenters(t, {
    clock: stillClock(),
    of: () => ({
      config: {
        ports: { http: 0, dns: 0 },
        acl: {
          enabled: true,
          default_policy: 'deny',
          tokens: { initial_management: ROOT, default: ROOT }
        },
        dns_config: { node_ttl: '3s', service_ttl: { '*': '5s' } }
      }
    }),
    ...more
  })

const asked = (server: Datacenter, name: string, type = 'A', options = {}) => {
  const { dnsPort } = server
  if (dnsPort === undefined) throw new Error('the server has no DNS')
  return ask(dnsPort, `${name}.consul`, type, options)
}

const check = (node: string, Status: string) => ({
  Check: { Node: node, CheckID: 'c', Name: 'c', ServiceID: 'web', Status }
})

test('a name that ends with another datacenter is asked there, and shown by the settings here', async t => {
  const all = await answering(t)
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await register(
    dc2,
    'n1',
    '10.2.0.1',
    { Service: 'web', Port: 80, Tags: ['V1'] },
    { NodeMeta: { rack: 'r1' } }
  )
  await register(dc2, 'n2', '10.2.0.2', { Service: 'web', Port: 81 }, check('n2', 'critical'))
  await register(
    dc2,
    'n3',
    '10.2.0.3',
    { Service: 'web', Port: 82, Address: '10.2.9.3' },
    check('n3', 'warning')
  )
  await register(dc1, 'n1', '10.1.0.1', { Service: 'web', Port: 1 })
  const service = await asked(dc1, 'web.service.dc2')
  t.deepEqual(dataOf(service).toSorted(), ['10.2.0.1', '10.2.9.3'])
  t.true(service.answers?.every(record => 'ttl' in record && record.ttl === 5))
  t.deepEqual(dataOf(await asked(dc1, 'v1.web.service.DC2')), ['10.2.0.1'])
  t.deepEqual(dataOf(await asked(dc1, 'web.service.dc1')), ['10.1.0.1'])
  t.deepEqual(dataOf(await asked(dc1, '_web._tcp.service.dc2', 'SRV', { tcp: true })).toSorted(), [
    '1 80 n1.node.dc2.consul',
    '1 82 0a020903.addr.dc2.consul'
  ])
  t.deepEqual(dataOf(await asked(dc1, 'n1.node.dc2')), ['10.2.0.1'])
  t.deepEqual(dataOf(await asked(dc1, 'n1.node.dc2', 'TXT')), [JSON.stringify([Buffer.from('rack=r1')])])
  await register(dc2, 'p', '10.2.0.4', {
    Kind: 'connect-proxy',
    Service: 'web-proxy',
    Port: 20000,
    Proxy: { DestinationServiceName: 'web' }
  })
  t.deepEqual(dataOf(await asked(dc1, 'web.connect.dc2')), ['10.2.0.4'])
  for (const name of [
    'other.service.dc2',
    'web.ingress.dc2',
    'x.node.dc2',
    'x.query.dc2',
    'v9.web.service.dc2'
  ])
    t.is((await asked(dc1, name)).rcode, 'NXDOMAIN', name)
  t.is((await asked(dc1, 'web.service.dc9')).rcode, 'NXDOMAIN')
})

test('a datacenter that cannot be reached is SERVFAIL within two seconds', async t => {
  const all = await answering(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await register(dc2, 'n1', '10.2.0.1', { Service: 'web', Port: 80 })
  t.deepEqual(dataOf(await asked(dc1, 'web.service.dc2')), ['10.2.0.1'])
  dc2.gate.hold()
  const waiting = { is: true }
  const asking = asked(dc1, 'web.service.dc2').finally(() => (waiting.is = false))
  await until('the limit is over', () => {
    all.advance(100)
    return !waiting.is
  })
  const { rcode, answers } = await asking
  t.deepEqual([rcode, answers], ['SERVFAIL', []])
  dc2.gate.pass()
  await dc2.gate.shut()
  for (const name of ['web.service.dc2', 'n1.node.dc2', 'q.query.dc2'])
    t.is((await asked(dc1, name)).rcode, 'SERVFAIL', name)
})

test('a query that fails over names the other datacenter in SRV records', async t => {
  const all = await answering(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await register(dc2, 'n1', '10.2.0.1', { Service: 'web', Port: 80 }, { NodeMeta: { rack: 'r1' } })
  const Service = { Service: 'web', Failover: { NearestN: 1 } }
  const body = { Name: 'q', Service, DNS: { TTL: '9s' } }
  t.is((await dc1.send('POST', '/v1/query', { body })).status, 200)
  const there = { Name: 'there', Service: { Service: 'web', Near: '_ip' } }
  t.is((await dc2.send('POST', '/v1/query', { body: there })).status, 200)
  const srv = await asked(dc1, 'q.query', 'SRV')
  t.deepEqual(dataOf(srv), ['1 80 n1.node.dc2.consul'])
  t.true(srv.answers?.every(record => 'ttl' in record && record.ttl === 9))
  t.deepEqual(
    srv.additionals?.map(({ name, type }) => [name, type]),
    [
      ['n1.node.dc2.consul', 'A'],
      ['n1.node.dc2.consul', 'TXT']
    ]
  )
  // The name that the SRV record gives can be asked here.
  t.deepEqual(dataOf(await asked(dc1, 'n1.node.dc2')), ['10.2.0.1'])
  t.deepEqual(dataOf(await asked(dc1, 'there.query.dc2', 'SRV')), ['1 80 n1.node.dc2.consul'])
  t.is((await asked(dc1, 'there.query')).rcode, 'NXDOMAIN')
})

test('the default token here is judged there', async t => {
  const all = await answering(t, {
    names: ['dc1', 'dc2'],
    of: name => ({
      config: {
        ports: { http: 0, dns: 0 },
        acl: {
          enabled: true,
          default_policy: 'deny',
          tokens: { initial_management: ROOT, ...(name === 'dc1' ? { default: 'unknown' } : {}) }
        }
      }
    })
  })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await register(dc2, 'n1', '10.2.0.1', { Service: 'web', Port: 80 })
  t.is((await asked(dc1, 'web.service.dc2')).rcode, 'SERVFAIL')
  dc1.app.agentTokens.use('default', '')
  t.is((await asked(dc1, 'web.service.dc2')).rcode, 'NXDOMAIN')
})

test('equal questions that come together are asked once, and those beyond a number not at all', async t => {
  const all = await answering(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await register(dc2, 'n1', '10.2.0.1', { Service: 'web', Port: 80 })
  const names = dc1.scope.resolve(RemoteNames)
  const place = { partition: 'default', namespace: 'default', datacenter: 'dc2' }
  const instances = (service: string) =>
    names.instances('dc2', { kind: 'service', service, tag: '', place }, ROOT)
  const count = async (): Promise<number> => {
    const { text } = await dc2.send('GET', '/v1/agent/metrics?format=prometheus')
    return Number(/path="\/v1\/health\/service\/[^"]*",status="200"\} (\d+)/.exec(text)?.[1])
  }
  const found = await Promise.all([instances('web'), instances('web'), instances('web')])
  t.true(found.every(list => list.length === 1))
  t.is(await count(), 1)
  await instances('web')
  t.is(await count(), 2)
  const many = await Promise.allSettled(Array.from({ length: 300 }, (_, at) => instances(`s${at}`)))
  t.is(many.filter(({ status }) => status === 'rejected').length, 300 - 256)
})
