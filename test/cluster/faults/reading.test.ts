// Readers that continue over a change of leader.
import test from 'ava'
import { openStream } from '../../support/stream.js'
import { ROOT } from '../../support/server.js'
import { others, faultTest } from './fault-test.js'

test('fault 20: streams and blocking queries of a follower continue over a change of leader', async t => {
  await faultTest(t, {}, async (cluster, work) => {
    const leader = await cluster.leader()
    const [server] = others(cluster, leader)
    if (!server) return t.fail()
    const { headers } = await server.send('PUT', '/v1/kv/w/first', { body: 'x' })
    const begin = Number(headers['x-service-index'])
    const stream = await openStream(server.base, `index=${begin}&topic=KV`, { token: ROOT })
    const life = { over: false }
    const indexes: number[] = []
    const blocking = async (): Promise<void> => {
      let index = 0
      while (!life.over) {
        const answer = await server.send('GET', `/v1/kv/w/?keys&wait=2s&index=${index}`)
        if (answer.status !== 200) continue
        index = Number(answer.headers['x-service-index'])
        indexes.push(index)
      }
    }
    const reader = blocking()
    await work.acknowledges(100)
    await leader.kill()
    await cluster.leader(others(cluster, leader))
    await work.acknowledges(100)
    leader.start()
    await leader.ready()
    await work.acknowledges(100)
    const last = await server.send('PUT', '/v1/kv/w/last', { body: 'x' })
    const end = Number(last.headers['x-service-index'])
    const lines = await stream.upTo(end)
    stream.close()
    life.over = true
    await server.send('PUT', '/v1/kv/w/over', { body: 'x' })
    await reader
    t.deepEqual(
      indexes,
      indexes.toSorted((one, other) => one - other),
      'the index never falls'
    )
    const streamed = lines.map(({ Index = 0 }) => Index)
    t.deepEqual(
      streamed,
      [...new Set(streamed)].toSorted((one, other) => one - other),
      'each event once, in order'
    )
    const seen = new Set(streamed)
    const missed = work.writes.filter(
      ({ outcome, index = 0 }) =>
        outcome === 'acknowledged' && index > begin && index < end && !seen.has(index)
    )
    t.deepEqual(missed, [])
  })
})
