// Legal holds of a cluster: every server refuses to erase what one keeps, also after another server has become the leader.
import test from 'ava'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'

const HEADERS = { 'X-Service-Reason': 'request 2026-117' }

const eraseBy = (server: ClusterServer, key: string) =>
  server.send('POST', '/v1/event/erase', { body: { Topic: 'KV', Key: key, Reason: 'asked for' } })

test('a hold that a follower placed is refused by name on every server, and after a failover', async t => {
  const cluster = new TestCluster(t)
  const servers = await cluster.startAll('one', 'two', 'three')
  const [one, two, three] = servers
  if (!one || !two || !three) return t.fail()
  for (const key of ['customers/1', 'other']) {
    await one.send('PUT', `/v1/kv/${key}`, { body: 'value' })
    await one.send('DELETE', `/v1/kv/${key}`)
  }
  const placed = await two.send('PUT', '/v1/event/hold/case', {
    body: { Topics: ['KV:customers/'] },
    headers: HEADERS
  })
  t.is(placed.status, 200, placed.text)
  await cluster.settled()
  for (const server of servers) {
    const { status, text, headers } = await eraseBy(server, 'customers/1')
    t.is(status, 409, server.name)
    t.is(headers['x-service-error-code'], 'erasure.held')
    t.regex(text, /Legal hold "case" covers commit/)
  }
  await one.close()
  const leader = await cluster.leader()
  t.not(leader.name, one.name)
  for (const server of [two, three]) t.is((await eraseBy(server, 'customers/1')).status, 409, server.name)
  t.is((await eraseBy(three, 'other')).status, 200)
  t.is((await two.send('DELETE', '/v1/event/hold/case', { headers: HEADERS })).status, 200)
  await cluster.settled()
  t.is((await eraseBy(three, 'customers/1')).status, 200)
})
