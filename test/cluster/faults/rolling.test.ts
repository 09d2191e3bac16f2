// Restarts and backups that operators make.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { missing } from '../../support/programs.js'
import { program, temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { startProgram } from '../machines/machine.js'
import { faultTest, faultTestCluster } from './fault-test.js'
import { startWorkload } from '../workload.js'

test('fault 24: every server is restarted in turn while clients write', async t => {
  await faultTest(t, {}, async (cluster, work) => {
    const refused = (): number => work.writes.filter(({ response }) => /^[45]/.test(response)).length
    for (const server of cluster.servers) {
      await server.stop()
      await work.acknowledges(50)
      server.start()
      await server.ready()
      await work.acknowledges(50)
    }
    t.is(refused(), 0, JSON.stringify(work.writes.find(({ response }) => /^[45]/.test(response))))
  })
})

test('fault 26: etcd is restored from an older backup', async t => {
  if (await missing(t, 'etcdctl')) return
  const cluster = await faultTestCluster(t)
  if (!cluster) return
  const { etcd } = cluster
  const work = startWorkload({ bases: cluster.bases })
  await work.acknowledges(200)
  const backup = join(temporaryFolder(t), 'backup')
  const saved = spawnSync(
    'etcdctl',
    ['--endpoints', etcd.members[0]?.testUrl ?? '', 'snapshot', 'save', backup],
    { env: { ...process.env, ETCDCTL_API: '3' }, encoding: 'utf8' }
  )
  t.is(saved.status, 0, saved.stderr)
  await work.acknowledges(500)
  for (const server of cluster.servers) server.signal('SIGSTOP')
  await Promise.all(etcd.members.map(member => member.kill()))
  for (const member of etcd.members) member.restore(backup)
  for (const server of cluster.servers) server.signal('SIGCONT')
  for (const member of etcd.members) member.start()
  await etcd.leader()
  await work.stop()
  for (const server of cluster.servers)
    await until(`${server.name} says that etcd is older`, () => /restore-head/.test(server.log()))
  const refusals = await Promise.all(
    cluster.servers.map(server => server.send('PUT', '/v1/kv/broken', { body: 'x', timeout: 20_000 }))
  )
  t.deepEqual(
    refusals.map(({ status }) => status),
    [503, 503, 503]
  )
  for (const server of cluster.servers) await server.kill()

  const logs: string[] = []
  for (const { machine, config } of cluster.servers) {
    const command = [process.execPath, program, 'cluster', 'restore-head', '--yes', '--config', config]
    const restored = startProgram(t, machine, command, { log: join(temporaryFolder(t), 'restored.log') })
    if ((await restored.exit) === '0') break
    // Another server goes further.
    logs.push(restored.log())
  }
  t.true(logs.length < cluster.servers.length, logs.join(''))
  for (const server of cluster.servers) server.start()
  const after = startWorkload({ bases: cluster.bases, prefix: 'after' })
  await after.acknowledges(200)
  await after.stop()
  await t.notThrowsAsync(cluster.sound([...work.writes, ...after.writes]))
  rmSync(backup, { force: true })
})
