import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'

/** Sends a blocking read, and resolves when it is waiting. */
const waiting = async (server: TestServer, path: string, token?: string) => {
  const before = server.app.views.watch.size
  let answered = false
  const answer = server
    .send('GET', path, token === undefined ? {} : { token })
    .finally(() => (answered = true))
  await until('the read waits', () => server.app.views.watch.size > before)
  return { answer, isAnswered: () => answered }
}

test('a read of one token is woken by its own change and not by that of another', async t => {
  const server = await serverInProcess(t)
  const [mine, other] = [await createToken(server), await createToken(server)]
  const path = `/v1/acl/token/${mine.AccessorID}`
  const index = indexOf(await server.send('GET', path))
  const read = await waiting(server, `${path}?index=${index}`)
  for (let i = 0; i < 3; i++) await server.send('PUT', `/v1/acl/token/${other.AccessorID}`, { body: {} })
  await createPolicy(server, 'unrelated', '')
  t.false(read.isAnswered())
  const written = await server.send('PUT', path, { body: { Description: 'changed' } })
  const answer = await read.answer
  t.is(indexOf(answer), indexOf(written))
  t.is(JSON.parse(answer.text).Description, 'changed')
})

test('a list is woken by any change in its table, and by none in another', async t => {
  const server = await serverInProcess(t)
  const policies = indexOf(await server.send('GET', '/v1/acl/policies'))
  const read = await waiting(server, `/v1/acl/policies?index=${policies}`)
  const token = await createToken(server)
  t.true(token.CreateIndex > policies)
  t.false(read.isAnswered())
  await createPolicy(server, 'new', '')
  t.true((await read.answer).text.includes('"new"'))
})

test('a read whose index is behind is answered at once, as is index 0', async t => {
  const server = await serverInProcess(t)
  const index = indexOf(await server.send('GET', '/v1/acl/tokens'))
  for (const behind of [0, index - 1]) {
    const answer = await server.send('GET', `/v1/acl/tokens?index=${behind}&wait=10m`)
    t.is(indexOf(answer), index)
    t.is(answer.headers['x-service-knownleader'], 'true')
    t.is(answer.headers['x-service-lastcontact'], '0')
  }
})

test('a read shows how it watches for changes', async t => {
  const server = await serverInProcess(t)
  for (const [path, backend] of [
    ['kv/?keys', 'blocking-query'],
    ['kv/nothing', 'blocking-query'],
    ['acl/tokens', 'blocking-query'],
    ['catalog/nodes', 'blocking-query'],
    ['health/service/consul', 'blocking-query'],
    ['health/service/consul?index=1', 'streaming'],
    ['health/service/consul?cached', 'streaming'],
    ['health/connect/consul?cached', 'streaming']
  ])
    // The second time the body is cached.
    for (let i = 0; i < 2; i++) {
      const { headers } = await server.send('GET', `/v1/${path}`)
      t.is(headers['x-service-query-backend'], backend, path)
    }
})

test('when the wait is over the answer is that of now, with the index as it was', async t => {
  const server = await serverInProcess(t)
  const first = await server.send('GET', '/v1/acl/tokens')
  const second = await server.send('GET', `/v1/acl/tokens?index=${indexOf(first)}&wait=50ms`)
  t.is(second.status, 200)
  t.is(second.text, first.text)
  t.is(indexOf(second), indexOf(first))
})

test('a token that is deleted ends the reads that wait for it', async t => {
  const server = await serverInProcess(t)
  const { AccessorID, ModifyIndex } = await createToken(server)
  const read = await waiting(server, `/v1/acl/token/${AccessorID}?index=${ModifyIndex}`)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.is((await read.answer).status, 403)
})

test('a client that disconnects leaves no waiter', async t => {
  const server = await serverInProcess(t)
  const { index } = server.app.views
  const gone = new AbortController()
  const request = fetch(`${server.base}/v1/acl/tokens?index=${index}`, {
    headers: { 'x-service-token': 'anonymous' },
    signal: gone.signal
  })
  t.is((await request).status, 403)
  const token = await secretWith(server, 'reader', 'acl = "read"')
  const waits = fetch(`${server.base}/v1/acl/tokens?index=${server.app.views.index}`, {
    headers: { 'x-service-token': token },
    signal: gone.signal
  })
  await until('the read waits', () => server.app.views.watch.size > 0)
  gone.abort()
  await t.throwsAsync(waits)
  await until('no reader waits', () => server.app.views.watch.size === 0)
})

test('an orderly end answers the reads that wait', async t => {
  const server = await serverInProcess(t)
  const read = await waiting(server, `/v1/acl/tokens?index=${server.app.views.index}`)
  await server.close()
  t.is((await read.answer).status, 200)
})

const refused: readonly (readonly [query: string, text: RegExp])[] = [
  ['index=-1', /Invalid index/],
  ['index=x', /Invalid index/],
  ['index=18446744073709551616', /Invalid index/],
  ['wait=5', /Invalid wait time/],
  ['wait=x', /Invalid wait time/],
  ['max_stale=x', /Invalid max_stale value/],
  ['stale&consistent', /Cannot specify \?stale with \?consistent, conflicting semantics\./],
  ['cached&consistent', /Cannot specify \?cached with \?consistent/],
  ['max_stale=1s&consistent', /Cannot specify \?max_stale with \?consistent/],
  ['dc=elsewhere', /No path to datacenter/]
]
test('parameters that mean nothing or contradict each other are refused, before the right is looked at', async t => {
  const server = await serverInProcess(t)
  for (const [query, text] of refused) {
    const answer = await server.send('GET', `/v1/acl/tokens?${query}`, { token: undefined })
    t.is(answer.status, 400, query)
    t.regex(answer.text, text)
  }
})

const accepted = [
  'stale',
  'stale=',
  'consistent',
  'cached',
  'max_stale=10s&stale',
  'index=&wait=',
  'dc=dc1',
  'wait=5m0s'
]
test('consistency modes are accepted, with and without a value', async t => {
  const server = await serverInProcess(t)
  for (const query of accepted) t.is((await server.send('GET', `/v1/acl/tokens?${query}`)).status, 200, query)
})

test('a wait during which a rebuild takes the state back is refused at its end, unless it is stale', async t => {
  const ends = async (query: string, isRestored: boolean) => {
    const server = await serverInProcess(t)
    const { views, committer, log } = server.app
    await server.send('PUT', '/v1/kv/app', { body: 'kept' })
    const { index } = views
    // A commit that the log of the cluster has, and that of this server fails to keep.
    const follow = async (): Promise<void> => {
      for await (const commit of log.read(index)) committer.follow([{ ...commit, Index: index + 1 }])
    }
    await follow()
    const read = await waiting(server, `/v1/kv/app?index=${index}${query}`)
    await committer.rebuild()
    t.is(views.index, index)
    if (isRestored) await follow()
    await server.close()
    return read.answer
  }
  const lost = await ends('', false)
  t.is(lost.status, 503)
  t.is(lost.headers['x-service-error-code'], 'read.unavailable')
  t.is((await ends('&stale', false)).status, 200)
  t.is((await ends('', true)).status, 200)
})

test('a token that expires during a wait is refused at its end', async t => {
  const server = await serverInProcess(t)
  const { SecretID } = await createToken(server, {
    Policies: [{ Name: 'global-management' }],
    ExpirationTTL: '5m'
  })
  const index = indexOf(await server.send('GET', '/v1/kv/leader'))
  const read = await waiting(server, `/v1/kv/leader?index=${index}&wait=10m`, SecretID)
  server.setClockBy(5 * 60_000 + 1)
  await server.send('PUT', '/v1/kv/leader', { body: 'n1' })
  t.like(await read.answer, { status: 403, text: 'ACL not found' })
})

for (const resource of ['node', 'node-services'])
  test(`the deregistration of a node ends a wait for its ${resource}, and a registration the next`, async t => {
    const server = await serverInProcess(t)
    const path = `/v1/catalog/${resource}/web-1`
    const Node = 'web-1'
    const write = async (verb: string, body: object): Promise<void> => {
      t.is((await server.send('PUT', `/v1/catalog/${verb}`, { body })).status, 200)
    }
    t.is(indexOf(await server.send('GET', path)), 1)
    const created = await waiting(server, `${path}?index=1`)
    await write('register', { Node, Address: '10.0.0.1' })
    const deleted = await waiting(server, `${path}?index=${indexOf(await created.answer)}`)
    await write('deregister', { Node })
    const { text } = await server.send('GET', path)
    t.is((await deleted.answer).text, text)
    const again = await waiting(server, `${path}?index=${indexOf(await deleted.answer)}`)
    await write('register', { Node: 'web-2', Address: '10.0.0.2' })
    t.false(again.isAnswered())
    await write('register', { Node, Address: '10.0.0.1' })
    t.true((await again.answer).text.includes('10.0.0.1'))
  })
