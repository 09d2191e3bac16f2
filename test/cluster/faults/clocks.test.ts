// Clocks that are wrong.
import test from 'ava'
import { until } from '../../support/wait.js'
import { leads } from '../cluster.js'
import { falseClock } from './false-clock.js'
import { others, faultTest } from './fault-test.js'

/** What a server says whose clock is wrong. */
const DOES_NOT_LEAD = /the clock of this server differs .*: it does not lead/

test('fault 5: the leader stands still past its lease, and its own clock did too', async t => {
  const clock = falseClock(t, true)
  if (!clock) return
  await faultTest(
    t,
    { plan: at => (at === 0 ? { env: clock.env } : {}), workload: { patience: 4000 } },
    async (cluster, work) => {
      const stopped = await cluster.leader()
      t.is(stopped.name, 'server-1')
      const from = performance.now()
      stopped.signal('SIGSTOP')
      const next = await cluster.leader(others(cluster, stopped))
      await work.acknowledges(50)
      t.is((await next.send('PUT', '/v1/kv/newest', { body: 'of the next leader' })).status, 200)
      clock.differBy((from - performance.now()) / 1000)
      const late = Promise.all(
        Array.from({ length: 20 }, (_, at) => stopped.send('PUT', `/v1/kv/late/${at}`, { body: 'x' }))
      )
      stopped.signal('SIGCONT')
      for (const { status, headers } of await late)
        t.true([200, 503].includes(status) || headers['x-service-outcome'] === 'unknown', String(status))
      await stopped.ready()
      t.is((await stopped.send('GET', '/v1/kv/newest?consistent&raw')).text, 'of the next leader')
    }
  )
})

test('fault 17: the clock of one server is an hour ahead', async t => {
  const clock = falseClock(t, false)
  if (!clock) return
  const wrong = 'server-3'
  await faultTest(t, { plan: at => (at === 2 ? { env: clock.env } : {}) }, async (cluster, work) => {
    const server = cluster.servers.find(({ name }) => name === wrong)
    if (!server) return t.fail()
    clock.differBy(3600)
    await until('it says that its clock is wrong', () => DOES_NOT_LEAD.test(server.log()))
    for (let round = 0; round < 2; round++) {
      const leader = await cluster.leader()
      t.not(leader.name, wrong)
      await leader.kill()
      const next = await cluster.leader(others(cluster, leader))
      t.not(next.name, wrong)
      await work.acknowledges(50)
      leader.start()
      await leader.ready()
    }
    clock.differBy(0)
  })
})

test('fault 17: the clock of the leader is set an hour ahead', async t => {
  const clock = falseClock(t, false)
  if (!clock) return
  await faultTest(t, { plan: at => (at === 0 ? { env: clock.env } : {}) }, async (cluster, work) => {
    const [server] = cluster.servers
    if (!server) return t.fail()
    const rest = others(cluster, server)
    clock.differBy(3600)
    await until('it says that its clock is wrong', () => DOES_NOT_LEAD.test(server.log()))
    await cluster.leader(rest)
    t.false(await leads(server))
    await work.acknowledges(50)
    clock.differBy(0)
  })
})
