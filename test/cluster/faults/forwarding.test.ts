// Servers of which each is told that another one leads.
import test from 'ava'
import { others, trial } from './trial.js'

test('fault 18: a request that is passed on is not passed on again', async t => {
  await trial(t, { cluster: { hold: '2s' } }, async (cluster, work) => {
    const leader = await cluster.leader()
    const [one, other] = others(cluster, leader)
    if (!one || !other) return t.fail()
    // What stands in etcd names the leader to all: now each of them is told of one that does not lead.
    const shown = (await cluster.etcd.list('/annals/leader')).get('/annals/leader') ?? ''
    const place = (server: typeof leader): string => `http://${server.machine.address}:${server.port}`
    t.true(shown.includes(place(leader)), shown)
    await cluster.etcd.call('/v3/kv/put', {
      key: Buffer.from('/annals/leader').toString('base64'),
      value: Buffer.from(shown.replaceAll(place(leader), place(other))).toString('base64'),
      ignore_lease: true
    })
    const from = performance.now()
    const { status, headers, text } = await one.send('PUT', '/v1/kv/passed-on', { body: 'x' })
    t.log(`answered ${status} ${text} after ${Math.round(performance.now() - from)} ms`)
    t.true(status === 503 || status === 200 || headers['x-service-outcome'] === 'unknown')
    await cluster.etcd.remove('/annals/leader')
    await cluster.leader()
    await work.acknowledges(50)
  })
})
