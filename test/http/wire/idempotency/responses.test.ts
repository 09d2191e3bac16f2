// A write that is repeated with its idempotency key gets its first response, and is executed once.
import test, { type ExecutionContext } from 'ava'
import { createToken, secretWith, tokenOf } from '../../support.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { temporaryFolder } from '../../../support/process.js'
import { until } from '../../../support/wait.js'
import { Wire } from '../../../support/raw-connection.js'
import { bodyOf, keyed, rawResponse } from './keyed.js'

const HOUR = 3_600_000

/** Sends a write twice, and returns both raw responses. */
const twice = async (
  t: ExecutionContext,
  server: TestServer,
  start: string,
  more: readonly string[] = []
) => {
  const wire = await Wire.open(t, server)
  const body = '{"Description":"made once"}'
  const headers = ['X-Service-Idempotency-Key: one', `Content-Length: ${body.length}`, ...more]
  const answers: string[] = []
  for (let i = 0; i < 2; i++) {
    wire.request(start, headers, body)
    answers.push(await rawResponse(wire))
  }
  return answers
}

test('the first answer is given again, byte for byte but for its date, and there is one commit', async t => {
  const server = await serverInProcess(t)
  const before = server.app.views.index
  const [first = '', second] = await twice(t, server, 'PUT /v1/acl/token')
  t.is(second, first)
  t.regex(first, /^HTTP\/1.1 200 /)
  t.regex(first, /\r\nX-Service-Index: \d+\r\n/)
  t.is(tokenOf({ status: 200, headers: {}, text: bodyOf(first) }).Description, 'made once')
  t.is(server.app.views.index, before + 1)
})

test('it is given again after a restart, by a server that has its keys from the log alone', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  const body = { Description: 'before the restart' }
  const first = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body })
  await server.close()
  const next = await serverInProcess(t, { dataDir })
  const again = await keyed(next, 'k', 'PUT', '/v1/acl/token', { body })
  t.deepEqual(
    { ...again, headers: { ...again.headers, date: '' } },
    { ...first, headers: { ...first.headers, date: '' } }
  )
  t.is((await keyed(next, 'k', 'PUT', '/v1/acl/token', { body: {} })).status, 422)
})

test('the same key with another body is refused, and counts for nothing but its own request', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const token = (await createToken(server, { Policies: [{ Name: 'global-management' }] })).SecretID
  await keyed(server, 'k', 'PUT', '/v1/kv/a', { body: '1' })
  const other = await keyed(server, 'k', 'PUT', '/v1/kv/a', { body: '2' })
  t.is(other.status, 422)
  t.regex(other.text, /^X-Service-Idempotency-Key was used with another body/)
  const base = server.app.views.index
  await keyed(server, 'k', 'PUT', '/v1/kv/b', { body: '2' })
  await keyed(server, 'k', 'PUT', '/v1/kv/a?flags=3', { body: '2' })
  await keyed(server, 'k', 'PUT', '/v1/kv/a?ns=team', { body: '2' })
  await keyed(server, 'k', 'PUT', '/v1/kv/a', { body: '2', headers: { 'X-Service-Namespace': 'team' } })
  await keyed(server, 'k', 'PUT', '/v1/kv/a', { body: '3', token })
  await keyed(server, 'k', 'DELETE', '/v1/kv/a')
  await keyed(server, 'l', 'PUT', '/v1/kv/a', { body: '2' })
  t.is(server.app.views.index, base + 6, 'of the same content in the same namespace nothing was written')
})

test('who asks, and in which order the parameters come, is no part of the query that a key counts for', async t => {
  const server = await serverInProcess(t)
  const first = await keyed(server, 'k', 'PUT', '/v1/kv/a?flags=1&x=2', { body: '1' })
  const { SecretID } = await createToken(server)
  const again = await keyed(server, 'k', 'PUT', '/v1/kv/a?x=2&flags=1', { body: '1' })
  t.is(again.headers['x-service-index'], first.headers['x-service-index'])
  const denied = await keyed(server, 'k', 'PUT', `/v1/kv/a?x=2&flags=1&token=${SecretID}`, { body: '1' })
  t.is(denied.status, 403)
})

test('a key that cannot be one is refused, and means nothing to a read', async t => {
  const server = await serverInProcess(t)
  const refused =
    /^HTTP\/1.1 400 [^]*X-Service-Idempotency-Key must be 1 to 255 printable ASCII characters, and be given once$/
  const header = (value: string): string => `X-Service-Idempotency-Key: ${value}`
  const faults = [
    [header('')],
    [header('x'.repeat(256))],
    [header('\xe4')],
    [header('a\tb')],
    [header('a'), header('a')]
  ]
  for (const headers of faults) {
    const write = await Wire.open(t, server)
    write.request('PUT /v1/kv/a', [...headers, 'Content-Length: 1', 'Expect: 100-continue'])
    t.regex(await rawResponse(write), refused, 'before the body comes')
    const read = await Wire.open(t, server)
    read.request('GET /v1/kv/?keys', headers)
    t.regex(await rawResponse(read), /^HTTP\/1.1 200 /)
  }
  t.is((await keyed(server, 'x'.repeat(255), 'PUT', '/v1/kv/a', { body: '1' })).status, 200)
  t.is((await keyed(server, 'with, comma', 'PUT', '/v1/kv/a', { body: '1' })).status, 200)
})

test('permissions are checked again: a stored response may contain secrets', async t => {
  const server = await serverInProcess(t)
  const { ID: policy } = JSON.parse(
    (await server.send('PUT', '/v1/acl/policy', { body: { Name: 'p', Rules: 'acl = "write"' } })).text
  )
  const writer = await createToken(server, { Policies: [{ ID: policy }] })
  const token = writer.SecretID
  const first = await keyed(server, 'k', 'PUT', '/v1/acl/token', { token, body: {} })
  t.is(first.status, 200)
  await server.send('PUT', `/v1/acl/policy/${policy}`, { body: { Name: 'p', Rules: 'acl = "read"' } })
  const denied = await keyed(server, 'k', 'PUT', '/v1/acl/token', { token, body: {} })
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'acl:write'/)
  await server.send('PUT', `/v1/acl/policy/${policy}`, { body: { Name: 'p', Rules: 'acl = "write"' } })
  t.is((await keyed(server, 'k', 'PUT', '/v1/acl/token', { token, body: {} })).text, first.text)
  await server.send('DELETE', `/v1/acl/token/${writer.AccessorID}`)
  t.is((await keyed(server, 'k', 'PUT', '/v1/acl/token', { token, body: {} })).status, 403)
})

test('the right to what has gone by now is asked for as well', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'sessions', 'session_prefix "" { policy = "write" }')
  const { ID } = JSON.parse((await server.send('PUT', '/v1/session/create')).text)
  const path = `/v1/session/destroy/${ID}`
  const first = await keyed(server, 'k', 'PUT', path, { token })
  t.is(first.status, 200)
  t.is(
    (await keyed(server, 'k', 'PUT', path, { token })).headers['x-service-index'],
    first.headers['x-service-index']
  )
  const { ID: policy } = JSON.parse((await server.send('GET', '/v1/acl/policy/name/sessions')).text)
  await server.send('PUT', `/v1/acl/policy/${policy}`, { body: { Name: 'sessions', Rules: '' } })
  const denied = await keyed(server, 'k', 'PUT', path, { token })
  t.is(denied.status, 403)
  t.regex(denied.text, /lacks permission 'session:write' on "server-1"/)
})

test('a write that made no commit is decided again', async t => {
  const server = await serverInProcess(t)
  const body = { Description: 'd', AccessorID: '5ec51e41-9583-2bf5-eed4-3bfcbffede4f' }
  const path = `/v1/acl/token/${body.AccessorID}`
  t.is((await keyed(server, 'k', 'PUT', path, { body })).status, 400)
  await createToken(server, body)
  t.is((await keyed(server, 'k', 'PUT', path, { body: { ...body, Description: 'new' } })).status, 200)
  await keyed(server, 'same', 'PUT', '/v1/kv/a', { body: '1' })
  const unchanged = await keyed(server, 'other', 'PUT', '/v1/kv/a', { body: '1' })
  t.is(unchanged.headers['x-service-index'], undefined)
  t.is((await keyed(server, 'other', 'PUT', '/v1/kv/a', { body: '2' })).status, 200)
})

test('the answer of a transaction is given again, for who may still see all of it', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'keys', 'key_prefix "" { policy = "write" }')
  const body = [{ KV: { Verb: 'set', Key: 'a', Value: 'eA==' } }, { KV: { Verb: 'get', Key: 'a' } }]
  const first = await keyed(server, 'k', 'PUT', '/v1/txn', { token, body })
  await server.send('PUT', '/v1/kv/a', { body: 'changed' })
  t.is((await keyed(server, 'k', 'PUT', '/v1/txn', { token, body })).text, first.text)
  const { ID } = JSON.parse((await server.send('GET', '/v1/acl/policy/name/keys')).text)
  await server.send('PUT', `/v1/acl/policy/${ID}`, {
    body: { Name: 'keys', Rules: 'key "a" { policy = "read" }' }
  })
  t.is((await keyed(server, 'k', 'PUT', '/v1/txn', { token, body })).status, 403)
})

test('an answer has the form that its own request asks for', async t => {
  const server = await serverInProcess(t)
  const [pretty = '', again] = await twice(t, server, 'PUT /v1/acl/token?pretty')
  t.regex(pretty, /\n {4}"Description": "made once"/)
  t.is(again, pretty)
  const Description = 'long '.repeat(50)
  const body = { Description, Policies: Array.from({ length: 40 }, () => ({ Name: 'global-management' })) }
  const plain = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body })
  const named = { 'X-Service-Request-Id': 'second', 'X-Service-Reason': 'because' }
  const second = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body, headers: named })
  t.is(second.text, plain.text)
  t.is(second.headers['x-service-request-id'], 'second', 'it names the request, not the answer')
})

test('requests with one key, sent one behind the other without a wait, are one write', async t => {
  const server = await serverInProcess(t)
  const before = server.app.views.index
  const wire = await Wire.open(t, server)
  const headers = ['X-Service-Idempotency-Key: one', 'Content-Length: 2', 'Expect: 100-continue']
  for (let i = 0; i < 3; i++) wire.request('PUT /v1/acl/token', headers, '{}')
  const answers = new Set<string>()
  for (let i = 0; i < 3; i++)
    answers.add((await rawResponse(wire)).replace('HTTP/1.1 100 Continue\r\n\r\n', ''))
  t.is(answers.size, 1)
  t.is(server.app.views.index, before + 1)
})

test('what is kept is on no stream and in no list, and gone after its time', async t => {
  const server = await serverInProcess(t, { config: { idempotency: { window: '2h' } } })
  const first = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body: {} })
  const at = Number(first.headers['x-service-index'])
  const poll = await server.send('GET', `/v1/events?topic=*&index=${at - 1}&meta=true`)
  t.is(poll.status, 200)
  t.regex(poll.text, /ACLTokenUpserted/)
  t.false(poll.text.includes(tokenOf(first).SecretID))
  server.advance(HOUR)
  const again = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body: {} })
  t.is(again.text, first.text)
  await until('the answer is forgotten', () => {
    server.advance(HOUR)
    return server.app.views.keptAnswers.size === 0
  })
  const second = await keyed(server, 'k', 'PUT', '/v1/acl/token', { body: {} })
  t.not(tokenOf(second).AccessorID, tokenOf(first).AccessorID)
})

test('when no further keys can be stored, new ones are rejected, and none expires early', async t => {
  const server = await serverInProcess(t, { config: { idempotency: { max_keys: 2, window: '1h' } } })
  const first = await keyed(server, 'a', 'PUT', '/v1/kv/a', { body: '1' })
  await keyed(server, 'b', 'PUT', '/v1/kv/b', { body: '1' })
  const full = await keyed(server, 'c', 'PUT', '/v1/kv/c', { body: '1' })
  t.is(full.status, 429)
  t.regex(full.text, /\(idempotency\.max_keys\)/)
  t.is((await server.send('PUT', '/v1/kv/c', { body: '1' })).status, 200)
  const again = await keyed(server, 'a', 'PUT', '/v1/kv/a', { body: '1' })
  t.is(again.headers['x-service-index'], first.headers['x-service-index'])
  await until('there is room', async () => {
    server.advance(HOUR)
    return (await keyed(server, 'c', 'PUT', '/v1/kv/d', { body: '1' })).status === 200
  })
})

test('one token has a number of keys of its own, and others have room beside it', async t => {
  const server = await serverInProcess(t, {
    config: { idempotency: { max_keys_per_token: 2, window: '1h' } }
  })
  const token = await secretWith(server, 'writer', 'key_prefix "" { policy = "write" }')
  for (const key of ['a', 'b']) await keyed(server, key, 'PUT', `/v1/kv/${key}`, { body: '1' })
  const full = await keyed(server, 'c', 'PUT', '/v1/kv/c', { body: '1' })
  t.is(full.status, 429)
  t.regex(full.text, /of this token.*\(idempotency\.max_keys_per_token\)/)
  t.is((await keyed(server, 'c', 'PUT', '/v1/kv/c', { body: '1', token })).status, 200)
  t.is((await keyed(server, 'a', 'PUT', '/v1/kv/a', { body: '1' })).status, 200)
  await until('there is room', async () => {
    server.advance(HOUR)
    return (await keyed(server, 'c', 'PUT', '/v1/kv/d', { body: '1' })).status === 200
  })
})

test('the metrics tell of keys, repeats and conflicts', async t => {
  const server = await serverInProcess(t)
  await keyed(server, 'a', 'PUT', '/v1/kv/a', { body: '1' })
  await keyed(server, 'a', 'PUT', '/v1/kv/a', { body: '1' })
  await keyed(server, 'a', 'PUT', '/v1/kv/a', { body: '2' })
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  t.regex(text, /^annals_idempotency_keys 1$/m)
  for (const outcome of ['first', 'repeat', 'mismatch'])
    t.regex(text, new RegExp(`^annals_idempotent_requests_total\\{outcome="${outcome}"\\} 1$`, 'm'))
})
