// Disks that are full, slow, or fail.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { missing } from '../../support/programs.js'
import { temporaryFolder } from '../../support/process.js'
import { mountedDisk, type SmallDisk } from '../../support/small-disk.js'
import { until } from '../../support/wait.js'
import type { AnnalsServer } from '../annals-server.js'
import { leads } from '../cluster.js'
import { others, faultTest } from './fault-test.js'

const ROOM = 24 * 2 ** 20

/** Writes until a disk is full, tells what then happens, and makes room. */
const fillDisk = async (t: ExecutionContext, ofLeader: boolean): Promise<void> => {
  const small: SmallDisk | undefined = mountedDisk(t, ROOM)
  if (!small) {
    t.log('a small disk needs root, to mount it')
    t.pass()
    return
  }
  const { dataDir = '' } = small.options
  const place = ofLeader ? 0 : 2
  await faultTest(t, { plan: at => (at === place ? { dataDir } : {}) }, async (cluster, work) => {
    const server = cluster.servers[place]
    if (!server) return t.fail()
    t.is(await leads(server), ofLeader)
    const ballast = `${dataDir}/ballast`
    spawnSync('fallocate', ['-l', String(ROOM - 2 ** 20), ballast])
    const rest = others(cluster, server)
    let number = 0
    const value = 'x'.repeat(400_000)
    await until('the disk is full', async () => {
      const [other] = rest
      await other
        ?.send('PUT', `/v1/kv/filling/${number++ % 50}`, { body: value, timeout: 20_000 })
        .catch(() => undefined)
      return /ENOSPC|no space|full/i.test(server.log())
    })
    await cluster.leader(rest)
    await work.acknowledges(50)
    t.false(await leads(server))
    rmSync(ballast)
    small.free(server.pid)
    if (server.ended() === undefined) await server.kill()
    server.start()
    await server.ready()
  })
}

test('fault 22: the disk of a follower is full', async t => {
  await fillDisk(t, false)
})

test('fault 22: the disk of the leader is full', async t => {
  await fillDisk(t, true)
})

/** Lets strace change what the system answers a server, until the result is called, which tells how often it did. */
const inject = async (
  t: ExecutionContext,
  server: AnnalsServer,
  rule: string
): Promise<() => Promise<number>> => {
  const [calls = ''] = rule.split(':')
  const trace = join(temporaryFolder(t), 'trace')
  const tracer = spawn('strace', [
    '-f',
    '-qq',
    '-o',
    trace,
    '-p',
    String(server.pid),
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${rule}`
  ])
  const exit = once(tracer, 'exit')
  return async () => {
    tracer.kill('SIGINT')
    await exit
    // A delayed call that has not returned is unfinished.
    return readFileSync(trace, 'utf8').match(/\((INJECTED|DELAYED)\)|<(unfinished|detached) /g)?.length ?? 0
  }
}

const FAULTS: readonly (readonly [string, string])[] = [
  ['a flush takes 30 s', 'fdatasync,fsync:delay_enter=30000000'],
  ['a flush fails', 'fdatasync,fsync:error=EIO'],
  ['a file cannot be opened for want of descriptors', 'openat:error=EMFILE'],
  ['what was written cannot be read', 'pread64:error=EIO']
]

for (const [title, rule] of FAULTS)
  test(`fault 28: on the leader, ${title}`, async t => {
    if (await missing(t, 'strace')) return
    await faultTest(t, {}, async (cluster, work) => {
      const server = await cluster.leader()
      const release = await inject(t, server, rule)
      t.teardown(async () => void (await release()))
      const large = 'x'.repeat(300_000)
      const rest = others(cluster, server)
      const isReading = rule.startsWith('pread64') || rule.startsWith('openat')
      if (isReading) {
        // Nothing of these need stop it: whatever it is asked meanwhile, it must not say that a change was not made when it was.
        for (let i = 0; i < 30; i++)
          await server
            .send('PUT', `/v1/kv/large/${i}`, { body: large, timeout: 20_000 })
            .catch(() => undefined)
        await server
          .send('GET', '/v1/event/history?topic=KV&key=large/1', { timeout: 5000 })
          .catch(() => undefined)
      } else await cluster.leader(rest)
      await work.acknowledges(50)
      t.true((await release()) > 0, 'the fault was there')
      if (server.ended() !== undefined) server.start()
      await server.ready()
    })
  })
