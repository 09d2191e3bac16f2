// What is too large for one request to etcd, and what no longer fits.
import { randomBytes } from 'node:crypto'
import test from 'ava'
import { missing } from '../../support/programs.js'
import { until } from '../../support/wait.js'
import { loopbackCluster, startServers } from '../cluster.js'
import { startWorkload } from '../workload.js'
import { faultTest, follower } from './fault-test.js'

const MIB = 2 ** 20
/** A transaction of 64 values of 300 kB. */
const large = (round: number) =>
  Array.from({ length: 64 }, (_, at) => ({
    KV: { Verb: 'set', Key: `large/${round}/${at}`, Value: randomBytes(300_000).toString('base64') }
  }))

test('fault 14: the leader is killed between the pieces of a commit of 20 MB', async t => {
  if (await missing(t, 'etcd')) return
  const limits = { http_body_bytes: 40 * MIB, txn_max_body_bytes: 40 * MIB }
  const cluster = await loopbackCluster(t, { config: { limits } })
  await startServers(cluster)
  const work = startWorkload({ bases: cluster.bases, clients: 2, rest: 5 })
  const statuses: number[] = []
  for (let round = 0; round < 3; round++) {
    const leader = await cluster.leader()
    const gate = cluster.gates[cluster.servers.indexOf(leader)]
    let pieces = 0
    gate?.treat(({ request }) => {
      if (!request.includes('/part/')) return 'pass'
      return ++pieces > 5 ? 'hold' : 'pass'
    })
    const asked = leader.send('PUT', '/v1/txn', { body: large(round) }).catch(() => undefined)
    await until('some pieces are in etcd', () => pieces > 5)
    await leader.kill()
    gate?.pass()
    gate?.cut()
    statuses.push((await asked)?.status ?? 0)
    const next = await cluster.leader()
    const { status, text } = await next.send('GET', `/v1/kv/large/${round}/?keys`)
    const found: readonly string[] = status === 404 ? [] : JSON.parse(text)
    t.true(found.length === 0 || found.length === 64, `${found.length} keys`)
    leader.start()
    await leader.ready()
  }
  t.log(`the client received ${statuses.join()}`)
  const leader = await cluster.leader()
  t.is((await leader.send('PUT', '/v1/txn', { body: large(9) })).status, 200)
  await work.acknowledges(50)
  await work.stop()
  await until('no piece of what was given up is left', async () => {
    const windows = [...(await cluster.etcd.list('/annals/log/')).values()].join()
    const pieces = [...(await cluster.etcd.list('/annals/part/')).keys()]
    return pieces.every(piece => windows.includes(piece.split('/').at(-2) ?? '') || pieces.length <= 32)
  })
  await t.notThrowsAsync(cluster.sound(work.writes))
})

test('fault 16: etcd is full', async t => {
  await faultTest(
    t,
    {
      cluster: { hold: '2s', keep_commits: 50 },
      etcd: { quota: 24 * MIB },
      workload: { clients: 2, rest: 20 }
    },
    async (cluster, work) => {
      const { etcd } = cluster
      const [member] = etcd.members
      if (!member) return t.fail()
      // Another client fills it, because writes of the servers would compact old commits.
      const filler = Buffer.alloc(MIB).toString('base64')
      await until('etcd accepts no writes', async () => {
        const key = Buffer.from('/filler').toString('base64')
        return await etcd.call('/v3/kv/put', { key, value: filler }).then(
          () => false,
          (error: unknown) => /space/i.test(String(error))
        )
      })
      await until('a write is refused', () => work.writes.some(({ response }) => response.startsWith('503')))
      t.is((await (await follower(cluster)).send('GET', '/v1/kv/?keys&stale')).status, 200)
      await etcd.remove('/filler')
      const status = await etcd.call('/v3/kv/range', { key: Buffer.from('/filler').toString('base64') })
      const { header } = status
      const revision =
        typeof header === 'object' && header && 'revision' in header ? header.revision : undefined
      await etcd.call('/v3/kv/compaction', { revision, physical: true })
      for (const { testUrl } of etcd.members) await etcd.ask(testUrl, '/v3/maintenance/defragment', {})
      const { alarms } = await etcd.call('/v3/maintenance/alarm', { action: 'GET' })
      for (const alarm of Array.isArray(alarms) ? alarms : [])
        await etcd.call('/v3/maintenance/alarm', { ...alarm, action: 'DEACTIVATE' })
    }
  )
})
