// Reads of a server in a cluster: what they show is the newest, unless the reader takes less.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { until } from '../../../support/wait.js'
import { createToken } from '../../../http/support.js'
import { USAGE_PEERS } from '../../../../http/wire/collected-usage.js'
import { PeerUsage } from '../../../../server/cluster/members/peer-usage.js'
import { SignedRequests } from '../../../../server/cluster/members/signed-requests.js'
import { SETTINGS } from '../../../../server/settings/ports.js'
import { pairOfServers } from './pair.js'

type Member = Awaited<ReturnType<ConstructorParameters<typeof PeerUsage>[1]['members']>>['live'][number]

const NO_LEADER = /^No cluster leader: the server cannot prove/
const STALE = '/v1/kv/a?raw&stale'

test('a follower asks once what is newest, and for nothing when the reader takes what it has', async t => {
  const { follower, ofFollower } = await pairOfServers(t)
  await follower.send('PUT', '/v1/kv/a', { body: '1' })
  ofFollower.contactMs = 40
  for (const [query, fences] of [
    ['raw', 1],
    ['raw&consistent', 1],
    ['raw&index=1', 1],
    ['raw&stale', 0],
    ['raw&max_stale=50ms', 0],
    ['raw&stale&max_stale=50ms', 0],
    ['raw&stale&max_stale=30ms', 1],
    ['raw&max_stale=30ms', 1]
  ] as const) {
    const before = ofFollower.fences
    const { status, text, headers } = await follower.send('GET', `/v1/kv/a?${query}`)
    t.is(status, 200)
    t.is(text, '1')
    t.is(ofFollower.fences - before, fences, query)
    t.is(headers['x-service-knownleader'], 'true')
    t.is(headers['x-service-lastcontact'], '40')
  }
})

const HOUR_MS = 60 * 60_000

test('the use of rights is collected from all servers, and a silent one is named', async t => {
  const members: Member[] = []
  const { leader, follower } = await pairOfServers(t, {
    register: scope =>
      scope.register(USAGE_PEERS, {
        useFactory: services =>
          new PeerUsage(
            services.resolve(SETTINGS),
            { members: async () => ({ live: members }) },
            services.resolve(SignedRequests)
          )
      })
  })
  for (const { settings, base: address } of [leader, follower])
    members.push({ id: settings.node_id, name: settings.node_name, address })
  const { SecretID: token, AccessorID } = await createToken(leader)
  await leader.send('GET', '/v1/kv/a?stale', { token })
  await follower.send('GET', '/v1/kv/a?stale', { token })
  await follower.send('GET', '/v1/kv/b?stale', { token })
  const read = async () =>
    JSON.parse((await leader.send('GET', `/v1/acl/token/${AccessorID}/usage?days=0`)).text)
  const { Questions, Coverage } = await read()
  t.deepEqual(
    Questions.map(({ Segment, Count }: { readonly Segment: string; readonly Count: number }) => [
      Segment,
      Count
    ]),
    [
      ['a', 2],
      ['b', 1]
    ]
  )
  t.like(Coverage, { Servers: ['server-1', 'server-2'], NotHeard: [], IsSufficient: true })
  await leader.send('PUT', '/v1/namespace/team', { body: { Name: 'team' } })
  const readTeam = { Name: 'read-team', Rules: 'namespace "team" { acl = "read" }' }
  await leader.send('PUT', '/v1/acl/policy', { body: readTeam })
  const { SecretID: reader } = await createToken(leader, { Policies: [{ Name: 'read-team' }] })
  const ofTeam: { readonly AccessorID: string } = JSON.parse(
    (await leader.send('PUT', '/v1/acl/token?ns=team', { body: {} })).text
  )
  const asked = `/v1/acl/token/${ofTeam.AccessorID}/usage?ns=team&days=0`
  t.like(JSON.parse((await leader.send('GET', asked, { token: reader })).text).Coverage, { NotHeard: [] })
  const idle = await createToken(leader)
  for (const { clock } of [leader, follower]) clock.advance(3 * HOUR_MS)
  await follower.send('GET', '/v1/kv/a?stale', { token })
  const review = await leader.send('GET', '/v1/acl/review?check=unused-token&unused-for=1h&days=0')
  const unused: readonly { readonly ID: string }[] = JSON.parse(review.text)
  t.true(unused.some(({ ID }) => ID === idle.AccessorID))
  t.false(
    unused.some(({ ID }) => ID === AccessorID),
    'it was used at the follower'
  )
  members.push({ id: 'silent', name: 'server-3', address: 'http://127.0.0.1:1' })
  t.like((await read()).Coverage, { NotHeard: ['server-3'], IsSufficient: false })
})

test('the leader contacts no server, except for a consistent read and without a certain lease', async t => {
  const { leader, ofLeader } = await pairOfServers(t)
  await leader.send('PUT', '/v1/kv/a', { body: '1' })
  const asks = async (query: string): Promise<number> => {
    const before = ofLeader.fences
    const { status, headers } = await leader.send('GET', `/v1/kv/a?raw${query}`)
    t.is(status, 200)
    t.is(headers['x-service-lastcontact'], '0')
    return ofLeader.fences - before
  }
  t.is(await asks(''), 0)
  t.is(await asks('&consistent'), 1)
  t.is(await asks('&stale'), 0)
  ofLeader.isCertain = false
  t.is(await asks(''), 1)
  t.is(await asks('&stale'), 0)
})

test('without a certain lease, the leader asks what is newest before what only a leader answers, also before a write', async t => {
  const { leader, ofLeader } = await pairOfServers(t)
  await leader.send('PUT', '/v1/kv/a', { body: '1' })
  const requests = [
    ['GET', '/v1/event/cursors'],
    // It would change nothing.
    ['PUT', '/v1/kv/a']
  ] as const
  for (const isCertain of [true, false]) {
    ofLeader.isCertain = isCertain
    for (const [method, path] of requests) {
      const before = ofLeader.fences
      t.is((await leader.send(method, path, { body: '1' })).status, 200)
      t.is(ofLeader.fences - before, isCertain ? 0 : 1, `${method} ${path}`)
    }
  }
  ofLeader.hold = 0
  ofLeader.whenFenced = async () => ofLeader.change('following', undefined)
  for (const [method, path] of requests) {
    ofLeader.change('leading', undefined)
    const { status, text } = await leader.send(method, path, { body: '1' })
    t.is(status, 503)
    t.regex(text, /^No cluster leader: nothing was changed/)
  }
})

test('a response that was created while the lease ran out is created again', async t => {
  const { leader, ofLeader } = await pairOfServers(t)
  await leader.send('PUT', '/v1/kv/a', { body: '1' })
  const before = ofLeader.fences
  // Certain when it is asked first, and not when the answer is made.
  const said = [true, false]
  Object.defineProperty(ofLeader, 'isCertain', { get: () => said.shift() ?? false })
  t.is((await leader.send('GET', '/v1/kv/a?raw')).text, '1')
  t.is(ofLeader.fences - before, 1)
})

test('a read waits until the newest is there', async t => {
  const { follower, ofFollower } = await pairOfServers(t)
  let arrive = (): void => {}
  ofFollower.whenFenced = () => new Promise(resolve => (arrive = resolve))
  const before = ofFollower.fences
  const read = follower.send('GET', '/v1/kv/a?raw')
  await until('it asks', () => ofFollower.fences > before)
  await follower.send('PUT', '/v1/kv/a', { body: 'late' })
  arrive()
  t.is((await read).text, 'late')
})

test('a follower that is cut off answers who takes what is old, and tells how old', async t => {
  const { follower, ofFollower } = await pairOfServers(t)
  await follower.send('PUT', '/v1/kv/a', { body: '1' })
  ofFollower.whenFenced = () => Promise.reject(new Error('nothing is heard'))
  ofFollower.change('following', undefined)
  ofFollower.contactMs = 12_345
  for (const query of ['', '?consistent', '?index=1&wait=1s', '?max_stale=1s']) {
    const { status, text, headers } = await follower.send('GET', `/v1/kv/a${query}`)
    t.is(status, 503)
    t.regex(text, NO_LEADER)
    t.is(headers['x-service-knownleader'], 'false')
  }
  const { status, text, headers } = await follower.send('GET', STALE)
  t.is(status, 200)
  t.is(text, '1')
  t.is(headers['x-service-knownleader'], 'false')
  t.is(headers['x-service-lastcontact'], '12345')
  t.is((await follower.send('GET', '/v1/agent/self')).status, 200)
  t.is((await follower.send('GET', '/v1/status/leader')).status, 200)
})

test('a server that has not joined yet has the leader answer', async t => {
  const { leader, follower, ofFollower } = await pairOfServers(t)
  await leader.send('PUT', '/v1/kv/a', { body: '1' })
  ofFollower.change('joining', ofFollower.leader())
  const { text, headers } = await follower.send('GET', STALE)
  t.is(text, '1')
  t.is(headers['x-service-lastcontact'], '0')
  t.is(ofFollower.fences, 0)
})

test('a token that is known elsewhere only is asked for before a body is refused', async t => {
  const { follower, ofFollower } = await pairOfServers(t)
  const before = ofFollower.fences
  t.is((await follower.send('PUT', '/v1/kv/a', { body: '1', token: 'unknown' })).status, 403)
  t.is(ofFollower.fences - before, 1)
  t.is((await follower.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
  t.is(ofFollower.fences - before, 1)
})

test('a token that was made a moment ago is known, whatever may be old', async t => {
  const { leader, follower, ofFollower } = await pairOfServers(t)
  for (const path of ['/v1/agent/members', '/v1/acl/token/self?stale']) {
    const { SecretID: token } = await createToken(leader)
    const before = ofFollower.fences
    t.is((await follower.send('GET', path, { token })).status, 200)
    t.is(ofFollower.fences, before, 'what is known already is not asked for')
    const made = randomUUID()
    ofFollower.whenFenced = async () => {
      await leader.send('PUT', '/v1/acl/token', { body: { SecretID: made } })
    }
    t.is((await follower.send('GET', path, { token: made })).status, 200, path)
    ofFollower.whenFenced = () => Promise.reject(new Error('nothing is heard'))
    t.is((await follower.send('GET', path, { token: randomUUID() })).status, 403, path)
    t.is((await follower.send('GET', '/v1/status/leader', { token: randomUUID() })).status, 200)
  }
})

test('user events and cursors are those of the leader', async t => {
  const { leader, follower } = await pairOfServers(t)
  t.is((await follower.send('PUT', '/v1/event/fire/deploy', { body: 'x' })).status, 200)
  t.is((await follower.send('GET', '/v1/event/list')).text, (await leader.send('GET', '/v1/event/list')).text)
  t.is((await follower.send('PUT', '/v1/event/cursor/c', { body: { Topics: ['KV'] } })).status, 200)
  t.is(
    (await follower.send('GET', '/v1/event/cursor/c')).text,
    (await leader.send('GET', '/v1/event/cursor/c')).text
  )
})
