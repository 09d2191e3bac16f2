// Three servers over what they share: one leads, the others follow, and each of them can take over.
import test from 'ava'
import { MILLISECOND, parseDuration } from '../../../../events/duration.js'
import { TestCluster } from '../../../support/cluster.js'
import { until } from '../../../support/wait.js'

test('the first server founds the cluster and leads; others begin empty and follow', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  t.is((await one?.send('PUT', '/v1/kv/a', { body: 'value' }))?.status, 200)
  for (const server of [one, two, three]) t.is((await server?.send('GET', '/v1/kv/a?raw'))?.text, 'value')
  t.is((await three?.send('PUT', '/v1/kv/b', { body: 'other' }))?.text, 'true')
  t.is((await two?.send('GET', '/v1/kv/b?raw'))?.text, 'other')
  await cluster.settled()
})

test('when the leader ends another one leads at once, and it follows when it is back', async t => {
  const cluster = new TestCluster(t)
  const [one, two] = await cluster.startAll('one', 'two', 'three')
  await one?.send('PUT', '/v1/kv/a', { body: '1' })
  await one?.close()
  t.is((await two?.send('PUT', '/v1/kv/b', { body: '2' }))?.status, 200)
  const again = await cluster.start('one')
  await cluster.until('it follows', () => again.role() === 'following')
  t.is((await again.send('GET', '/v1/kv/?keys')).text, '["a","b"]')
})

test('a leader that ends before it has looked at the others hands its requests over to the next one', async t => {
  const cluster = new TestCluster(t)
  const one = await cluster.start('one')
  await cluster.until('it leads', () => one.role() === 'leading')
  const two = await cluster.start('two')
  await cluster.until('it follows', () => two.role() === 'following')
  const closed = one.close()
  await cluster.until('it leads no longer', () => one.role() !== 'leading')
  t.is((await one.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
  await closed
  t.is(two.role(), 'leading')
})

test('a leader that is cut off leads no longer than its lease, and answers nothing that may be old', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  await one?.send('PUT', '/v1/kv/a', { body: 'old' })
  await cluster.settled()
  one?.shared.cut()
  t.is((await one?.send('GET', '/v1/kv/a?raw'))?.text, 'old')
  cluster.advance(2801)
  t.is((await one?.send('GET', '/v1/kv/a?raw&stale'))?.text, 'old')
  await cluster.until('another one leads', () => [two, three].some(server => server?.role() === 'leading'))
  await cluster.until('it no longer leads', () => one?.role() === 'following')
  t.is((await two?.send('PUT', '/v1/kv/a', { body: 'new' }))?.status, 200)
  one?.shared.heal()
  await cluster.settled()
  t.is((await one?.send('GET', '/v1/kv/a?raw'))?.text, 'new')
})

test('all servers stop and start, and continue with their logs', async t => {
  const cluster = new TestCluster(t)
  const servers = await cluster.startAll('one', 'two', 'three')
  await servers[0]?.send('PUT', '/v1/kv/a', { body: 'value' })
  await Promise.all(servers.map(server => server.close()))
  const names = ['three', 'two', 'one']
  const again = []
  for (const name of names) again.push(await cluster.start(name))
  const leader = await cluster.leader()
  t.is((await leader.send('PUT', '/v1/kv/b', { body: 'value' })).status, 200)
  for (const server of again) t.is((await server.send('GET', '/v1/kv/?keys')).text, '["a","b"]')
})

test('the nodes of all servers are in the catalog, one that is gone turns critical, and passes when it is back', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  const health = async (name: string): Promise<string> =>
    (await one?.send('GET', `/v1/health/node/${name}`))?.text ?? ''
  for (const name of ['one', 'two', 'three'])
    await cluster.until(`${name} passes`, async () => (await health(name)).includes('"Status":"passing"'))
  await three?.close()
  await cluster.until(
    'it is critical',
    async () => (await health('three')).includes('"Status":"critical"'),
    1000
  )
  t.true((await health('two')).includes('"Status":"passing"'))
  await cluster.start('three')
  await cluster.until('it passes', async () => (await health('three')).includes('"Status":"passing"'))
  t.is(two?.role(), 'following')
})

test('what operators read is of all servers', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  const read = async (path: string) => JSON.parse((await two?.send('GET', path))?.text ?? 'null')
  await cluster.until('all are known', async () => (await read('/v1/status/peers')).length === 3)
  t.is(await read('/v1/status/leader'), '127.0.0.1:8300')
  const { Servers } = await read('/v1/operator/raft/configuration')
  t.deepEqual(
    Servers.map(({ Node, Leader, Voter }: { Node: string; Leader: boolean; Voter: boolean }) => [
      Node,
      Leader,
      Voter
    ]),
    [
      ['one', true, true],
      ['three', false, true],
      ['two', false, true]
    ]
  )
  t.like(await read('/v1/operator/autopilot/health'), { Healthy: true, FailureTolerance: 0 })
  t.like(await read('/v1/agent/self'), {
    Stats: { consul: { leader: 'false' }, raft: { state: 'Follower' } }
  })
  t.deepEqual(
    (await read('/v1/agent/members')).map(({ Name, Status }: { Name: string; Status: number }) => [
      Name,
      Status
    ]),
    [
      ['one', 1],
      ['three', 1],
      ['two', 1]
    ]
  )
  const id: string = Servers[1].ID
  t.is((await one?.send('DELETE', `/v1/operator/raft/peer?id=${id}`))?.status, 400)
  await three?.close()
  await cluster.until('it is missed', async () => (await read('/v1/agent/members'))[1].Status === 4)
  const health = async () => (await one?.send('GET', '/v1/operator/autopilot/health'))?.status
  await cluster.until('health says so', async () => (await health()) === 429)
  t.is((await two?.send('DELETE', `/v1/operator/raft/peer?id=${id}`))?.status, 200)
  await cluster.until('it is forgotten', async () => (await read('/v1/status/peers')).length === 2)
  await until('its node is gone', async () => {
    cluster.advance(1000)
    return (await one?.send('GET', '/v1/catalog/node/three'))?.text === 'null'
  })
})

test('the log of another cluster is refused', async t => {
  const [here, there] = [new TestCluster(t), new TestCluster(t)]
  const [one] = await here.startAll('one')
  await one?.send('PUT', '/v1/kv/a', { body: 'value' })
  const [other] = await there.startAll('one')
  await other?.send('PUT', '/v1/kv/a', { body: 'value' })
  await other?.close()
  t.truthy(there.memory.foundation)
  there.memory.foundation = here.memory.foundation
  const again = await there.start('one')
  await there.until('it is broken', () => again.role() === 'broken')
  t.is((await again.send('PUT', '/v1/kv/a', { body: 'value' })).status, 503)
})

test('after a restore of etcd from a backup no server continues, and nothing is rolled back', async t => {
  const cluster = new TestCluster(t, { hold: '50ms' })
  const servers = await cluster.startAll('one', 'two')
  const [one, two] = servers
  await one?.send('PUT', '/v1/kv/a', { body: 'value' })
  await cluster.settled()
  const { index } = cluster.memory.head
  cluster.memory.putBack(index)
  await cluster.until('the follower is broken', () => two?.role() === 'broken')
  await cluster.until('the leader is broken', () => one?.role() === 'broken')
  for (const server of servers) {
    // A server that was in the middle of a write rebuilds its read models.
    await cluster.until('it has all that it had', () => server.index() >= index)
    t.is((await server.send('GET', '/v1/kv/a')).status, 503)
    t.is((await server.send('PUT', '/v1/kv/b', { body: 'value' })).status, 503)
  }
})

test('operators read of every server how far it is, and how old what it shows may be', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  const health = async (name: string): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await one?.send('GET', '/v1/operator/autopilot/health')
    const { Servers } = JSON.parse(answer?.text ?? 'null')
    return Servers.find(({ Name }: { readonly Name: string }) => Name === name) ?? {}
  }
  const contact = async (name: string): Promise<number> =>
    (parseDuration(String((await health(name))['LastContact'])) ?? 0) / MILLISECOND
  await one?.send('PUT', '/v1/kv/a', { body: 'value' })
  // Reported at once, not only with the next periodic update.
  const wroteAt = cluster.clock.elapsed()
  for (const server of [two, three])
    await cluster.until('it holds the newest', async () => {
      return (await health(server?.name ?? ''))['LastIndex'] === cluster.memory.head.index
    })
  t.true(cluster.clock.elapsed() - wroteAt <= 3500)
  // A busy machine can end a lease.
  t.is(await contact((await cluster.leader()).name), 0)

  three?.shared.cut()
  await cluster.until('it is not heard of', async () => (await health('three'))['SerfStatus'] === 'failed')
  const before = await contact('three')
  t.true(before >= 3000, String(before))
  cluster.advance(5000)
  t.true((await contact('three')) >= before + 5000)
})

test('a server that is suspended between its election and its first write until another one has written, follows', async t => {
  const cluster = new TestCluster(t)
  const [one, two, three] = await cluster.startAll('one', 'two', 'three')
  await one?.send('PUT', '/v1/kv/a', { body: '1' })
  await cluster.settled()
  if (!two || !three) return t.fail()
  const read = two.shared.read.bind(two.shared)
  const isElected = (): boolean => cluster.memory.leader?.address === `http://127.0.0.1:${two.running.port}`
  let hasBegun = false
  // Reads of a server that is catching up do not return until another one has led.
  two.shared.read = async () => {
    if (isElected() && two.role() !== 'leading' && !hasBegun) {
      hasBegun = true
      for (const membership of cluster.memory.memberships)
        if (cluster.memory.leader && membership.leads(cluster.memory.leader)) cluster.memory.end(membership)
      await cluster.until('another one leads', () => three.role() === 'leading')
      await three.send('PUT', '/v1/kv/b', { body: '2' })
    }
    return read()
  }
  three.shared.cut()
  await one?.close()
  await cluster.until('it is elected', () => hasBegun)
  three.shared.heal()
  await cluster.until('it follows', () => hasBegun && two.role() === 'following')
  t.is((await two.send('PUT', '/v1/kv/c', { body: '3' })).status, 200)
  t.is((await two.send('GET', '/v1/kv/?keys')).text, '["a","b","c"]')
  t.is(three.role(), 'leading')
})
