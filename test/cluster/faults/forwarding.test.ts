// Servers that each believe that another one leads.
import test from 'ava'
import { missing } from '../../support/programs.js'
import type { AnnalsServer } from '../annals-server.js'
import { loopbackCluster, startServers } from '../cluster.js'
import { startWorkload } from '../workload.js'
import { until } from '../../support/wait.js'
import { others } from './fault-test.js'

const PATH = '/v1/kv/passed-on'

/** How many deletions of keys a server has answered, and how. Nothing else deletes any here. */
const deletions = async (server: AnnalsServer): Promise<Readonly<Record<string, number>>> => {
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  const counted = text.matchAll(
    /^annals_http_requests_total\{method="DELETE",path="\/v1\/kv\/\*key",status="(\d+)"\} (\d+)$/gm
  )
  return Object.fromEntries(Array.from(counted, ([, status = '', count]) => [status, Number(count)]))
}

test('fault 18: two servers that each believe that the other one leads do not forward in a loop', async t => {
  if (await missing(t, 'etcd')) return
  // A leader that two others report as unreachable steps down after `lease_ttl`, and this test needs the same leader to its end.
  const cluster = await loopbackCluster(t, { cluster: { hold: '2s', lease_ttl: '60s' } })
  await startServers(cluster)
  const leader = await cluster.leader()
  const [one, other] = others(cluster, leader)
  if (!one || !other) return t.fail()
  const work = startWorkload({ bases: () => [leader.base], clients: 4, rest: 20 })
  t.is((await one.send('PUT', PATH, { body: 'x' })).status, 200)

  const placeOf = (server: AnnalsServer): string =>
    `http://${server.machine.address}:${cluster.doors[cluster.servers.indexOf(server)]?.port}`
  const gateOf = (server: AnnalsServer) => cluster.gates[cluster.servers.indexOf(server)]
  gateOf(one)?.show(placeOf(leader), placeOf(other))
  gateOf(other)?.show(placeOf(leader), placeOf(one))
  // From now on each of the two takes the other for the leader, and asks it.
  for (const [asked, believed] of [
    [one, other],
    [other, one]
  ] as const) {
    await until(`${asked.name} believes that ${believed.name} leads`, async () => {
      const before = await deletions(believed)
      await asked.send('DELETE', '/v1/kv/missing')
      return (await deletions(believed))['503'] !== before['503']
    })
    const [before, beforeThere] = [await deletions(asked), await deletions(believed)]
    const { status, text, headers } = await asked.send('DELETE', PATH)
    const [after, there] = [await deletions(asked), await deletions(believed)]
    t.is(status, 503, text)
    t.regex(text, /^No cluster leader: nothing was changed/)
    t.is(headers['x-service-outcome'], undefined)
    const tries = (there['503'] ?? 0) - (beforeThere['503'] ?? 0)
    t.log(`${asked.name} asked ${believed.name} ${tries} times, and was asked nothing by it`)
    t.true(tries > 0, 'the other one was asked')
    t.is((after['503'] ?? 0) - (before['503'] ?? 0), 1, 'what the client asked is all that came')
    t.is(after['200'], before['200'])
    t.is(there['200'], beforeThere['200'])
  }
  t.is((await leader.send('GET', `${PATH}?raw`)).text, 'x', 'nothing was changed')
  await work.acknowledges(50)

  for (const server of [one, other]) gateOf(server)?.pass()
  await until('it knows the leader again', async () => (await one.send('DELETE', PATH)).status === 200)
  await work.stop()
  await t.notThrowsAsync(cluster.sound(work.writes))
})
