// Machines that do not reach each other.
import test from 'ava'
import type { AnnalsServer } from '../annals-server.js'
import type { Machine } from '../machines/machine.js'
import type { ExecutionContext } from 'ava'
import type { Workload } from '../workload.js'
import { assertMinority } from './minority.js'
import { follower, others, faultTest, type NetworkCluster } from './fault-test.js'

/** Cuts off the machine of the leader, and then that of a follower: the others write, the one shows what it has, and says since when. */
const cutOffLeader = async (t: ExecutionContext, cluster: NetworkCluster, work: Workload): Promise<void> => {
  const { network } = cluster
  const alone: AnnalsServer = await cluster.leader()
  network.cutOff(alone.machine)
  const next = await cluster.leader(others(cluster, alone))
  t.is((await next.send('PUT', '/v1/kv/newest', { body: 'of the majority' })).status, 200)
  await work.acknowledges(100)
  await assertMinority(t, alone, true)
  network.reconnect(alone.machine)
  await alone.ready()
  t.is((await alone.send('GET', '/v1/kv/newest?raw')).text, 'of the majority')

  const cut = await follower(cluster)
  network.cutOff(cut.machine)
  await work.acknowledges(100)
  await assertMinority(t, cut, false)
  network.reconnect(cut.machine)
  await cut.ready()
}

test('fault 6: the leader is cut off with its member of etcd', async t => {
  await faultTest(t, { cluster: { hold: '2s' } }, async (cluster, work) => {
    await cutOffLeader(t, cluster, work)
  })
})

test('fault 7: the leader is cut off, and etcd is on other machines', async t => {
  await faultTest(t, { cluster: { hold: '2s' }, apart: true }, async (cluster, work) => {
    await cutOffLeader(t, cluster, work)
  })
})

test('fault 8: requests arrive, answers do not', async t => {
  await faultTest(t, { apart: true }, async (cluster, work) => {
    const { network, etcd } = cluster
    const leader = await cluster.leader()
    const machines: readonly Machine[] = etcd.members.map(({ machine }) => machine)
    for (const machine of machines) network.lose(machine, leader.machine)
    await cluster.leader(others(cluster, leader))
    await work.acknowledges(100)
    for (const machine of machines) network.restore(machine, leader.machine)
    await leader.ready()
    // The same, but so short that it continues to lead.
    const again = await cluster.leader()
    for (const machine of machines) network.lose(machine, again.machine)
    for (const machine of machines) network.restore(machine, again.machine)
  })
})
