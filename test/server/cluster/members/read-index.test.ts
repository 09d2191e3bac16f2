// The index that a default read of a follower waits for: from the leader, or else from the shared log.
import test, { type ExecutionContext } from 'ava'
import { READ_INDEX_PATH } from '../../../../http/routes/internal/cluster.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { ReadIndex } from '../../../../server/cluster/members/read-index.js'
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

test('a leader whose lease is over gives no index', async t => {
  const { cluster, leader, follower } = await twoServers(t)
  const asked = { method: 'GET', url: READ_INDEX_PATH }
  const from = { id: follower.settings.node_id, node: follower.name, address: '' }
  const ask = () => {
    const proof = serverProof(clusterSecret(leader.settings), asked, from, cluster.clock.now())
    return leader.send('GET', READ_INDEX_PATH, { headers: { [FORWARDED_HEADER]: proof } })
  }
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
