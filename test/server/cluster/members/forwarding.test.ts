// Requests that a server of a cluster is asked, and that only the leader may answer.
import { createServer, request as open, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createToken, secretWith } from '../../../http/support.js'
import { serverProof } from '../../../../server/cluster/members/server-proof.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { SECRET } from './hand-made-port.js'
import { pairOfServers, type Pair } from './pair.js'

const UNKNOWN = { status: 500, outcome: 'unknown' }

const outcomeOf = ({ status, headers }: { status: number; headers: NodeJS.Dict<string | string[]> }) => ({
  status,
  outcome: headers['x-service-outcome']
})

/** Has the follower believe that another program leads. */
const ledBy = async (t: ExecutionContext, { ofFollower }: Pair, server: Server): Promise<void> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port }: AddressInfo = Object(server.address())
  ofFollower.change('following', { id: 'another', address: `http://127.0.0.1:${port}` })
}

/** Lets time pass for the follower once it waits for a leader. */
const waitsFor = async ({ ofFollower, follower }: Pair, ms: number): Promise<void> => {
  await until('it waits', () => ofFollower.listeners > 0)
  follower.advance(ms)
}

test('a write that a follower is asked is made by the leader, and its answer is that of the leader', async t => {
  const { leader, follower } = await pairOfServers(t)
  const put = await follower.send('PUT', '/v1/kv/a', { body: '1', headers: { 'X-Service-Request-Id': 'r1' } })
  t.is(put.status, 200)
  t.is(put.text, 'true')
  t.is(put.headers['x-service-request-id'], 'r1')
  t.is(put.headers['x-service-index'], String(leader.app.views.index))
  t.is((await leader.send('GET', '/v1/kv/a?raw')).text, '1')
  t.is((await follower.send('GET', '/v1/kv/a?raw')).text, '1')
  t.truthy((await createToken(follower)).SecretID)
})

test('refusals are those of the leader, with their headers', async t => {
  const { leader, follower } = await pairOfServers(t)
  const secret = await secretWith(leader, 'reader', 'key_prefix "" { policy = "read" }')
  for (const [method, path, sending] of [
    ['PUT', '/v1/kv/a', { body: '1', token: secret }],
    ['PUT', '/v1/kv/a?cas=no', { body: '1' }],
    ['PUT', '/v1/acl/token', { body: '{"Nam' }],
    ['PUT', '/v1/session/renew/8a1ff8a2-0000-4000-8000-000000000000', {}],
    ['DELETE', '/v1/kv/a', { token: 'unknown' }],
    ['PUT', '/v1/kv/a', { body: 'x'.repeat(600_000) }]
  ] as const) {
    const there = await leader.send(method, path, sending)
    const here = await follower.send(method, path, sending)
    t.true(there.status >= 400)
    t.deepEqual(
      { ...here, headers: { ...here.headers, date: '' } },
      { ...there, headers: { ...there.headers, date: '' } },
      path
    )
  }
})

test('the log tells of the client that asked the follower', async t => {
  const { leader, follower } = await pairOfServers(
    t,
    {},
    { config: { http: { trusted_proxies: ['127.0.0.1'] } } }
  )
  const headers = {
    'X-Forwarded-For': '203.0.113.9',
    'X-Service-Request-Id': 'of-a-client',
    'X-Service-Reason': 'because'
  }
  await follower.send('PUT', '/v1/kv/a', { body: '1', headers })
  const log = await leader.send('GET', '/v1/event/audit?topic=KV')
  t.regex(log.text, /"Address":"203\.0\.113\.9"/)
  t.regex(log.text, /of-a-client/)
  t.regex(log.text, /because/)
})

test('a write with an idempotency key is made once, whichever server is asked', async t => {
  const { leader, follower } = await pairOfServers(t)
  const headers = { 'X-Service-Idempotency-Key': 'k' }
  const body = { Description: 'made once' }
  const first = await follower.send('PUT', '/v1/acl/token', { body, headers })
  const before = leader.app.views.index
  t.is((await follower.send('PUT', '/v1/acl/token', { body, headers })).text, first.text)
  t.is((await leader.send('PUT', '/v1/acl/token', { body, headers })).text, first.text)
  t.is(leader.app.views.index, before)
})

test('the token that a server has for who brings none is that of the server that was asked', async t => {
  const pair = await pairOfServers(
    t,
    {
      config: {
        acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: ROOT, default: ROOT } }
      }
    },
    {}
  )
  const put = (server: Pair['leader']) => server.send('PUT', '/v1/kv/a', { body: '1', token: undefined })
  t.is((await put(pair.leader)).status, 200)
  t.is((await put(pair.follower)).status, 403)
  const secret = await secretWith(pair.leader, 'writer', 'key_prefix "" { policy = "write" }')
  await pair.follower.send('PUT', '/v1/agent/token/default', { body: { Token: secret } })
  t.is((await put(pair.follower)).status, 200)
})

test('a write without a leader waits for the next one', async t => {
  const pair = await pairOfServers(t)
  const { ofFollower, follower } = pair
  const leader = ofFollower.leader()
  ofFollower.change('following', undefined)
  const put = follower.send('PUT', '/v1/kv/a', { body: '1' })
  await waitsFor(pair, 200_000)
  ofFollower.change('following', leader)
  t.is((await put).status, 200)
})

test('a write that has waited too long for a leader was not made', async t => {
  const pair = await pairOfServers(t)
  pair.ofFollower.change('following', undefined)
  const put = pair.follower.send('PUT', '/v1/kv/a', { body: '1' })
  await waitsFor(pair, 600_001)
  const { status, text } = await put
  t.is(status, 503)
  t.regex(text, /^No cluster leader: nothing was changed/)
})

test('a leader that takes no connection was not asked: the next one is', async t => {
  const pair = await pairOfServers(t)
  const { ofFollower, follower } = pair
  const leader = ofFollower.leader()
  ofFollower.change('following', { id: 'gone', address: 'http://127.0.0.1:1' })
  const put = follower.send('PUT', '/v1/kv/a', { body: '1' })
  await until('it waits', () => ofFollower.listeners > 0)
  ofFollower.change('following', leader)
  t.is((await put).status, 200)
})

test('a write whose connection breaks is not repeated, and its outcome is unknown', async t => {
  const pair = await pairOfServers(t)
  let asked = 0
  await ledBy(
    t,
    pair,
    createServer(request => {
      asked++
      request.on('end', () => request.socket.destroy()).resume()
    })
  )
  t.deepEqual(outcomeOf(await pair.follower.send('PUT', '/v1/kv/a', { body: '1' })), UNKNOWN)
  t.deepEqual(outcomeOf(await pair.follower.send('DELETE', '/v1/kv/a')), UNKNOWN)
  t.is(asked, 2)
})

test('one with an idempotency key is sent again, to who leads then', async t => {
  const pair = await pairOfServers(t)
  const leader = pair.ofFollower.leader()
  await ledBy(
    t,
    pair,
    createServer(request => {
      pair.ofFollower.change('following', leader)
      request.socket.destroy()
    })
  )
  const headers = { 'X-Service-Idempotency-Key': 'k' }
  t.is((await pair.follower.send('PUT', '/v1/kv/a', { body: '1', headers })).status, 200)
})

test('a leader that was replaced gets a moment to answer', async t => {
  const pair = await pairOfServers(t)
  const leader = pair.ofFollower.leader()
  let asked = 0
  await ledBy(
    t,
    pair,
    createServer(() => asked++)
  )
  const put = pair.follower.send('PUT', '/v1/kv/a', { body: '1' })
  await until('it was asked', () => asked === 1)
  pair.ofFollower.change('following', leader)
  pair.follower.advance(299)
  t.is(await Promise.race([put, setImmediate('waits')]), 'waits')
  pair.follower.advance(2)
  t.deepEqual(outcomeOf(await put), UNKNOWN)
})

test('a leader that never answers a write is given up', async t => {
  const pair = await pairOfServers(t)
  let asked = 0
  await ledBy(
    t,
    pair,
    createServer(() => asked++)
  )
  const put = pair.follower.send('PUT', '/v1/kv/a', { body: '1' })
  await until('it was asked', () => asked === 1)
  pair.follower.advance(1_200_001)
  t.deepEqual(outcomeOf(await put), UNKNOWN)
})

test('a server that does not lead sends nothing on that was sent to it', async t => {
  const pair = await pairOfServers(t)
  const { leader, follower, ofLeader, ofFollower } = pair
  ofLeader.change('following', { id: follower.settings.node_id, address: follower.base })
  const from = { id: 'x', node: 'x', address: '' }
  const asked = { method: 'PUT', url: '/v1/kv/a' }
  const headers = { 'X-Annals-Forwarded': serverProof(SECRET, asked, from, leader.clock.now()) }
  const answer = await leader.send('PUT', asked.url, { body: '1', headers })
  t.deepEqual(outcomeOf(answer), { status: 503, outcome: 'not-leader' })
  // Two that take each other for the leader.
  const put = follower.send('PUT', '/v1/kv/a', { body: '1' })
  await until('it waits', () => ofFollower.listeners > 0)
  follower.advance(600_001)
  const { status, text } = await put
  t.is(status, 503)
  t.regex(text, /^No cluster leader/)
})

test('a request that arrives with a leader that has just lost the lead goes to the next one', async t => {
  const { leader, follower, ofFollower } = await pairOfServers(t)
  // It believes that it leads, and its actors know better.
  ofFollower.change('leading', ofFollower.leader())
  const waits = ofFollower.nextListener()
  const put = follower.send('PUT', '/v1/kv/a', { body: '1' })
  await waits
  ofFollower.change('following', { id: leader.settings.node_id, address: leader.base })
  t.is((await put).status, 200)
})

test('a client that leaves ends what it waits for at the leader', async t => {
  const { leader, follower, ofFollower } = await pairOfServers(t)
  const { watch } = leader.app.views
  const client = open(`${follower.base}/v1/event/list?index=1`).on('error', () => {})
  client.setHeader('X-Service-Token', ROOT).end()
  await until('it waits there', () => watch.size > 0)
  client.destroy()
  await until('no request waits there', () => watch.size === 0)
  t.is(ofFollower.listeners, 0)
})

test('without a cluster a server looks at nothing that another one would say', async t => {
  const server = await serverInProcess(t)
  const headers = { 'X-Annals-Forwarded': 'a.b.c.1.x' }
  t.is((await server.send('PUT', '/v1/kv/a', { body: '1', headers })).status, 200)
})

test('a sign-in code of one server is valid at each server of the cluster, once', async t => {
  const { leader, follower } = await pairOfServers(t)
  for (const [from, to] of [
    [leader, follower],
    [follower, leader],
    [follower, follower]
  ] as const) {
    const { Code } = JSON.parse((await from.send('POST', '/v1/acl/sign-in-code')).text)
    const redeem = () => to.send('POST', '/v1/acl/sign-in', { token: '', body: { Code } })
    t.deepEqual(JSON.parse((await redeem()).text), { SecretID: ROOT })
    t.is((await redeem()).status, 403)
  }
})
