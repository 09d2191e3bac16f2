// Queries that find nothing here, executed in other datacenters (spec: queries.md §6.4).
import test, { type ExecutionContext } from 'ava'
import { POLL_INTERVAL_MS } from '../../../../server/cluster/datacenters/datacenter-poller.js'
import { RoundTrips } from '../../../../server/cluster/datacenters/round-trips.js'
import { startDatacenters, type Datacenter } from '../../../support/datacenters.js'
import { register } from '../../../support/dns.js'
import { ROOT } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { measured, stillClock } from './support.js'

const still = (t: ExecutionContext, names?: readonly string[]) =>
  startDatacenters(t, { ...(names ? { names } : {}), clock: stillClock() })

const createQuery = async (server: Datacenter, body: object): Promise<string> => {
  const { status, text } = await server.send('POST', '/v1/query', { body })
  if (status !== 200) throw new Error(text)
  return JSON.parse(text).ID
}

const execute = async (server: Datacenter, name: string, parameters = '', token?: string) => {
  const sending = token === undefined ? {} : { token }
  const { status, text } = await server.send('GET', `/v1/query/${name}/execute${parameters}`, sending)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text)
}

/** Where it was found: datacenter, failovers, and the nodes. */
const summaryOf = ({ Datacenter: datacenter, Failovers, Nodes }: Awaited<ReturnType<typeof execute>>) => [
  datacenter,
  Failovers,
  Nodes.map((found: { readonly Node: { readonly Node: string } }) => found.Node.Node).toSorted()
]

const web = { Service: 'web', Port: 80, Tags: ['v1'] }

test('a query that finds nothing here is executed in the datacenters that it lists, in order', async t => {
  const all = await still(t)
  const dc1 = all.at('dc1')
  await register(all.at('dc2'), 'a', '10.2.0.1', web, { NodeMeta: { rack: 'r' } })
  await register(all.at('dc3'), 'b', '10.3.0.1', web)
  const failover = (...Datacenters: string[]) => ({ Service: 'web', Failover: { Datacenters } })
  await createQuery(dc1, { Name: 'none', Service: { Service: 'web' } })
  await createQuery(dc1, { Name: 'both', Service: failover('dc3', 'dc2'), DNS: { TTL: '7s' } })
  await createQuery(dc1, { Name: 'unknown', Service: failover('dc9', 'DC2', 'dc3') })
  await createQuery(dc1, { Name: 'itself', Service: failover('dc1') })
  await createQuery(dc1, { Name: 'nowhere', Service: { ...failover('dc2', 'dc3', 'dc2'), Service: 'other' } })
  t.deepEqual(summaryOf(await execute(dc1, 'none')), ['dc1', 0, []])
  t.deepEqual(summaryOf(await execute(dc1, 'both')), ['dc3', 1, ['b']])
  t.deepEqual(summaryOf(await execute(dc1, 'unknown')), ['dc3', 1, ['b']])
  t.deepEqual(summaryOf(await execute(dc1, 'itself')), ['dc1', 0, []])
  t.deepEqual(summaryOf(await execute(dc1, 'nowhere')), ['dc3', 2, []])
  const [found] = (await execute(dc1, 'both')).Nodes
  t.like(found, { Datacenter: 'dc3', Failovers: 1, DNS: { TTL: '7s' } })
  t.like(found.Node, { Datacenter: 'dc3', Address: '10.3.0.1' })
  await register(dc1, 'c', '10.1.0.1', web)
  t.deepEqual(summaryOf(await execute(dc1, 'both')), ['dc1', 0, ['c']])
})

test('an instance without a port is found in another datacenter', async t => {
  const all = await still(t, ['dc1', 'dc2'])
  const dc1 = all.at('dc1')
  await register(all.at('dc2'), 'a', '10.2.0.1', { Service: 'bare', TaggedAddresses: { lan: {} } })
  await createQuery(dc1, { Name: 'q', Service: { Service: 'bare', Failover: { Datacenters: ['dc2'] } } })
  const found = await execute(dc1, 'q')
  t.deepEqual(summaryOf(found), ['dc2', 1, ['a']])
  const own = JSON.parse((await dc1.send('GET', '/v1/health/service/bare?dc=dc2')).text)
  t.deepEqual(Object.keys(found.Nodes[0].Service), Object.keys(own[0].Service))
})

test('the nearest datacenters come first, by the times that requests there take', async t => {
  const all = await still(t)
  const dc1 = all.at('dc1')
  for (const name of ['dc2', 'dc3']) await register(all.at(name), `in-${name}`, '10.2.0.1', web)
  await createQuery(dc1, { Name: 'q', Service: { Service: 'web', Failover: { NearestN: 1 } } })
  const more = { NearestN: 1, Datacenters: ['dc3', 'dc2', 'dc1', 'dc2'] }
  await createQuery(dc1, { Name: 'nowhere', Service: { Service: 'other', Failover: more } })
  const trips = dc1.scope.resolve(RoundTrips)
  // Odd numbers of times, so that the slow ones decide.
  for (let i = 0; i < 5; i++) await measured(all, 'dc1', { slow: 'dc2', ms: 100 })
  t.deepEqual(trips.nearest(), ['dc3', 'dc2'])
  t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc3', 1, ['in-dc3']])
  t.deepEqual(summaryOf(await execute(dc1, 'nowhere')), ['dc2', 2, []])
  for (let i = 0; i < 5; i++) await measured(all, 'dc1', { slow: 'dc3', ms: 1000 })
  t.deepEqual(trips.nearest(), ['dc2', 'dc3'])
  t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc2', 1, ['in-dc2']])
  // Who is gone stays where it was, and costs only the attempt.
  await all.at('dc2').gate.shut()
  t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc1', 1, []])
})

test('a datacenter that is gone, or does not answer within two seconds, costs only the attempt', async t => {
  const all = await still(t)
  const dc1 = all.at('dc1')
  await register(all.at('dc2'), 'a', '10.2.0.1', web)
  await register(all.at('dc3'), 'b', '10.3.0.1', web)
  const Failover = { Datacenters: ['dc3', 'dc2'] }
  await createQuery(dc1, { Name: 'q', Service: { Service: 'web', Failover } })
  await createQuery(dc1, { Name: 'nowhere', Service: { Service: 'other', Failover } })
  await all.at('dc3').gate.shut()
  t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc2', 2, ['a']])
  t.deepEqual(summaryOf(await execute(dc1, 'nowhere')), ['dc2', 2, []])
  await all.at('dc3').gate.open()
  await measured(all, 'dc1', { slow: 'dc2', ms: 100 })
  t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc3', 1, ['b']])
  all.at('dc3').gate.hold()
  const asking = execute(dc1, 'q')
  const answered = { is: false }
  void asking.then(() => (answered.is = true))
  await until('the limit is over', () => {
    all.advance(100)
    return answered.is
  })
  t.deepEqual(summaryOf(await asking), ['dc2', 2, ['a']])
})

test('a datacenter that did not answer is skipped until a probe succeeds', async t => {
  const all = await still(t)
  const [dc1, dc3] = [all.at('dc1'), all.at('dc3')]
  await register(all.at('dc2'), 'a', '10.2.0.1', web)
  await register(dc3, 'b', '10.3.0.1', web)
  await createQuery(dc1, {
    Name: 'q',
    Service: { Service: 'web', Failover: { Datacenters: ['dc3', 'dc2'] } }
  })
  await createQuery(dc1, { Name: 'only', Service: { Service: 'web', Failover: { Datacenters: ['dc3'] } } })
  const trips = dc1.scope.resolve(RoundTrips)
  await until('the first probes are answered', () => trips.asking === 0)
  const requests = async (): Promise<number> =>
    Number(
      /annals_datacenter_requests_total\{outcome="given up"\} (\d+)/.exec(
        await dc1.app.metrics.prometheus()
      )?.[1] ?? 0
    )
  dc3.gate.hold()
  const first = { isAnswered: false, answer: execute(dc1, 'q') }
  void first.answer.then(() => (first.isAnswered = true))
  await until('the limit is over', () => {
    all.advance(100)
    return first.isAnswered
  })
  t.deepEqual(summaryOf(await first.answer), ['dc2', 2, ['a']])
  t.is(await requests(), 1)
  // The clock stands still: what waits for an answer would wait for ever.
  for (let i = 0; i < 3; i++) t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc2', 2, ['a']])
  t.deepEqual(summaryOf(await execute(dc1, 'only')), ['dc1', 1, []])
  t.is(await requests(), 1)
  dc3.gate.pass()
  t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc2', 2, ['a']])
  all.advance(POLL_INTERVAL_MS)
  await until('a probe succeeds', () => !trips.isUnresponsive('dc3'))
  t.deepEqual(summaryOf(await execute(dc1, 'q')), ['dc3', 1, ['b']])
})

test('a datacenter that refuses a query has answered', async t => {
  const dc1 = (await still(t, ['dc1', 'dc2'])).at('dc1')
  await createQuery(dc1, { Name: 'q', Service: { Service: 'web', Failover: { Datacenters: ['dc2'] } } })
  const Policies = [{ Name: 'global-management' }]
  const made = await dc1.send('PUT', '/v1/acl/token', { body: { Local: true, Policies } })
  t.deepEqual(summaryOf(await execute(dc1, 'q', '', JSON.parse(made.text).SecretID)), ['dc1', 1, []])
  t.false(dc1.scope.resolve(RoundTrips).isUnresponsive('dc2'))
})

test('in the other datacenter the rights there count, of the query’s token or else of the caller’s', async t => {
  const acl = { enable_token_replication: true, tokens: { initial_management: ROOT } }
  const all = await startDatacenters(t, { clock: stillClock(), of: () => ({ config: { acl } }) })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  await register(dc2, 'a', '10.2.0.1', web)
  await register(dc2, 'b', '10.2.0.2', web)
  const SecretID = '7f1b5c1e-6d0a-4b6f-9c36-0d3f6a0c1b11'
  /** It may read one node there, and every service. */
  const tokenIn = async (server: Datacenter, NodeName: string): Promise<void> => {
    const body = { SecretID, Local: true, NodeIdentities: [{ NodeName, Datacenter: server.name }] }
    const made = await server.send('PUT', '/v1/acl/token', { body })
    t.is(made.status, 200, made.text)
  }
  const Service = { Service: 'web', Failover: { Datacenters: ['dc2'] } }
  await createQuery(dc1, { Name: 'q', Service })
  await createQuery(dc1, { Name: 'own', Token: ROOT, Service })
  // Known here, and not there: no answer from there.
  await tokenIn(dc1, 'b')
  t.deepEqual(summaryOf(await execute(dc1, 'q', '', SecretID)), ['dc1', 1, []])
  await tokenIn(dc2, 'b')
  t.deepEqual(summaryOf(await execute(dc1, 'q', '', SecretID)), ['dc2', 1, ['b']])
  t.deepEqual(summaryOf(await execute(dc1, 'own', '', SecretID)), ['dc2', 1, ['a', 'b']])
  t.is((await execute(dc1, 'own', '?limit=1')).Nodes.length, 1)
  t.deepEqual(summaryOf(await execute(dc1, 'own', '?connect=true')), ['dc2', 1, []])
})

test('the conditions of the query hold there, and a template is filled in before', async t => {
  const all = await still(t, ['dc1', 'dc2'])
  const dc1 = all.at('dc1')
  await register(all.at('dc2'), 'a', '10.2.0.1', web, { NodeMeta: { rack: 'r1' } })
  await register(all.at('dc2'), 'b', '10.2.0.2', { ...web, Tags: ['v2'] }, { NodeMeta: { rack: 'r2' } })
  const Failover = { Datacenters: ['dc2'] }
  await createQuery(dc1, {
    Name: 'find-',
    Template: { Type: 'name_prefix_match' },
    Service: { Service: '${name.suffix}', Failover, Near: '_agent', NodeMeta: { rack: 'r2' } }
  })
  t.deepEqual(summaryOf(await execute(dc1, 'find-web')), ['dc2', 1, ['b']])
  await createQuery(dc1, { Name: 'tags', Service: { Service: 'web', Failover, Tags: ['!v2'] } })
  t.deepEqual(summaryOf(await execute(dc1, 'tags')), ['dc2', 1, ['a']])
})
