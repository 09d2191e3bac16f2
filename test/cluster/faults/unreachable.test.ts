// Servers that reach etcd, and not each other, on machines of their own.
import test from 'ava'
import { until } from '../../support/wait.js'
import type { AnnalsServer } from '../annals-server.js'
import { networkCluster, startServers } from '../cluster.js'
import { lacksNamespaces } from '../machines/namespaces.js'
import { others, faultTest } from './fault-test.js'

/** Resolves with what a server says of its readiness, once that is so. */
const readiness = (server: AnnalsServer, what: string, isSo: (status: number, text: string) => boolean) =>
  until(what, async () => {
    const answer = await server.send('GET', '/readyz', { timeout: 2000 }).catch(() => undefined)
    return answer && isSo(answer.status, answer.text) && answer.text
  })

test('a leader that reaches etcd, and that neither other server reaches, gives way to one of them', async t => {
  await faultTest(t, { apart: true }, async (cluster, work) => {
    const { network } = cluster
    const leader = await cluster.leader()
    const rest = others(cluster, leader)
    for (const { machine } of rest) network.lose(machine, leader.machine)
    const next = await cluster.leader(rest)
    t.is((await next.send('PUT', '/v1/kv/after', { body: 'the change' })).status, 200)
    const reason = `cannot forward to the leader ${next.name} at http://`
    await readiness(leader, 'it cannot forward', (status, text) => status === 503 && text.includes(reason))
    await work.acknowledges(100)
    for (const { machine } of rest) network.restore(machine, leader.machine)
    await readiness(leader, 'it forwards again', status => status === 200)
    t.is((await cluster.leader()).name, next.name)
  })
})

test('a leader that only one of two others does not reach leads on, and that one is not ready', async t => {
  await faultTest(t, { apart: true }, async (cluster, work) => {
    const { network } = cluster
    const leader = await cluster.leader()
    const [cut, other] = others(cluster, leader)
    if (!cut || !other) return t.fail()
    network.lose(cut.machine, leader.machine)
    const reason = `cannot forward to the leader ${leader.name} at http://`
    await readiness(cut, 'it cannot forward', (status, text) => status === 503 && text.includes(reason))
    await work.acknowledges(20)
    t.is((await cluster.leader()).name, leader.name)
    t.is((await other.send('GET', '/readyz')).status, 200)
    network.restore(cut.machine, leader.machine)
    await readiness(cut, 'it forwards again', status => status === 200)
  })
})

test('a server that founded the cluster without an address that others reach loses the leadership to one that has', async t => {
  if (lacksNamespaces(t)) return
  const cluster = await networkCluster(t, {
    plan: at => (at === 0 ? { cluster: { advertise: 'http://127.0.0.1:8500' } } : {})
  })
  await startServers(cluster)
  const [first, ...rest] = cluster.servers
  if (!first) return t.fail()
  const next = await cluster.leader(rest)
  t.is((await next.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
  await until('a server says so', () =>
    first.log().includes('does not reach this server at http://127.0.0.1:8500 (cluster.advertise)')
  )
  t.is(first.ended(), undefined)
  await first.kill()
  first.start()
  t.is(await first.end(), '1')
  t.regex(first.log(), /annals: this server advertises http:\/\/127\.0\.0\.1:8500, .*set cluster\.advertise/)
})
