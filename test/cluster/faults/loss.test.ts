// Processes that end or stand still.
import test from 'ava'
import { assertMinority } from './minority.js'
import { others, faultTest } from './fault-test.js'

test('fault 1: the leader of etcd is killed', async t => {
  await faultTest(t, {}, async ({ etcd }, work) => {
    const killed = await etcd.leader()
    await killed.kill()
    await work.acknowledges(200)
    killed.start()
    await etcd.leader()
  })
})

test('fault 2: the leader is killed', async t => {
  await faultTest(t, {}, async (cluster, work) => {
    const killed = await cluster.leader()
    await killed.kill()
    await cluster.leader(others(cluster, killed))
    await work.acknowledges(200)
    killed.start()
    await killed.ready()
  })
})

test('fault 3: both leaders are killed', async t => {
  await faultTest(t, {}, async (cluster, work) => {
    const [killed, member] = await Promise.all([cluster.leader(), cluster.etcd.leader()])
    await Promise.all([killed.kill(), member.kill()])
    await cluster.leader(others(cluster, killed))
    await work.acknowledges(200)
    member.start()
    killed.start()
    await killed.ready()
  })
})

test('fault 4: the leader stands still past its lease with an append under way, and continues', async t => {
  await faultTest(t, { workload: { patience: 4000 } }, async (cluster, work) => {
    for (let round = 0; round < 3; round++) {
      const stopped = await cluster.leader()
      stopped.signal('SIGSTOP')
      const next = await cluster.leader(others(cluster, stopped))
      await work.acknowledges(50)
      const written = `of round ${round}`
      t.is((await next.send('PUT', '/v1/kv/newest', { body: written })).status, 200)
      const read = stopped.send('GET', '/v1/kv/newest?raw')
      stopped.signal('SIGCONT')
      const { status, text } = await read
      t.true(status === 503 || text === written, `${status} ${text}`)
      await stopped.ready()
    }
  })
})

test('fault 10: the majority of etcd is down, and comes back', async t => {
  await faultTest(t, { cluster: { hold: '2s' } }, async cluster => {
    const [, second, third] = cluster.etcd.members
    if (!second || !third) return t.fail()
    const leader = await cluster.leader()
    await Promise.all([second.kill(), third.kill()])
    for (const server of cluster.servers) await assertMinority(t, server, server === leader)
    second.start()
    third.start()
    await cluster.leader()
  })
})
