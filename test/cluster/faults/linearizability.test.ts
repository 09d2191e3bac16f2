// Whether what many clients of all servers saw could have been seen of one server alone, while faults happen.
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { seeded } from '../../support/random.js'
import { startClients, violations } from '../linearizable/keys-clients.js'
import { until } from '../../support/wait.js'
import { startNemesis } from './nemesis.js'
import { others, faultTestCluster } from './fault-test.js'

const minutes = Number(process.env['ANNALS_CLUSTER_MINUTES'] ?? 10)

test(`what 16 clients saw in ${minutes} minutes of random faults has an order`, async t => {
  const cluster = await faultTestCluster(t)
  if (!cluster) return
  const seed = Number(process.env['ANNALS_CLUSTER_SEED'] ?? Date.now() % 2 ** 32)
  const clients = await startClients({
    bases: cluster.bases,
    clients: 16,
    random: seeded(seed),
    operationsPerGroup: 150,
    rest: 10
  })
  const nemesis = startNemesis(cluster, seeded(seed + 1))
  await pause(minutes * 60_000)
  await nemesis.stop()
  await clients.stop()
  t.log(`seed ${seed}, ${clients.groups.length} groups of keys, ${nemesis.done.length} faults`)
  t.log(JSON.stringify(Object.fromEntries(clients.counts)))
  t.deepEqual(violations(clients.groups), [])
  await t.notThrowsAsync(cluster.sound([]))
})

test('stale reads that are taken for default ones are found', async t => {
  const cluster = await faultTestCluster(t)
  if (!cluster) return
  const leader = await cluster.leader()
  const [behind] = others(cluster, leader)
  if (!behind) return t.fail()
  const clients = await startClients({
    bases: () => [behind.base],
    clients: 3,
    random: seeded(7),
    operationsPerGroup: 40,
    reads: ['?stale'],
    prefix: 'planted'
  })
  // What it applies comes late, now and then.
  const life = { over: false }
  const hold = async (): Promise<void> => {
    while (!life.over) {
      cluster.network.cutOff(behind.machine)
      await pause(300)
      cluster.network.reconnect(behind.machine)
      await pause(300)
    }
  }
  const holding = hold()
  await until('a violation', () => violations(clients.groups.slice(0, -1)).length > 0)
  life.over = true
  await holding
  await clients.stop()
  t.true(violations(clients.groups).length > 0)
})
