// Servers that are far behind, and machines that lose what they alone have.
import { rmSync } from 'node:fs'
import test from 'ava'
import { until } from '../../support/wait.js'
import { others, faultTest } from './fault-test.js'

const commits = Number(process.env['ANNALS_CLUSTER_COMMITS'] ?? 50_000)

test(`fault 11: a follower stands still while ${commits} commits pass, and etcd compacts them`, async t => {
  await faultTest(
    t,
    { cluster: { keep_commits: 1000 }, workload: { clients: 64 } },
    async (cluster, work) => {
      const leader = await cluster.leader()
      const [behind] = others(cluster, leader)
      if (!behind) return t.fail()
      const { text } = await behind.send('GET', '/v1/event/checkpoint?stale')
      const last = Number(text.split('\n')[1])
      await behind.kill()
      for (let left = commits; left > 0; left -= 5000) await work.acknowledges(5000)
      await until('etcd has compacted what it lacks', async () => {
        const floor = (await cluster.etcd.list('/annals/floor')).get('/annals/floor')
        return Number(floor) > last + 1
      })
      behind.start()
      await behind.ready()
    }
  )
})

test('fault 27: what the leader alone has acknowledged outlives its disk', async t => {
  await faultTest(t, { cluster: { keep_commits: 10 }, workload: { clients: 16 } }, async (cluster, work) => {
    const leader = await cluster.leader()
    const stopped = others(cluster, leader)
    for (const server of stopped) await server.kill()
    const alone = Number(process.env['ANNALS_CLUSTER_ALONE'] ?? 20_000)
    for (let left = alone; left > 0; left -= 1000) await work.acknowledges(1000)
    // Longer than etcd keeps anything for those that are not there.
    const floor = async (): Promise<string | undefined> =>
      (await cluster.etcd.list('/annals/floor')).get('/annals/floor')
    t.log(`floor ${await floor()} after ${alone} commits of one server`)
    await leader.kill()
    rmSync(leader.dataDir, { recursive: true })
    for (const server of stopped) server.start()
    await cluster.leader(stopped)
    leader.start()
    await leader.ready()
  })
})
