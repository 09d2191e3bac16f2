// Servers that reach etcd, and not all of each other.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { probe, Reachability } from '../../../../server/cluster/members/reachability.js'
import { Timers } from '../../../../actors/clock.js'
import { Refusal } from '../../../../actors/refusal.js'
import { SharedUnreachable } from '../../../../events/log/cluster/shared-log.js'
import { SignedRequests } from '../../../../server/cluster/members/signed-requests.js'
import { TestCluster, type ClusterServer } from '../../../support/cluster.js'
import { sampleOf } from '../../../support/property-runs.js'

const NAMES = ['one', 'two', 'three'] as const
type Way = readonly [from: number, to: number]
/** The ways between the leader (0) and two followers, each of which may be cut. */
const WAYS: readonly Way[] = [0, 1, 2].flatMap(from =>
  [0, 1, 2].filter(to => to !== from).map((to): Way => [from, to])
)
const exchanged = (cut: readonly Way[]): readonly Way[] => {
  const other = (server: number): number => (server === 0 ? 0 : 3 - server)
  const ways = cut.map(([from, to]) => String([other(from), other(to)]))
  return WAYS.filter(way => ways.includes(String(way)))
}
/** Which ways are cut. Of two sets that differ by the names of the followers there is one. */
const CUTS = Array.from({ length: 2 ** WAYS.length - 1 }, (_, at) => at + 1)
  .map(set => WAYS.filter((_, at) => (set >> at) % 2 === 1))
  .filter(cut => String(cut) <= String(exchanged(cut)))
const STEP_MS = 500
/** Within which leadership has moved to where it stays, and then so long it stays there. */
const [SETTLED_MS, QUIET_MS] = [15_000, 5_000]
/** A server leads again so soon after another one has stepped down. */
const VACANT_MS = 4000

const leaderOf = (servers: readonly ClusterServer[]): ClusterServer | undefined =>
  servers.find(server => server.role() === 'leading')

const readiness = async (server: ClusterServer | undefined) => {
  const answer = await server?.send('GET', '/readyz')
  return { status: answer?.status, text: answer?.text ?? '' }
}

test('however the ways between three servers are cut, one that can be reached leads, and leadership comes to rest', async t => {
  // Time that passes in leaps makes the clocks of the others look wrong.
  const cluster = new TestCluster(t, { max_clock_skew: '1h' })
  const servers = await cluster.startAll(...NAMES)
  let cut: readonly string[] = []
  cluster.reaches = (from, to) => !cut.includes(`${from} to ${to}`)
  const pass = async (ms: number): Promise<readonly (string | undefined)[]> => {
    const leaders: (string | undefined)[] = []
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      cluster.advance(STEP_MS)
      // Requests and answers are real.
      await cluster.idle()
      await Promise.all(servers.map(server => server.send('GET', '/healthz')))
      leaders.push(leaderOf(servers)?.name)
    }
    return leaders
  }
  /** Whether another server reaches a leader, or neither of the others reaches the other. */
  const isWellPlaced = (leader: string): boolean => {
    const others = NAMES.filter(name => name !== leader)
    const isReached = others.some(name => cluster.reaches(name, leader))
    return isReached || others.every((name, at) => !cluster.reaches(name, others[1 - at] ?? ''))
  }
  for (const ways of sampleOf(CUTS)) {
    const first = leaderOf(servers)?.name ?? ''
    const byRole = [first, ...NAMES.filter(name => name !== first)]
    cut = ways.map(([from, to]) => `${byRole[from]} to ${byRole[to]}`)
    const seen = await pass(SETTLED_MS + QUIET_MS)
    const what = `cut: ${cut.join(', ')}; leaders: ${seen.join(' ')}`
    const last = seen.slice(-QUIET_MS / STEP_MS)
    const [leader] = last
    t.true(leader !== undefined && isWellPlaced(leader), what)
    t.true(
      last.every(name => name === leader),
      what
    )
    const moves = seen.filter((name, at) => at > 0 && name !== undefined && name !== seen[at - 1])
    t.true(moves.length <= 2, what)
    const vacant = seen.filter(name => name === undefined).length * STEP_MS
    t.true(vacant <= 2 * VACANT_MS, what)
  }
  cut = []
  await cluster.settled()
})

test('a follower that cannot forward is not ready, and says why; so does a leader that the others do not reach', async t => {
  const cluster = new TestCluster(t)
  const [one, two] = await cluster.startAll('one', 'two')
  await cluster.until('both are ready', async () => (await readiness(two)).status === 200)
  cluster.reaches = (from, to) => !(from === 'two' && to === 'one')
  const refused = await cluster.until('it is not ready', async () => {
    const { status, text } = await readiness(two)
    return status === 503 && text
  })
  t.regex(
    refused,
    /"this server cannot forward to the leader one at http:\/\/127\.0\.0\.1:\d+: no connection/
  )
  const said = await cluster.until('the leader says so', async () => {
    const { status, text } = await readiness(one)
    return text.includes('Reasons') && `${status} ${text}`
  })
  t.regex(said, /^200 .*these servers do not reach this leader at http.*: two; it continues to lead/)
  t.is((await one?.send('GET', '/v1/operator/autopilot/health'))?.status, 429)
  t.is(one?.role(), 'leading')
  cluster.reaches = () => true
  await cluster.until('it is ready', async () => (await readiness(two)).status === 200)
  await cluster.until('nothing is wrong', async () => !(await readiness(one)).text.includes('Reasons'))
})

test('a server that advertises a loopback address is refused where another one has an address that others reach', async t => {
  const cluster = new TestCluster(t)
  const away = { cluster: { advertise: 'http://192.0.2.1:8500' } }
  const one = await cluster.start('one', undefined, away)
  await cluster.until('it leads', () => one.role() === 'leading')
  const { message } = await t.throwsAsync(cluster.start('two'), { name: 'JoinRefused' })
  t.regex(
    message,
    /advertises http:\/\/127\.0\.0\.1:0, .*one advertises http:\/\/192\.0\.2\.1:8500: set cluster\.advertise/
  )
})

test('a loopback address that another server joins later ends no member', async t => {
  const cluster = new TestCluster(t)
  const [one] = await cluster.startAll('one')
  const two = await cluster.start('two', undefined, { cluster: { advertise: 'http://192.0.2.1:8500' } })
  await cluster.until('it follows', () => two.role() === 'following')
  t.is(one?.role(), 'leading')
  t.is((await one?.send('PUT', '/v1/kv/a', { body: '1' }))?.status, 200)
})

test('a new server is probed later when the shared log cannot be reached', async t => {
  const cluster = new TestCluster(t)
  const [one] = await cluster.startAll('one')
  if (!one) return t.fail()
  const reachability = new Reachability({
    members: {
      all: [],
      get: () => undefined,
      look: () => Promise.reject(new SharedUnreachable('no answer in time'))
    },
    signed: one.running.scope.resolve(SignedRequests),
    timers: one.running.scope.resolve(Timers),
    logger: { warn: () => {}, info: () => {} },
    own: 'one',
    address: () => ''
  })
  const refusal = await t.throwsAsync(reachability.callBack('new'), { instanceOf: Refusal })
  t.is(refusal.code, 'cluster.unavailable')
})

test('a server of an earlier version, which does not know the probe, counts as reached', async t => {
  const earlier = createServer((_request, response) => response.writeHead(404).end())
  await new Promise<void>(resolve => earlier.listen(0, '127.0.0.1', resolve))
  t.teardown(() => earlier.close())
  const { port }: AddressInfo = Object(earlier.address())
  const cluster = new TestCluster(t)
  const [one] = await cluster.startAll('one')
  if (!one) return t.fail()
  const [signed, timers] = [one.running.scope.resolve(SignedRequests), one.running.scope.resolve(Timers)]
  t.is(await probe(signed, { id: 'earlier', address: `http://127.0.0.1:${port}` }, timers), undefined)
  const own = { id: 'another', address: `http://127.0.0.1:${one.running.port}` }
  t.regex(
    (await probe(signed, own, timers)) ?? '',
    /^status 403, Permission denied: only servers of the cluster/
  )
})
