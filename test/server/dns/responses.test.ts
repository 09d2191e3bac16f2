// What DNS answers: names, sizes, order, metadata, tenancy (spec: queries.md §8).
import test from 'ava'
import fc from 'fast-check'
import { DnsQueryHandler } from '../../../server/dns/query-handler.js'
import { parseName } from '../../../server/dns/names.js'
import { addressOfName } from '../../../server/dns/reverse.js'
import { metadataRecords } from '../../../server/dns/instance-records.js'
import { ServiceTimes, queryTime } from '../../../server/dns/zone-replies.js'
import { DATACENTERS } from '../../../server/settings/ports.js'
import { noDatacenters } from '../../../projections/queries/execute.js'
import { ask, dataOf, decodeDnsResponse, dnsServer, question, register } from '../../support/dns.js'

const lookup = (name: string, type = 'A', preferNamespace = false) =>
  parseName(name.split('.'), type, preferNamespace)
const home = { datacenter: '', partition: 'default', namespace: 'default' }

test('the rightmost word of the interface says what a name means', t => {
  t.deepEqual(lookup('v1.2.web.service'), { kind: 'service', service: 'web', tag: 'v1.2', place: home })
  t.deepEqual(lookup('_web._tcp.service'), { kind: 'service', service: 'web', tag: '', place: home })
  t.deepEqual(lookup('_web._udp', 'SRV'), { kind: 'service', service: 'web', tag: 'udp', place: home })
  t.is(lookup('_web._udp'), undefined)
  t.deepEqual(lookup('a.node.node.dc2'), {
    kind: 'node',
    node: 'a.node',
    place: { ...home, datacenter: 'dc2' }
  })
  t.deepEqual(lookup('a.b.query'), { kind: 'query', name: 'a.b', place: home })
  t.deepEqual(lookup('tag.web.connect'), { kind: 'connect', service: 'web', place: home })
  for (const name of ['service', 'node', 'web', 'web.service.a.b.c', 'n.node.ns.dc1', 'x.0a.addr'])
    t.is(lookup(name), undefined, name)
})

test('namespaces and partitions stand right of the word', t => {
  const placeOf = (name: string, prefer = false) => {
    const found = lookup(name, 'A', prefer)
    return found && 'place' in found ? found.place : undefined
  }
  t.deepEqual(placeOf('web.service.ns1.dc1'), { ...home, namespace: 'ns1', datacenter: 'dc1' })
  t.deepEqual(placeOf('web.service.x.ns.y.ap.z.dc'), { namespace: 'x', partition: 'y', datacenter: 'z' })
  t.deepEqual(placeOf('web.service.z.dc'), { ...home, datacenter: 'z' })
  t.is(placeOf('web.service.z.dc.x.ns'), undefined)
  t.deepEqual(placeOf('web.service.x', true), { ...home, namespace: 'x' })
  t.deepEqual(placeOf('n.node.y.ap'), { ...home, partition: 'y' })
})

test('reverse names stand for addresses', t => {
  t.is(addressOfName('4.3.2.1.in-addr.arpa'), '1.2.3.4')
  t.is(addressOfName('3.2.1.in-addr.arpa'), undefined)
  t.is(addressOfName('256.3.2.1.in-addr.arpa'), undefined)
  t.is(addressOfName(`${'1.'.repeat(8)}${'0.'.repeat(20)}8.0.0.2.ip6.arpa`), '2008::1111:1111')
})

test('keys of metadata are quoted, and some give their value alone', t => {
  const texts = metadataRecords('n', { 'a=b': 'x`y', ' k ': '1', 'RFC1035-t': 'all of it', '': 'v' }, 0)
  t.deepEqual(
    texts.map(({ data }) => data),
    ['a`=b=x``y', '` k` =1', 'all of it', '=v']
  )
})

test('an exact name has its own time to live, else that of the longest prefix', t => {
  const times = new ServiceTimes({ web: 5000, 'web-*': 7900, 'w*': 3000 })
  t.deepEqual(
    ['web', 'WEB', 'web-a', 'wx', 'other'].map(name => times.of(name)),
    [5, 5, 7, 3, 0]
  )
  t.is(new ServiceTimes({ '*': 1000 }).of('any'), 1)
  t.deepEqual(['', '0s', '1900ms', '500ms', '24h'].map(queryTime), [undefined, 0, 1, 0, 86_400])
})

test('no answer is larger than asked for, whatever the size, and none is cut that fits', async t => {
  const server = await dnsServer(t, { config: { dns_config: { enable_truncate: true } } })
  const count = 60
  for (let i = 0; i < count; i++)
    await register(server, `node-${i}`, `10.2.0.${i}`, { Service: 'big', Port: i + 1 })
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constantFrom(0, 1, 511, 512), fc.nat(6000)),
      fc.constantFrom('A', 'SRV'),
      async (edns, type) => {
        const response = await ask(server.dnsPort, 'big.service.consul', type, { edns })
        const { answers = [], additionals = [] } = response
        t.true(response.bytes <= Math.max(512, edns), `${response.bytes} bytes for ${edns}, ${type}`)
        t.true(answers.length > 0, `no answers in ${edns} bytes, ${type}: ${JSON.stringify(response)}`)
        t.is(response.flag_tc, answers.length < count || (type === 'SRV' && additionals.length < count))
        if (edns <= 512) t.is(answers.length, 3)
      }
    ),
    { numRuns: 60 }
  )
  const whole = await ask(server.dnsPort, 'big.service.consul', 'SRV', { tcp: true })
  t.is(whole.answers?.length, count)
  t.false(whole.flag_tc)
})

test('a size below 512 bytes means 512, and the answer repeats it (RFC 6891 6.2.3)', async t => {
  const server = await dnsServer(t)
  for (const i of [1, 2, 3, 4]) await register(server, `n${i}`, `10.0.0.${i}`, { Service: 'web', Port: i })
  for (const edns of [0, 100, 512]) {
    t.is(question('web.service.consul', 'A', { edns }).readUInt16BE(39), edns)
    const { answers = [], additionals = [] } = await ask(server.dnsPort, 'web.service.consul', 'A', { edns })
    t.is(answers.length, 3)
    const [opt] = additionals
    t.is(opt?.type === 'OPT' ? opt.udpPayloadSize : undefined, edns)
  }
  const { answers } = await ask(server.dnsPort, 'web.service.consul', 'A', { edns: 513 })
  t.is(answers?.length, 4)
})

test('a later version of EDNS is answered with ours alone (RFC 6891 6.1.3)', async t => {
  const server = await dnsServer(t)
  await register(server, 'n1', '10.0.0.1', { Service: 'web', Port: 1 })
  const asking = { edns: 1232, version: 1 }
  const response = await ask(server.dnsPort, 'web.service.consul', 'A', asking)
  t.deepEqual(response.answers, [])
  const [opt] = response.additionals ?? []
  if (opt?.type !== 'OPT') throw new Error('no OPT record')
  // BADVERS is 16: 1 in the OPT record, 0 in the header.
  t.deepEqual([response.rcode, opt.extendedRcode, opt.ednsVersion], ['NOERROR', 1, 0])
  const plain = await ask(server.dnsPort, 'web.service.consul', 'A', { edns: 1232 })
  t.is(plain.answers?.length, 1)
})

test('another datacenter is unknown to DNS, or known and not to be reached', async t => {
  const datacenters = { ...noDatacenters, nearest: () => ['dc2'] }
  const server = await dnsServer(t, { register: scope => scope.registerInstance(DATACENTERS, datacenters) })
  await register(server, 'n1', '10.0.0.1', { Service: 'web', Port: 1 })
  await server.send('POST', '/v1/query', { body: { Name: 'q', Service: { Service: 'web' } } })
  const answering = server.scope.resolve(DnsQueryHandler)
  for (const name of ['web.service', 'n1.node', 'q.query', 'web.connect']) {
    const rcodeOf = async (datacenter: string): Promise<string> => {
      const asked = question(`${name}.${datacenter}.consul`, 'A')
      const answer = await answering.answer(asked, 'udp', '127.0.0.1')
      return answer ? decodeDnsResponse(answer).rcode : 'none'
    }
    t.is(await rcodeOf('DC1'), name === 'web.connect' ? 'NXDOMAIN' : 'NOERROR', name)
    t.is(await rcodeOf('dc2'), 'SERVFAIL', name)
    t.is(await rcodeOf('dc9'), 'NXDOMAIN', name)
  }
})

test('with use_cache a query is answered as it was found before, until it is too old', async t => {
  const dns_config = { use_cache: true, cache_max_age: '60s', udp_answer_limit: 8 }
  const server = await dnsServer(t, { config: { dns_config } })
  const names = [1, 2, 3, 4, 5, 6]
  for (const i of names) await register(server, `n${i}`, `10.0.0.${i}`, { Service: 'web', Port: i })
  await server.send('POST', '/v1/query', { body: { Name: 'q', Service: { Service: 'web' } } })
  const found = async (): Promise<string> => dataOf(await ask(server.dnsPort, 'q.query.consul', 'A')).join()
  const first = await found()
  await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'n1' } })
  for (let i = 0; i < 5; i++) t.is(await found(), first)
  t.is(dataOf(await ask(server.dnsPort, 'web.service.consul', 'A')).length, 5)
  server.advance(61_000)
  t.is((await found()).split(',').length, 5)
})

test('with use_cache and no age a query is answered as before for three days', async t => {
  const server = await dnsServer(t, { config: { dns_config: { use_cache: true } } })
  await register(server, 'n1', '10.0.0.1', { Service: 'web', Port: 1 })
  await server.send('POST', '/v1/query', { body: { Name: 'q', Service: { Service: 'web' } } })
  const rcode = async (): Promise<string> => (await ask(server.dnsPort, 'q.query.consul', 'A')).rcode
  t.is(await rcode(), 'NOERROR')
  await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'n1' } })
  server.advance(71 * 3600_000)
  t.is(await rcode(), 'NOERROR')
  server.advance(2 * 3600_000)
  t.is(await rcode(), 'NXDOMAIN')
})

test('the order differs from answer to answer', async t => {
  const server = await dnsServer(t)
  for (const i of [1, 2, 3]) await register(server, `n${i}`, `10.0.0.${i}`, { Service: 'web', Port: i })
  const orders = new Set<string>()
  for (let i = 0; i < 60; i++) orders.add(dataOf(await ask(server.dnsPort, 'web.service.consul', 'A')).join())
  t.true(orders.size > 2)
})

test('a query near the address of the client sorts by it, and the answer says that it holds for that address', async t => {
  const server = await dnsServer(t)
  for (const i of [1, 2, 3]) await register(server, `n${i}`, `10.0.0.${i}`, { Service: 'web', Port: i })
  await server.send('POST', '/v1/query', { body: { Name: 'near', Service: { Service: 'web', Near: '_ip' } } })
  for (let i = 0; i < 10; i++) {
    const response = await ask(server.dnsPort, 'near.query.consul', 'A', { subnet: '10.0.0.3' })
    t.is(dataOf(response)[0], '10.0.0.3')
    t.regex(JSON.stringify(response.additionals), /"scopePrefixLength":32/)
  }
})

test('services of namespaces have names of their own', async t => {
  const server = await dnsServer(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const service = { Service: 'web', Namespace: 'team', Port: 1, Address: '10.3.0.9' }
  await register(server, 'n1', '10.3.0.1', service)
  const rcodeOf = async (name: string): Promise<string> => (await ask(server.dnsPort, name, 'A')).rcode
  t.is(await rcodeOf('web.service.consul'), 'NXDOMAIN')
  t.is(await rcodeOf('web.service.team.dc1.consul'), 'NOERROR')
  t.is(await rcodeOf('web.service.team.ns.consul'), 'NOERROR')
  t.is(await rcodeOf('web.service.other.dc1.consul'), 'NXDOMAIN')
  t.is(
    dataOf(await ask(server.dnsPort, '9.0.3.10.in-addr.arpa', 'PTR')).join(),
    'web.service.team.dc1.consul'
  )
})
