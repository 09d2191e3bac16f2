// DNS names of services in namespaces and partitions (spec: tenancy.md §11).
import test from 'ava'
import { ask, dataOf, dnsServer, type DnsTestServer } from '../../support/dns.js'
import { call, makeNamespaces } from './support.js'

/** `web` has another port in each namespace. */
const setUp = async (t: Parameters<typeof dnsServer>[0]): Promise<DnsTestServer> => {
  const server = await dnsServer(t)
  await makeNamespaces(server, 'team', 'empty')
  await call(server, 'PUT', '/v1/partition', { Name: 'p' })
  await call(server, 'PUT', '/v1/namespace?partition=p', { Name: 'team' })
  const register = (query: string, Node: string, Address: string, Port: number) => {
    const body = { Node, Address, Service: { Service: 'web', Port, Tags: ['v1'] } }
    return call(server, 'PUT', `/v1/catalog/register${query}`, body)
  }
  await register('', 'n', '10.0.0.1', 1)
  await register('?ns=team', 'n', '10.0.0.1', 2)
  await register('?partition=p', 'np', '10.0.0.9', 3)
  await register('?partition=p&ns=team', 'np', '10.0.0.9', 4)
  return server
}

const PORTS = [
  ['web.service.consul', 1],
  ['v1.web.service.dc1.consul', 1],
  ['web.service.dc1.dc.consul', 1],
  ['web.service.default.ns.consul', 1],
  ['web.service.team.dc1.consul', 2],
  ['v1.web.service.team.dc1.consul', 2],
  ['web.service.team.ns.consul', 2],
  ['web.service.team.ns.dc1.dc.consul', 2],
  ['WEB.Service.Team.NS.default.AP.consul', 2],
  ['web.service.p.ap.consul', 3],
  ['web.service.p.ap.dc1.dc.consul', 3],
  ['web.service.team.ns.p.ap.consul', 4],
  ['v1.web.service.team.ns.p.ap.dc1.dc.consul', 4]
] as const

const MISSING = [
  'web.service.team.consul',
  'web.service.empty.ns.consul',
  'web.service.nope.ns.consul',
  'web.service.nope.dc1.consul',
  'web.service.nope.ap.consul',
  'web.service.team.ns.dc2.dc.consul',
  'web.service.p.ap.team.ns.consul',
  'n.node.team.ns.consul',
  'np.node.consul',
  'n.node.p.ap.consul'
] as const

test('every form of a name finds the service of its namespace and partition, and no other', async t => {
  const { dnsPort } = await setUp(t)
  for (const [name, port] of PORTS) {
    const { rcode, answers = [] } = await ask(dnsPort, name, 'SRV')
    t.is(rcode, 'NOERROR', name)
    t.deepEqual(
      answers.map(answer => (answer.type === 'SRV' ? answer.data.port : answer.type)),
      [port],
      name
    )
  }
  for (const name of MISSING) t.is((await ask(dnsPort, name, 'A')).rcode, 'NXDOMAIN', name)
})

test('the name of a node in an answer finds that node, also in a partition of its own', async t => {
  const { dnsPort } = await setUp(t)
  for (const [name, address] of [
    ['web.service.consul', '10.0.0.1'],
    ['web.service.team.ns.consul', '10.0.0.1'],
    ['web.service.team.ns.p.ap.consul', '10.0.0.9']
  ] as const) {
    const { answers = [] } = await ask(dnsPort, name, 'SRV')
    const [first] = answers
    if (first?.type !== 'SRV') throw new Error(`no SRV record for ${name}`)
    t.deepEqual(dataOf(await ask(dnsPort, first.data.target, 'A')), [address], first.data.target)
  }
})

test('one label is a datacenter, unless namespaces are preferred', async t => {
  const server = await dnsServer(t, { config: { dns_config: { prefer_namespace: true } } })
  await makeNamespaces(server, 'team')
  const body = { Node: 'n', Address: '10.0.0.1', Service: { Service: 'web', Port: 2, Namespace: 'team' } }
  await call(server, 'PUT', '/v1/catalog/register', body)
  t.is((await ask(server.dnsPort, 'web.service.team.consul', 'A')).rcode, 'NOERROR')
})
