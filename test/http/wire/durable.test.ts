// The durability barrier: no response leaves the server that a crash could revoke.
import test, { type ExecutionContext } from 'ava'
import { Views } from '../../../projections/read-models.js'
import { viewSettings } from '../../../server/settings/settings.js'
import type { TestResponse } from '../../support/client.js'
import { gatedLog } from '../../support/gated-log.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { createPolicy, createToken, indexOf } from '../support.js'

interface Pending {
  readonly answer: Promise<TestResponse>
  isAnswered(): boolean
}

const pending = (answer: Promise<TestResponse>): Pending => {
  let answered = false
  const noted = answer.finally(() => (answered = true))
  return { answer: noted, isAnswered: () => answered }
}

/** Starts a server with a durable token and policy, whose log holds all later flushes. */
const held = async (t: ExecutionContext) => {
  const gate = gatedLog()
  const server = await serverInProcess(t, { log: gate.log })
  const token = await createToken(server)
  await createPolicy(server, 'durable', '')
  gate.hold()
  return { gate, server, token }
}

/** Resolves when the read models have applied commit `index`, durable or not. */
const applied = (server: TestServer, index: number) =>
  until(`commit ${index} is applied`, () => server.app.views.index >= index)

/** Resolves when the server has answered a later request for a path that reflects no state. */
const laterRequest = async ({ base }: TestServer): Promise<void> => {
  await (await fetch(`${base}/v1/nothing`)).arrayBuffer()
}

test('a write, a read that saw it, and an error that reflects it are answered when the log has it, not before', async t => {
  const { gate, server, token } = await held(t)
  const { index } = server.app.views
  const write = pending(server.send('PUT', '/v1/acl/policy', { body: { Name: 'mine' } }))
  await applied(server, index + 1)
  const all = [
    write,
    pending(server.send('GET', '/v1/acl/policy/name/mine')),
    pending(server.send('GET', '/v1/acl/policies')),
    pending(server.send('PUT', '/v1/acl/policy', { body: { Name: 'MINE' } })),
    pending(server.send('DELETE', `/v1/acl/token/${token.AccessorID}`, { token: token.SecretID }))
  ]
  await laterRequest(server)
  await laterRequest(server)
  t.deepEqual(
    all.map(one => one.isAnswered()),
    all.map(() => false)
  )
  gate.release()
  const [written, read, list, twice, denied] = await Promise.all(all.map(one => one.answer))
  t.is(written?.status, 200)
  t.is(read?.status, 200)
  t.true(list?.text.includes('"mine"'))
  t.is(twice?.status, 400)
  t.regex(twice?.text ?? '', /already exists/)
  t.is(denied?.status, 403)
})

test('an answer that was long in the making is held back as well', async t => {
  const { gate, server } = await held(t)
  gate.release()
  await server.send('POST', '/v1/query', { body: { Name: 'web', Service: { Service: 'web' } } })
  gate.hold()
  const { index } = server.app.views
  const body = { Node: 'n1', Address: '10.0.0.1', Service: { Service: 'web', Port: 80 } }
  const write = pending(server.send('PUT', '/v1/catalog/register', { body }))
  await applied(server, index + 1)
  const read = pending(server.send('GET', '/v1/query/web/execute?cached'))
  await laterRequest(server)
  await laterRequest(server)
  t.deepEqual([write.isAnswered(), read.isAnswered()], [false, false])
  gate.release()
  t.is((await write.answer).status, 200)
  t.regex((await read.answer).text, /"n1"/)
})

test('a blocking query that is woken by a write answers when the log has it', async t => {
  const { gate, server } = await held(t)
  const before = server.app.views.policies.index
  const { index } = server.app.views
  const read = pending(server.send('GET', `/v1/acl/policies?index=${before}`))
  await until('the read waits', () => server.app.views.watch.size > 0)
  const write = pending(server.send('PUT', '/v1/acl/policy', { body: { Name: 'mine' } }))
  await applied(server, index + 1)
  await laterRequest(server)
  t.false(read.isAnswered())
  gate.release()
  t.is(indexOf(await read.answer), indexOf(await write.answer))
})

test('when the log fails, everything that reflects it is 503, and the read models are as the log', async t => {
  const { gate, server } = await held(t)
  const { index } = server.app.views
  const write = server.send('PUT', '/v1/acl/policy', { body: { Name: 'lost' } })
  await applied(server, index + 1)
  const another = server.send('PUT', '/v1/acl/token', { body: { Description: 'lost' } })
  await applied(server, index + 2)
  const reflecting = [
    write,
    another,
    server.send('GET', '/v1/acl/policy/name/lost'),
    server.send('PUT', '/v1/acl/policy', { body: { Name: 'lost' } })
  ]
  await laterRequest(server)
  await laterRequest(server)
  gate.fail()
  for (const { status, text } of await Promise.all(reflecting)) {
    t.is(status, 503)
    t.regex(text, /log cannot be written/)
  }
  await until('the read models are rebuilt', () => server.app.views.index === index)
  t.is((await server.send('GET', '/v1/acl/policy/name/lost')).status, 403)
  t.is((await server.send('GET', '/v1/acl/policy/name/durable')).status, 200)
  const replayed = new Views(viewSettings(server.settings))
  for await (const commit of gate.log.read(1)) replayed.apply(commit)
  t.deepEqual([...server.app.views.dump()], [...replayed.dump()])
})

test('while the log fails reads continue and writes are 503; both work when it is writable again', async t => {
  const { gate, server, token } = await held(t)
  const { index } = server.app.views
  gate.fail()
  const put = () => server.send('PUT', '/v1/acl/policy', { body: { Name: 'later' } })
  t.is((await put()).status, 503)
  t.is((await put()).status, 503)
  t.is((await server.send('GET', `/v1/acl/token/${token.AccessorID}`)).status, 200)
  t.is(server.app.views.index, index)
  gate.heal()
  const written = await until('a write succeeds', async () => {
    const answer = await put()
    return answer.status === 200 && answer
  })
  t.is(indexOf(written), index + 1)
  t.is(gate.log.durableIndex, index + 1)
})

test('a blocking read continues to wait while the log fails and the read models are rebuilt', async t => {
  const { gate, server } = await held(t)
  const { index } = server.app.views
  const before = server.app.views.policies.index
  const read = pending(server.send('GET', `/v1/acl/policies?index=${before}`))
  await until('the read waits', () => server.app.views.watch.size > 0)
  let rebuilt = false
  server.app.committer.signals.once('rebuilt', () => (rebuilt = true))
  const lost = server.send('PUT', '/v1/acl/token', { body: {} })
  await applied(server, index + 1)
  gate.fail()
  t.is((await lost).status, 503)
  await until('the read models are rebuilt', () => rebuilt)
  await laterRequest(server)
  t.false(read.isAnswered())
  gate.heal()
  await until('a write succeeds', async () => {
    const { status } = await server.send('PUT', '/v1/acl/policy', { body: { Name: 'later' } })
    return status === 200
  })
  const answer = await read.answer
  t.is(answer.status, 200)
  t.true(answer.text.includes('"later"'))
})

test('requests that arrive while the read models are rebuilt are answered from the whole of them', async t => {
  const { gate, server, token } = await held(t)
  const { index } = server.app.views
  const lost = server.send('PUT', '/v1/acl/token', { body: {} })
  await applied(server, index + 1)
  const rebuild = new Promise<void>(resolve => server.app.committer.signals.once('rebuilt', resolve))
  gate.fail()
  const reads = Array.from({ length: 20 }, () => server.send('GET', `/v1/acl/token/${token.AccessorID}`))
  await rebuild
  for (const { status } of await Promise.all(reads)) t.is(status, 200)
  t.is((await lost).status, 503)
})

/** Starts a server with namespaces a and b and a token of each, whose log holds all later flushes. */
const heldTenants = async (t: ExecutionContext) => {
  const gate = gatedLog()
  const server = await serverInProcess(t, { log: gate.log })
  const tokenOf = async (namespace: string): Promise<string> => {
    await server.send('PUT', '/v1/namespace', { body: { Name: namespace } })
    const body = { Policies: [{ Name: 'namespace-management' }] }
    const { text } = await server.send('PUT', `/v1/acl/token?ns=${namespace}`, { body })
    const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
    return SecretID
  }
  const [a, b] = [await tokenOf('a'), await tokenOf('b')]
  gate.hold()
  return { gate, server, a, b }
}

test('a read in one namespace does not wait for what is written inside another', async t => {
  const { gate, server, a, b } = await heldTenants(t)
  const { index } = server.app.views
  const write = pending(server.send('PUT', '/v1/kv/k', { token: a, body: 'v' }))
  await applied(server, index + 1)
  for (const path of ['/v1/kv/k', '/v1/session/list', '/v1/acl/tokens', '/v1/catalog/services'])
    t.true([200, 404].includes((await server.send('GET', path, { token: b })).status), path)
  t.false(write.isAnswered())
  gate.release()
  t.is((await write.answer).status, 200)
})

test('it does wait for its own, for what the caller may do, for what is shared, and with all namespaces', async t => {
  const { gate, server, a, b } = await heldTenants(t)
  const { index } = server.app.views
  const write = pending(server.send('PUT', '/v1/kv/k', { token: a, body: 'v' }))
  await applied(server, index + 1)
  const waiting = [
    pending(server.send('GET', '/v1/kv/k', { token: a })),
    pending(server.send('GET', '/v1/kv/k?ns=b', { token: a })),
    pending(server.send('GET', '/v1/kv/k?ns=a', { token: b })),
    pending(server.send('GET', '/v1/kv/?keys&ns=*')),
    pending(server.send('GET', '/v1/kv/k?ns=b', { token: 'unknown' })),
    pending(server.send('GET', '/v1/catalog/nodes', { token: b }))
  ]
  const shared = pending(server.send('PUT', '/v1/kv/k?ns=default', { body: 'v' }))
  await applied(server, index + 2)
  waiting.push(pending(server.send('GET', '/v1/kv/k', { token: b })))
  await laterRequest(server)
  await laterRequest(server)
  t.deepEqual(
    [write, shared, ...waiting].map(one => one.isAnswered()),
    [write, shared, ...waiting].map(() => false)
  )
  gate.release()
  for (const { answer } of waiting) t.true((await answer).status < 500)
})

test('a read that a log failure took nothing from is answered, one that it did is 503', async t => {
  const { gate, server, a, b } = await heldTenants(t)
  const { index } = server.app.views
  const write = server.send('PUT', '/v1/kv/k', { token: a, body: 'v' })
  await applied(server, index + 1)
  const own = server.send('GET', '/v1/kv/k', { token: a })
  t.is((await server.send('GET', '/v1/kv/k', { token: b })).status, 404)
  await laterRequest(server)
  gate.fail()
  t.is((await write).status, 503)
  t.is((await own).status, 503)
  t.is((await server.send('GET', '/v1/kv/k', { token: a })).status, 404)
})
