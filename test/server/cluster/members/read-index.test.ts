// The index that a default read of a follower waits for: from the leader, or else from the shared log.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { WebSocket } from 'ws'
import { ShutdownSignal } from '../../../../http/wire/shutdown-signal.js'
import { READ_INDEX_PATH } from '../../../../http/routes/internal/cluster.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { ReadIndex } from '../../../../server/cluster/members/read-index.js'
import { SignedRequests } from '../../../../server/cluster/members/signed-requests.js'
import { FORWARDED_HEADER, serverProof } from '../../../../server/cluster/members/server-proof.js'
import { clusterSecret } from '../../../../server/settings/settings.js'
import { type ClusterServer, TestCluster } from '../../../support/cluster.js'
import { until } from '../../../support/wait.js'

interface Two {
  readonly cluster: TestCluster
  readonly leader: ClusterServer
  readonly follower: ClusterServer
}

/** Two servers that both have the value 1 of the key `a`. */
const twoServers = async (t: ExecutionContext): Promise<Two> => {
  const cluster = new TestCluster(t)
  const [leader, follower] = await cluster.startAll('server-1', 'server-2')
  if (!leader || !follower) throw new Error('two servers were started')
  t.is((await leader.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
  await cluster.settled()
  return { cluster, leader, follower }
}

const read = async ({ send }: ClusterServer): Promise<string> => {
  const { status, text } = await send('GET', '/v1/kv/a?raw')
  return status === 200 ? text : String(status)
}

test('a follower shows each acknowledged write', async t => {
  const { leader, follower } = await twoServers(t)
  for (const body of ['2', '3', '4']) {
    await leader.send('PUT', '/v1/kv/a', { body })
    t.is(await read(follower), body)
  }
})

test('a follower that reaches the leader needs no read of the shared log', async t => {
  const { follower } = await twoServers(t)
  // A leader that is late on a busy machine is asked again.
  await until('a read succeeds', async () => {
    follower.shared.cut()
    const value = await read(follower)
    follower.shared.heal()
    return value === '1'
  })
  t.pass()
})

test('without the leader the shared log is read', async t => {
  const { cluster, follower } = await twoServers(t)
  cluster.reaches = () => false
  t.is(await read(follower), '1')
})

test('after a leader gave no index, only the shared log is asked for a second', async t => {
  const clock = new SetClock({ runs: false })
  const asked: string[] = []
  const index = new ReadIndex({
    clock,
    timers: { setTimeout: () => '', clearTimeout: () => {} },
    leader: () => ({ id: 'leader', address: 'http://127.0.0.1:1' }),
    signed: {
      send: async () => {
        asked.push('leader')
        return { kind: 'not-sent' }
      }
    },
    shared: {
      read: async () => {
        asked.push('shared log')
        return { head: { index: 7, hash: new Uint8Array() }, leader: undefined, floor: 1, askedAt: 0 }
      }
    }
  })
  const askedAfter = async (ms: number): Promise<readonly string[]> => {
    clock.advance(ms)
    t.is(await index.newest(), 7)
    return asked.splice(0)
  }
  t.deepEqual(await askedAfter(0), ['leader', 'shared log'])
  t.deepEqual(await askedAfter(999), ['shared log'])
  t.deepEqual(await askedAfter(1), ['leader', 'shared log'])
})

test('with neither of both a default read is refused', async t => {
  const { cluster, follower } = await twoServers(t)
  cluster.reaches = () => false
  follower.shared.cut()
  const { status, text } = await follower.send('GET', '/v1/kv/a?raw')
  t.is(status, 503)
  t.regex(text, /cannot prove that its state is current/)
  follower.shared.heal()
})

/** The header that proves that the follower asks. */
const provedBy = ({ cluster, leader, follower }: Two): Readonly<Record<string, string>> => {
  const asked = { method: 'GET', url: READ_INDEX_PATH }
  const from = { id: follower.settings.node_id, node: follower.name, address: '' }
  return { [FORWARDED_HEADER]: serverProof(clusterSecret(leader.settings), asked, from, cluster.clock.now()) }
}

/** Opens the channel of a follower to its leader. */
const openChannel = async (t: ExecutionContext, two: Two): Promise<WebSocket> => {
  const url = `ws://127.0.0.1:${two.leader.running.port}${READ_INDEX_PATH}`
  const channel = new WebSocket(url, { headers: provedBy(two) })
  t.teardown(() => channel.terminate())
  await once(channel, 'open')
  return channel
}

/** Asks on a channel. @returns the answer; `closed` if there is none */
const askOn = async (channel: WebSocket): Promise<string> => {
  const answered = once(channel, 'message').then(([data]) => String(data))
  const closed = once(channel, 'close').then(() => 'closed')
  channel.send('')
  return Promise.race([answered, closed])
}

/** How many channels a leader has opened so far. */
const channelsOf = async ({ send }: ClusterServer): Promise<number> => {
  const { text } = await send('GET', '/v1/agent/metrics?format=prometheus')
  return Number(/path="\/v1\/internal\/read-index",status="101"\} (\d+)/.exec(text)?.[1] ?? 0)
}

test('all questions of a follower use one connection, until another server leads', async t => {
  const { cluster, leader, follower } = await twoServers(t)
  await until('five reads use one connection', async () => {
    const before = await channelsOf(leader)
    const values: string[] = []
    follower.shared.cut()
    for (let i = 0; i < 5; i++) values.push(await read(follower))
    follower.shared.heal()
    // A leader that is late on a busy machine is asked again.
    return (await channelsOf(leader)) <= before + 1 && values.every(value => value === '1')
  })
  t.true((await channelsOf(leader)) > 0)
  await leader.close()
  await cluster.until('the other one leads', () => follower.role() === 'leading')
  t.is(await read(follower), '1')
})

test('a leader answers each question with its newest index while its lease lasts', async t => {
  const two = await twoServers(t)
  const { cluster, leader, follower } = two
  const channel = await openChannel(t, two)
  t.is(await askOn(channel), String(leader.index()))
  await leader.send('PUT', '/v1/kv/a', { body: '2' })
  t.is(await askOn(channel), String(leader.index()))
  leader.shared.cut()
  await cluster.until('the other one leads', () => follower.role() === 'leading')
  t.is(await askOn(channel), 'closed')
  leader.shared.heal()
})

test('a leader closes the channel when it shuts down', async t => {
  const two = await twoServers(t)
  const channel = await openChannel(t, two)
  const closed = once(channel, 'close')
  two.leader.running.scope.resolve(ShutdownSignal).begin()
  await closed
  t.pass()
})

test('a leader of a version without the channel answers each question as a request', async t => {
  let index = 6
  const server = createServer((_request, response) => void response.end(String(++index)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port }: AddressInfo = Object(server.address())
  const { follower } = await twoServers(t)
  const asking = new ReadIndex({
    clock: new SetClock({ runs: false }),
    timers: { setTimeout: () => '', clearTimeout: () => {} },
    leader: () => ({ id: 'leader', address: `http://127.0.0.1:${port}` }),
    signed: follower.running.scope.resolve(SignedRequests),
    shared: { read: () => Promise.reject(new Error('the shared log is not asked')) }
  })
  t.deepEqual([await asking.newest(), await asking.newest()], [7, 8])
})

test('a leader whose lease is over gives no index', async t => {
  const two = await twoServers(t)
  const { cluster, leader, follower } = two
  const ask = () => leader.send('GET', READ_INDEX_PATH, { headers: provedBy(two) })
  t.deepEqual([(await ask()).status, (await ask()).text], [200, String(leader.index())])
  leader.shared.cut()
  await cluster.until('the other one leads', () => follower.role() === 'leading')
  t.is((await ask()).status, 503)
  leader.shared.heal()
})

test('only servers of the cluster may ask for the index', async t => {
  const { leader, follower } = await twoServers(t)
  for (const server of [leader, follower]) {
    const { status, text } = await server.send('GET', READ_INDEX_PATH)
    t.is(status, 403)
    t.regex(text, /only servers of the cluster may ask for its index$/)
  }
})
