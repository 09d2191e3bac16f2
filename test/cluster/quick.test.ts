// The faults of a cluster that can be tried in short time on one machine, with gates in place of a network. Those of
// test/cluster/faults/ take longer, or need machines of their own: `npm run test:cluster` runs them all.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { seeded } from '../support/random.js'
import { temporaryFolder } from '../support/process.js'
import { until } from '../support/wait.js'
import { annalsServer } from './annals-server.js'
import { contactOf } from './cluster.js'
import { isAppend, isWatch } from './grpc-proxy.js'
import { startClients, violations } from './linearizable/keys-clients.js'
import { sharedCluster } from './shared-cluster.js'
import { loopbackMachines } from './machines/loopback.js'

const shared = sharedCluster(test, { cluster: { lease_ttl: '2s', hold: '2s', keep_commits: 100 } })

test.serial('fault 1: the leader of etcd is killed', async t => {
  await shared.during(t, 'fault1', async ({ etcd }, work) => {
    const killed = await etcd.leader()
    await killed.kill()
    await work.acknowledges(5)
    killed.start()
  })
})

test.serial('fault 2: the leader is killed', async t => {
  await shared.during(t, 'fault2', async (cluster, work) => {
    const killed = await cluster.leader()
    await killed.kill()
    const next = await cluster.leader()
    t.not(next.name, killed.name)
    await work.acknowledges(5)
    killed.start()
    await killed.ready()
  })
})

test.serial('fault 4: the leader stands still past its lease, and continues', async t => {
  await shared.during(
    t,
    'fault4',
    async (cluster, work) => {
      const stopped = await cluster.leader()
      stopped.signal('SIGSTOP')
      const others = cluster.servers.filter(server => server !== stopped)
      const next = await cluster.leader(others)
      await work.acknowledges(5)
      t.is((await next.send('PUT', '/v1/kv/newest', { body: 'of the next leader' })).status, 200)
      const read = stopped.send('GET', '/v1/kv/newest?raw')
      stopped.signal('SIGCONT')
      const { status, text } = await read
      t.true(status === 503 || text === 'of the next leader', `${status} ${text}`)
      await stopped.ready()
    },
    { patience: 3000 }
  )
})

test.serial('fault 7: the leader does not reach etcd', async t => {
  await shared.during(t, 'fault7', async (cluster, work) => {
    const alone = await cluster.leader()
    const at = cluster.servers.indexOf(alone)
    cluster.gates[at]?.treat(() => 'hold')
    await cluster.leader(cluster.servers.filter(server => server !== alone))
    await work.acknowledges(5)
    await until('it knows that there is no leader', async () => !(await contactOf(alone)).knowsLeader)
    const before = await contactOf(alone)
    // While the outcome of its last append is unknown, it does not know what it may show.
    if (before.status === 200) t.true((await contactOf(alone)).lastContact > before.lastContact)
    else t.is(before.status, 503)
    t.is((await alone.send('PUT', '/v1/kv/alone', { body: 'x' })).status, 503)
    t.is((await alone.send('GET', '/v1/kv/newest')).status, 503)
    cluster.gates[at]?.pass()
    cluster.gates[at]?.cut()
    await alone.ready()
  })
})

test.serial('fault 8: what etcd answers is lost for a while', async t => {
  await shared.during(t, 'fault8', async (cluster, work) => {
    const leader = await cluster.leader()
    const gate = cluster.gates[cluster.servers.indexOf(leader)]
    let lost = 0
    gate?.treat(call => {
      if (!isAppend(call) || lost >= 3) return 'pass'
      lost++
      return 'swallow'
    })
    await until('three answers are lost', () => lost >= 3)
    await work.acknowledges(5)
    gate?.pass()
  })
})

test.serial('fault 9: the answer of an append is lost, and the leader killed', async t => {
  await shared.during(t, 'fault9', async (cluster, work) => {
    const killed = await cluster.leader()
    const gate = cluster.gates[cluster.servers.indexOf(killed)]
    let lost = 0
    gate?.treat(call => {
      if (!isAppend(call)) return 'pass'
      lost++
      return 'swallow'
    })
    await until('an answer is lost', () => lost > 0)
    await killed.kill()
    gate?.pass()
    gate?.cut()
    await cluster.leader()
    await work.acknowledges(5)
    killed.start()
    await killed.ready()
  })
})

test.serial('fault 12: a follower hears nothing of what it watches', async t => {
  await shared.during(t, 'fault12', async cluster => {
    const leader = await cluster.leader()
    const deaf = cluster.servers.find(server => server !== leader)
    if (!deaf) return t.fail()
    const gate = cluster.gates[cluster.servers.indexOf(deaf)]
    gate?.treat(call => (isWatch(call) ? 'swallow' : 'pass'))
    t.is((await leader.send('PUT', '/v1/kv/unheard', { body: 'said' })).status, 200)
    // On a busy machine it may notice later than a request waits.
    await until('it shows it when it is asked for the newest, and nothing older', async () => {
      const { status, text } = await deaf.send('GET', '/v1/kv/unheard?raw')
      if (status !== 503) t.is(text, 'said')
      return status !== 503
    })
    const stale = async (): Promise<boolean> =>
      (await deaf.send('GET', '/v1/kv/unheard?raw&stale')).text === 'said'
    await until('it shows it without being asked for the newest', stale)
    gate?.pass()
    gate?.cut()
  })
})

test.serial('fault 13: servers campaign at once, again and again', async t => {
  await shared.during(t, 'fault13', async (cluster, work) => {
    for (let round = 0; round < 3; round++) {
      await cluster.etcd.remove('/annals/leader')
      await cluster.leader()
      await work.acknowledges(5)
    }
  })
})

test.serial('fault 23: a server with another key than the cluster’s does not start', async t => {
  const cluster = await shared.for(t)
  if (!cluster) return
  const [machine] = loopbackMachines(1)
  if (!machine) return t.fail()
  const server = await annalsServer(t, {
    machine,
    name: 'keyless',
    config: { encryption: { key: Buffer.alloc(32, 8).toString('base64') } },
    cluster: { etcd: { endpoints: cluster.etcd.members.map(({ url }) => url) } }
  })
  server.start()
  t.not(await server.end(), '0')
  t.regex(server.log(), /the configured key is not the one/)
})

test.serial('fault 29: a server is started from its older folder', async t => {
  await shared.during(t, 'fault29', async (cluster, work) => {
    const leader = await cluster.leader()
    const [older, other] = cluster.servers.filter(server => server !== leader)
    if (!older || !other) return t.fail()
    await older.stop()
    const copy = join(temporaryFolder(t), 'copy')
    cpSync(older.dataDir, copy, { recursive: true })
    older.start()
    await older.ready()
    await work.acknowledges(5)
    await older.stop()
    rmSync(older.dataDir, { recursive: true })
    cpSync(copy, older.dataDir, { recursive: true })
    older.start()
    await older.ready()
  })
})

test.serial('fault 15: a server whose log went on alone is refused', async t => {
  await shared.during(t, 'fault15', async (cluster, work) => {
    const leader = await cluster.leader()
    const other = cluster.servers.find(server => server !== leader)
    if (!other) return t.fail()
    await other.stop()
    const copy = join(temporaryFolder(t), 'copy')
    cpSync(other.dataDir, copy, { recursive: true })
    const alone = await annalsServer(t, { machine: other.machine, name: other.name, dataDir: copy })
    alone.start()
    await alone.ready()
    t.is((await alone.send('PUT', '/v1/kv/another-chain', { body: 'x' })).status, 200)
    await alone.stop()
    const astray = await annalsServer(t, {
      machine: other.machine,
      name: other.name,
      dataDir: copy,
      cluster: { etcd: { endpoints: cluster.etcd.members.map(({ url }) => url) } }
    })
    astray.start()
    await until('it says what is wrong', () => /differ|another chain|not that of|refuse/i.test(astray.log()))
    t.not((await astray.send('GET', '/v1/kv/another-chain?stale').catch(() => undefined))?.status, 200)
    await astray.kill()
    await work.acknowledges(5)
    t.is((await leader.send('GET', '/v1/kv/another-chain')).status, 404)
    other.start()
    await other.ready()
  })
})

test.serial('what 16 clients read and wrote has an order', async t => {
  const cluster = await shared.for(t)
  if (!cluster) return
  const seed = Date.now() % 2 ** 32
  const clients = await startClients({
    bases: cluster.bases,
    clients: 16,
    random: seeded(seed),
    operationsPerGroup: 100
  })
  await until('three groups of operations', () => clients.groups.length > 3)
  await clients.stop()
  t.log(`seed ${seed}, ${JSON.stringify(Object.fromEntries(clients.counts))}`)
  t.deepEqual(violations(clients.groups), [])
})

test.serial('every acknowledged write of all faults is in every log once', async t => {
  const cluster = await shared.for(t)
  if (!cluster) return
  await t.notThrowsAsync(cluster.sound(shared.writes))
})
