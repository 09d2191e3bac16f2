// Request bodies on the wire: in pieces, of unknown length, too large, incomplete, or ignored.
import test, { type ExecutionContext } from 'ava'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { Wire } from '../../../support/raw-connection.js'

const LIMITS = { limits: { http_body_bytes: 2048, kv_max_value_size: 1024 } }

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const LAST_CHUNK = '0\r\n\r\n'
const CHUNKED = 'Transfer-Encoding: chunked'
const DONE = /\r\n\r\ntrue$/

const valueOf = async (server: TestServer, key: string): Promise<string | undefined> => {
  const { status, text } = await server.send('GET', `/v1/kv/${key}?raw`)
  return status === 200 ? text : undefined
}

/** Asserts that the connection answers a further request. */
const staysUsable = async (t: ExecutionContext, wire: Wire): Promise<void> => {
  wire.request('GET /v1/status/leader', [])
  t.regex(await wire.read(/"127\.0\.0\.1:\d+"/), /HTTP\/1\.1 200 /)
}

test('a body is taken whole, in however many pieces it comes', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/pieces', ['Content-Length: 9'], 'one')
  for (const piece of [' t', 'wo ', '3']) {
    await new Promise(setImmediate)
    wire.send(piece)
  }
  await wire.read(DONE)
  t.is(await valueOf(server, 'pieces'), 'one two 3')
  wire.request('PUT /v1/kv/chunks', [CHUNKED], chunk('one '))
  await new Promise(setImmediate)
  wire.send(chunk('two') + LAST_CHUNK)
  await wire.read(DONE)
  t.is(await valueOf(server, 'chunks'), 'one two')
})

test('a body may be absent or empty', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  const empty: readonly (readonly [header: string, body: string])[] = [
    ['Accept: */*', ''],
    ['Content-Length: 0', ''],
    ['Content-Length: 00', ''],
    [CHUNKED, LAST_CHUNK]
  ]
  for (const [header, body] of empty) {
    wire.request('PUT /v1/kv/empty', [header, 'Content-Type: application/json'], body)
    await wire.read(DONE)
    t.is(await valueOf(server, 'empty'), '')
    wire.request('PUT /v1/acl/token', [header], body)
    t.regex(await wire.read(/the body is empty/), /HTTP\/1\.1 400 /)
  }
})

test('requests sent together with their bodies are answered in turn', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  const requests = ['first', 'second', 'third'].map(
    value =>
      `PUT /v1/kv/${value} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\n${CHUNKED}\r\n\r\n${chunk(value)}${LAST_CHUNK}`
  )
  wire.send(requests.join(''))
  t.is((await wire.read(/(?:[^]*?\r\n\r\ntrue){3}/)).match(/HTTP\/1\.1 200 /g)?.length, 3)
  for (const value of ['first', 'second', 'third']) t.is(await valueOf(server, value), value)
  await staysUsable(t, wire)
})

test('a body announced over the limit is refused before it comes, and skipped when it does', async t => {
  const server = await serverInProcess(t, { config: LIMITS })
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/large', ['Content-Length: 1025'])
  const text = 'Request body of 1025 bytes is too large: the limit is 1024 bytes (limits.kv_max_value_size)'
  const answer = await wire.read(/kv_max_value_size\)/)
  t.regex(answer, /HTTP\/1\.1 413 /)
  t.true(answer.endsWith(`\r\n\r\n${text}`), answer)
  wire.send('x'.repeat(1025))
  await staysUsable(t, wire)
  t.is(await valueOf(server, 'large'), undefined)
  wire.request('PUT /v1/kv/large', ['Content-Length: 1024'], 'x'.repeat(1024))
  await wire.read(DONE)
})

test('a body of unknown length is refused as soon as it is over the limit, and skipped to its end', async t => {
  const server = await serverInProcess(t, { config: LIMITS })
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/large', [CHUNKED], chunk('x'.repeat(1000)))
  wire.send(chunk('x'.repeat(25)))
  const text = 'Request body is too large: the limit is 1024 bytes (limits.kv_max_value_size)'
  const answer = await wire.read(/kv_max_value_size\)/)
  t.regex(answer, /HTTP\/1\.1 413 /)
  t.true(answer.endsWith(`\r\n\r\n${text}`), answer)
  for (let i = 0; i < 100; i++) wire.send(chunk('x'.repeat(1000)))
  wire.send(LAST_CHUNK)
  await staysUsable(t, wire)
  t.is(await valueOf(server, 'large'), undefined)
  wire.request('PUT /v1/kv/large', [CHUNKED], chunk('x'.repeat(1024)) + LAST_CHUNK)
  await wire.read(DONE)
})

test('the limit holds for whatever else has a body: other methods, and paths that are none', async t => {
  const server = await serverInProcess(t, { config: LIMITS })
  const body = 'x'.repeat(2049)
  for (const [method, path] of [
    ['DELETE', '/v1/kv/x'],
    ['POST', '/v1/kv/x'],
    ['PUT', '/v1/nothing'],
    ['PUT', '/v1/kv']
  ] as const) {
    const { status, text } = await server.send(method, path, { body })
    t.is(status, 413, `${method} ${path}`)
    t.is(text, 'Request body of 2049 bytes is too large: the limit is 2048 bytes (limits.http_body_bytes)')
  }
})

test('a connection that breaks off within a body leaves nothing behind', async t => {
  const server = await serverInProcess(t)
  for (const [header, body] of [
    ['Content-Length: 9', 'part'],
    [CHUNKED, chunk('part')]
  ] as const) {
    const wire = await Wire.open(t, server)
    wire.request('PUT /v1/kv/part', [header, 'Expect: 100-continue'], body)
    // The head has arrived.
    await wire.read(/100 Continue\r\n\r\n/)
    wire.reset()
    await wire.closed()
  }
  t.is(await valueOf(server, 'part'), undefined)
})

test('a body that ends before its length, or is no chunk, is 400', async t => {
  const server = await serverInProcess(t)
  for (const [header, body] of [
    ['Content-Length: 9', 'part'],
    [CHUNKED, chunk('part')],
    [CHUNKED, `${chunk('part')}no size\r\n`]
  ] as const) {
    const wire = await Wire.open(t, server)
    wire.request('PUT /v1/kv/part', [header], body)
    wire.end()
    await wire.read(/^HTTP\/1\.1 400 /)
    await wire.closed()
  }
  t.is(await valueOf(server, 'part'), undefined)
})

test('a client that waits for 100 Continue receives it', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/awaited', ['Content-Length: 5', 'Expect: 100-continue'])
  t.is(await wire.read(/\r\n\r\n/), 'HTTP/1.1 100 Continue\r\n\r\n')
  wire.send('value')
  t.regex(await wire.read(DONE), /^HTTP\/1\.1 200 /)
  t.is(await valueOf(server, 'awaited'), 'value')
})

test('any other expectation is rejected as unknown', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/awaited', ['Content-Length: 5', 'Expect: wonders'])
  t.regex(
    await wire.read(/Expectation "wonders" is not met: only 100-continue is known$/),
    /^HTTP\/1\.1 417 /
  )
  await wire.closed()
})

test('fields behind a body are no part of it', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/trailed', [CHUNKED, 'Trailer: X-Sum'], `${chunk('value')}0\r\nX-Sum: 1\r\n\r\n`)
  await wire.read(DONE)
  t.is(await valueOf(server, 'trailed'), 'value')
  await staysUsable(t, wire)
})

test('the body of a read is skipped, whatever its size', async t => {
  const server = await serverInProcess(t, { config: LIMITS })
  const wire = await Wire.open(t, server)
  for (const [header, body] of [
    ['Content-Length: 100000', 'x'.repeat(100_000)],
    [CHUNKED, chunk('x'.repeat(100_000)) + LAST_CHUNK]
  ] as const) {
    wire.request('GET /v1/status/leader', [header], body)
    await wire.read(/"127\.0\.0\.1:\d+"/)
    await staysUsable(t, wire)
  }
})

test('the type of a body is not looked at, be it none', async t => {
  const server = await serverInProcess(t)
  const headers = { 'Content-Type': 'nonsense' }
  const { status, text } = await server.send('PUT', '/v1/acl/token', { headers, body: { Description: 'a' } })
  t.is(status, 200, text)
})

test('a write that asks for another protocol is taken as if it did not', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  const upgrade = ['Upgrade: websocket', 'Connection: Upgrade']
  wire.request('PUT /v1/kv/upgraded', [...upgrade, 'Content-Length: 5'], 'val')
  wire.send('ue')
  await wire.read(DONE)
  t.is(await valueOf(server, 'upgraded'), 'value')
})

test('an unknown token ends a request before its body, and the connection stays usable', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  const unknown = 'X-Service-Token: 90c7a84b-59e4-4ea2-8a35-0a2f7b8f4f8b'
  wire.send(`PUT /v1/kv/never HTTP/1.1\r\nHost: localhost\r\n${unknown}\r\nContent-Length: 5\r\n\r\n`)
  t.regex(await wire.read(/ACL not found/), /^HTTP\/1\.1 403 /)
  wire.send('never')
  await staysUsable(t, wire)
})

/** Opens a write of a limited token, up to its body of 5 bytes, and changes the caller's permissions before the body arrives. */
const writeDuringUpload = async (
  t: ExecutionContext,
  change: (server: TestServer, accessor: string, policy: string) => Promise<unknown>
): Promise<string> => {
  const server = await serverInProcess(t)
  const rules = 'key_prefix "" { policy = "write" }'
  const policy = await server.send('PUT', '/v1/acl/policy', { body: { Name: 'keys', Rules: rules } })
  const body = { ExpirationTTL: '1h', Policies: [{ Name: 'keys' }] }
  const token = await server.send('PUT', '/v1/acl/token', { body })
  const { AccessorID, SecretID } = JSON.parse(token.text)
  const wire = await Wire.open(t, server)
  const start = async (key: string): Promise<void> => {
    const secret = `X-Service-Token: ${SecretID}`
    wire.send(
      `PUT /v1/kv/${key} HTTP/1.1\r\nHost: localhost\r\n${secret}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`
    )
    // The token was accepted.
    await wire.read(/100 Continue\r\n\r\n/)
  }
  await start('before')
  wire.send('value')
  await wire.read(DONE)
  await start('during')
  await change(server, AccessorID, JSON.parse(policy.text).ID)
  wire.send('value')
  const answer = await wire.read(/HTTP\/1\.1 \d+ [^]*?\r\n\r\n.+/)
  t.is(await valueOf(server, 'during'), undefined)
  return answer
}

test('a token that is deleted during an upload is rejected', async t => {
  const answer = await writeDuringUpload(t, async (server, accessor) => {
    t.is((await server.send('DELETE', `/v1/acl/token/${accessor}`)).status, 200)
  })
  t.regex(answer, /^HTTP\/1\.1 403 [^]*ACL not found/)
})

test('a token that expires during an upload is rejected', async t => {
  const answer = await writeDuringUpload(t, async ({ clock }) => clock.advance(3_601_000))
  t.regex(answer, /^HTTP\/1\.1 403 [^]*ACL not found/)
})

test('a permission that is removed during an upload is missing', async t => {
  const answer = await writeDuringUpload(t, async (server, _, policy) => {
    const body = { Name: 'keys', Rules: 'key_prefix "" { policy = "read" }' }
    t.is((await server.send('PUT', `/v1/acl/policy/${policy}`, { body })).status, 200)
  })
  t.regex(answer, /^HTTP\/1\.1 403 [^]*lacks permission 'key:write'/)
})

test('a body that is too large is rejected immediately, without 100 Continue', async t => {
  const server = await serverInProcess(t, { config: LIMITS })
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/large', ['Content-Length: 1025', 'Expect: 100-continue'])
  t.regex(await wire.read(/kv_max_value_size\)/), /^HTTP\/1\.1 413 /)
  await wire.closed()
})

test('bodies of all requests together have a limit, and what they took is free again after their answers', async t => {
  const server = await serverInProcess(t, {
    config: { limits: { http_body_bytes_total: 2 ** 20, kv_max_value_size: 2 ** 20 } }
  })
  const size = 600_000
  const begin = async (): Promise<Wire> => {
    const wire = await Wire.open(t, server)
    wire.request('PUT /v1/kv/first', [`Content-Length: ${size}`], 'x'.repeat(size - 1))
    return wire
  }
  let first = await begin()
  // Its arrival shows in the fate of another one: one of the two is rejected.
  let refused = ''
  while (refused === '') {
    const { status, text } = await server.send('PUT', '/v1/kv/second', { body: 'y'.repeat(size) })
    if (status === 503) refused = text
    else if (first.unread !== '') first = await begin()
  }
  t.regex(refused, /limit is 1048576 bytes \(limits\.http_body_bytes_total\)/)
  first.send('x')
  await first.read(DONE)
  const broken = await Wire.open(t, server)
  broken.request('PUT /v1/kv/broken', [`Content-Length: ${size}`], 'x'.repeat(size - 1))
  broken.reset()
  await broken.closed()
  let status = 0
  while (status !== 200) ({ status } = await server.send('PUT', '/v1/kv/second', { body: 'y'.repeat(size) }))
  t.is((await valueOf(server, 'second'))?.length, size)
})
