// Real resolvers against the server: Node's own, and dig.
import { execFile } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { dnsServer, register, type DnsTestServer } from '../../support/dns.js'
import type { Scope } from '../../support/process.js'
import { missing } from '../../support/programs.js'

const run = promisify(execFile)

const withQuery = async (t: Scope): Promise<DnsTestServer> => {
  const server = await dnsServer(t)
  await register(server, 'n1', '10.1.0.1', {
    Service: 'web',
    Port: 8001,
    Weights: { Passing: 7, Warning: 1 }
  })
  await register(server, 'n2', '10.1.0.2', { Service: 'web', Port: 8002 })
  const body = { Name: 'near-web', Service: { Service: 'web' }, DNS: { TTL: '11s' } }
  const { status, text } = await server.send('POST', '/v1/query', { body })
  if (status !== 200) throw new Error(text)
  return server
}

test("Node's resolver finds addresses and services of a prepared query", async t => {
  const { dnsPort } = await withQuery(t)
  const resolver = new Resolver()
  resolver.setServers([`127.0.0.1:${dnsPort}`])
  const addresses = await resolver.resolve4('near-web.query.consul', { ttl: true })
  t.deepEqual(addresses.map(({ address }) => address).toSorted(), ['10.1.0.1', '10.1.0.2'])
  t.deepEqual(new Set(addresses.map(({ ttl }) => ttl)), new Set([11]))
  const services = await resolver.resolveSrv('near-web.query.consul')
  t.deepEqual(
    services
      .toSorted((a, b) => a.port - b.port)
      .map(({ name, port, priority, weight }) => ({ name, port, priority, weight })),
    [
      { name: 'n1.node.dc1.consul', port: 8001, priority: 1, weight: 7 },
      { name: 'n2.node.dc1.consul', port: 8002, priority: 1, weight: 1 }
    ]
  )
  t.deepEqual(await resolver.reverse('10.1.0.2'), ['n2.node.dc1.consul'])
  await t.throwsAsync(resolver.resolve4('none.query.consul'), { code: 'ENOTFOUND' })
  await t.throwsAsync(resolver.resolve6('near-web.query.consul'), { code: 'ENODATA' })
})

const dig = async (port: number, ...question: readonly string[]): Promise<string> => {
  const { stdout } = await run('dig', ['@127.0.0.1', '-p', String(port), '+time=5', '+tries=1', ...question])
  return stdout
}

test('dig finds addresses and services of a prepared query, over UDP and TCP', async t => {
  if (await missing(t, 'dig')) return
  const { dnsPort } = await withQuery(t)
  for (const transport of ['+notcp', '+tcp']) {
    const short = await dig(dnsPort, '+short', transport, 'near-web.query.consul', 'A')
    t.deepEqual(short.trim().split('\n').toSorted(), ['10.1.0.1', '10.1.0.2'])
    const full = await dig(dnsPort, transport, 'near-web.query.consul', 'SRV')
    t.regex(full, /status: NOERROR/)
    t.regex(full, /near-web\.query\.consul\.\s+11\s+IN\s+SRV\s+1 7 8001 n1\.node\.dc1\.consul\./)
    t.regex(full, /n1\.node\.dc1\.consul\.\s+11\s+IN\s+A\s+10\.1\.0\.1/)
    t.notRegex(full, /malformed|extra bytes|mismatch/i)
  }
  const whole = await dig(dnsPort, '+subnet=10.1.0.2/32', 'near-web.query.consul', 'A')
  t.regex(whole, /CLIENT-SUBNET: 10\.1\.0\.2\/32\/32/)
  t.regex(await dig(dnsPort, 'consul', 'AXFR', '+tcp'), /Transfer failed/)
})
