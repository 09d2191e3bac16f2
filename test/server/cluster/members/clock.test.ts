// A follower whose clock is wrong by more than the other servers accept.
import test from 'ava'
import { TestCluster } from '../../../support/cluster.js'

const METRIC = /^annals_cluster_clock_offset_seconds (\S+)$/m

test('writes to a follower whose clock is wrong are 503 with the reason, it is not ready, and a metric tells how wrong it is', async t => {
  const cluster = new TestCluster(t)
  cluster.clocksAhead.set('two', 3_600_000)
  const [one, two] = await cluster.startAll('one', 'two')
  const offset = async (): Promise<number> => {
    const answer = await two?.send('GET', '/v1/agent/metrics?format=prometheus')
    return Number(METRIC.exec(answer?.text ?? '')?.[1])
  }
  const put = await two?.send('PUT', '/v1/kv/a', { body: '1' })
  t.is(put?.status, 503)
  t.regex(
    put?.text ?? '',
    /^The clocks of this server and of the leader differ too much: nothing was changed; .* signed 3[56]\d\d s from now/
  )
  t.is((await one?.send('GET', '/v1/kv/a'))?.status, 404)
  const readiness = await cluster.until('it is not ready', async () => {
    const answer = await two?.send('GET', '/readyz')
    return answer?.status === 503 && answer.text
  })
  t.regex(readiness, /cannot forward to the leader one at .* the clocks of the servers must agree/)
  const ahead = await cluster.until('it is measured', async () => {
    const found = await offset()
    return found > 0 && found
  })
  t.true(Math.abs(ahead - 3600) < 60, String(ahead))

  cluster.clocksAhead.set('two', 0)
  await cluster.until('it is ready', async () => (await two?.send('GET', '/readyz'))?.status === 200)
  t.is((await two?.send('PUT', '/v1/kv/a', { body: '1' }))?.status, 200)
  await cluster.until('its clock is right', async () => Math.abs(await offset()) < 60)
})
