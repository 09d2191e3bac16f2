import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'ava'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { createToken, indexOf, secretWith, tokenOf } from '../../support.js'

/**
 * Sends bytes over a socket and reads until the server closes it. A server that closes before it has read all bytes resets the connection
 * after its response.
 */
const raw = async ({ port }: TestServer, bytes: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  await once(socket, 'connect')
  let answer = ''
  socket.on('data', (text: string) => (answer += text))
  socket.on('error', () => {})
  const closed = new Promise(resolve => socket.on('close', resolve))
  socket.write(bytes)
  await closed
  return answer
}

test('the token is taken from the parameter, then the header, then the bearer', async t => {
  const server = await serverInProcess(t)
  const [a, b, c] = [await createToken(server), await createToken(server), await createToken(server)]
  const who = async (query: string, headers: Record<string, string>) => {
    const answer = await server.send('GET', `/v1/acl/token/self${query}`, { token: undefined, headers })
    return answer.status === 200 ? tokenOf(answer).AccessorID : answer.text
  }
  const header = { 'X-Service-Token': b.SecretID }
  const bearer = { Authorization: `Bearer ${c.SecretID}` }
  t.is(await who(`?token=${a.SecretID}`, { ...header, ...bearer }), a.AccessorID)
  t.is(await who('?token=', { ...header, ...bearer }), b.AccessorID)
  t.is(await who('', { ...header, ...bearer }), b.AccessorID)
  t.is(await who('', bearer), c.AccessorID)
  t.is(await who('', { Authorization: `bEaReR   ${c.SecretID} more` }), c.AccessorID)
  for (const Authorization of ['Basic YTpi', 'Bearer', `Bearer${c.SecretID}`])
    t.is(await who('', { Authorization }), 'ACL not found')
  t.is(await who('?token=wrong', header), 'ACL not found')
})

test('the configured default token stands in for requests without one', async t => {
  const tokens = { initial_management: ROOT, default: ROOT }
  const server = await serverInProcess(t, { config: { acl: { enabled: true, tokens } } })
  t.is((await server.send('GET', '/v1/acl/tokens', { token: undefined })).status, 200)
  t.is((await server.send('GET', '/v1/acl/tokens', { token: 'anonymous' })).status, 403)
})

test('?pretty prints four blanks and a newline, of answers and not of errors', async t => {
  const server = await serverInProcess(t)
  const plain = await server.send('GET', '/v1/acl/policies')
  const pretty = await server.send('GET', '/v1/acl/policies?pretty')
  t.is(pretty.text, `${JSON.stringify(JSON.parse(plain.text), null, 4)}\n`)
  t.is((await server.send('GET', '/v1/acl/token/self?pretty', { token: 'x' })).text, 'ACL not found')
})

test('a path that is not known is 404, a method that a path does not have 405 with those it has', async t => {
  const server = await serverInProcess(t)
  const unknown = await server.send('GET', '/v1/nothing')
  t.is(unknown.status, 404)
  t.regex(unknown.text, /no endpoint has this path/)
  t.is(unknown.headers['x-service-default-acl-policy'], undefined)
  for (const method of ['POST', 'PATCH', 'PROPFIND']) {
    const { status, text, headers } = await server.send(
      method,
      '/v1/acl/token/5ec51e41-9583-2bf5-eed4-3bfcbffede4f'
    )
    t.is(status, 405)
    t.is(text, `method ${method} not allowed`)
    t.is(headers.allow, 'OPTIONS,GET,PUT,DELETE')
  }
  // The methods have a fixed order, independent of the routes.
  t.is((await server.send('DELETE', '/v1/query')).headers.allow, 'OPTIONS,GET,POST,PUT')
  t.is((await server.send('HEAD', '/v1/acl/tokens')).status, 405)
  t.is((await server.send('TRACE', '/v1/acl/tokens')).status, 405)
  t.is((await server.send('PUT', '/v1/acl/token/self', { body: {} })).status, 405)
  const options = await server.send('OPTIONS', '/v1/acl/tokens', { token: undefined })
  t.is(options.status, 200)
  t.is(options.text, '')
  t.is(options.headers.allow, 'OPTIONS,GET')
})

test('every answer of a known path tells the default policy', async t => {
  const server = await serverInProcess(t, { config: { acl: { enabled: true, default_policy: 'allow' } } })
  for (const path of ['/v1/status/leader', '/v1/acl/tokens', '/v1/acl/token/x'])
    t.is(
      (await server.send('GET', path, { token: undefined })).headers['x-service-default-acl-policy'],
      'allow'
    )
})

test('with compat on, both families of headers are taken and sent; names of fields match in any letter case', async t => {
  const server = await serverInProcess(t)
  const headers = { 'X-Consul-Token': ROOT }
  const answer = await server.send('GET', '/v1/acl/tokens', { token: undefined, headers })
  t.is(answer.status, 200)
  t.is(answer.headers['x-consul-index'], answer.headers['x-service-index'])
  t.is(answer.headers['x-consul-knownleader'], 'true')
  t.is(answer.headers['x-consul-default-acl-policy'], 'deny')
  const body = { description: 'a', serviceidentities: [{ servicename: 'web' }] }
  const made = tokenOf(await server.send('PUT', '/v1/acl/token', { body }))
  t.is(made.Description, 'a')
  t.deepEqual(made['ServiceIdentities'], [{ ServiceName: 'web' }])
})

test('with compat off, neither', async t => {
  const acl = { enabled: true, tokens: { initial_management: ROOT } }
  const server = await serverInProcess(t, { config: { compat: false, acl } })
  const headers = { 'X-Consul-Token': ROOT }
  t.is((await server.send('GET', '/v1/acl/tokens', { token: undefined, headers })).status, 403)
  const answer = await server.send('GET', '/v1/acl/tokens')
  t.true(indexOf(answer) > 0)
  t.deepEqual(
    Object.keys(answer.headers).filter(name => name.startsWith('x-consul')),
    []
  )
  const folded = await server.send('PUT', '/v1/acl/token', { body: { description: 'a' } })
  t.is(folded.status, 400)
  t.regex(folded.text, /unknown field "description"/)
})

const bodies: readonly (readonly [body: string, text: RegExp])[] = [
  ['', /Token decoding failed: EOF/],
  ['{', /Token decoding failed/],
  ['[]', /Token decoding failed/],
  ['7', /Token decoding failed/],
  ['{"Color":1}', /unknown field "Color"/],
  ['{"Policies":[{"Id":"","Colour":1}]}', /unknown field "Policies\.0\.Colour"/],
  ['{"ServiceIdentities":[{"ServiceName":"a","X":1}]}', /unknown field "ServiceIdentities\.0\.X"/],
  ['{"Description":7}', /field "Description" .*string/],
  ['{"Local":"yes"}', /field "Local" .*boolean/],
  ['{"Policies":{}}', /field "Policies" .*array/],
  ['{"CreateIndex":"x"}', /field "CreateIndex"/],
  ['{"ExpirationTTL":"1d"}', /field "ExpirationTTL".*duration/],
  ['{"ExpirationTime":"tomorrow"}', /field "ExpirationTime".*RFC 3339/]
]
test('text after the first JSON value of a body is ignored', async t => {
  const server = await serverInProcess(t)
  for (const body of ['{"Description":"first"} {"Description":"second"}', '{"Description":"first"}]x'])
    t.is(tokenOf(await server.send('PUT', '/v1/acl/token', { body })).Description, 'first')
  t.is((await server.send('PUT', '/v1/acl/token', { body: '{"Description":"cut' })).status, 400)
})

test('a body that cannot be read is refused with the field and the rule', async t => {
  const server = await serverInProcess(t)
  for (const [body, text] of bodies) {
    const answer = await server.send('PUT', '/v1/acl/token', { body })
    t.is(answer.status, 400, body)
    t.regex(answer.text, text)
  }
})

test('null stands for an absent field, and what the service sets may be sent back', async t => {
  const server = await serverInProcess(t)
  const body = {
    Description: null,
    Policies: null,
    ExpirationTime: null,
    Local: null,
    Hash: 'x',
    CreateIndex: 1
  }
  const made = await server.send('PUT', '/v1/acl/token', { body })
  t.is(made.status, 200, made.text)
  const token = tokenOf(made)
  t.is(token.Description, '')
  t.is(token.Policies, null)
  t.is((await server.send('PUT', `/v1/acl/token/${token.AccessorID}`, { body: token })).status, 200)
  t.is((await server.send('PUT', '/v1/acl/token', { body: 'null' })).status, 200)
})

test('a body is JSON whatever its type says', async t => {
  const server = await serverInProcess(t)
  for (const type of [
    'application/x-www-form-urlencoded',
    'text/plain',
    'application/json; charset=utf-8',
    'x/y'
  ]) {
    const sending = { body: '{"Description":"a"}', headers: { 'Content-Type': type } }
    t.is(tokenOf(await server.send('PUT', '/v1/acl/token', sending)).Description, 'a', type)
  }
})

test('a body over the limit is 413 and names limit and key', async t => {
  const server = await serverInProcess(t, { config: { limits: { http_body_bytes: 2048 } } })
  const body = JSON.stringify({ Description: 'x'.repeat(2100) })
  const { status, text } = await server.send('PUT', '/v1/acl/policy', { body, token: undefined })
  t.is(status, 413)
  t.regex(text, /limit is 2048 bytes \(limits\.http_body_bytes\)/)
})

test('headers over the limit are 431, and the server continues', async t => {
  const server = await serverInProcess(t, { config: { limits: { http_header_bytes: 2048 } } })
  const answer = await raw(
    server,
    `GET /v1/status/leader HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(4000)}\r\n\r\n`
  )
  t.regex(answer, /^HTTP\/1\.1 431 .*X-Service-Error-Code: request\.headers-too-large\r\n/s)
  t.regex(
    answer,
    /text\/plain.*\r\n\r\nRequest headers are too large: the limit is 2048 bytes \(limits\.http_header_bytes\)$/s
  )
  t.is((await server.send('GET', '/v1/status/leader')).status, 200)
})

test('a head far over the limit is refused in words that arrive, though more of it is still being sent', async t => {
  const server = await serverInProcess(t)
  const headers = { 'X-Long': 'x'.repeat(1_000_000) }
  const { status, text } = await server.send('GET', '/v1/status/leader', { headers })
  t.is(status, 431)
  t.regex(text, /limits\.http_header_bytes/)
})

test('a request that does not arrive in time is 408', async t => {
  const server = await serverInProcess(t, { config: { limits: { request_timeout: '200ms' } } })
  const answer = await raw(
    server,
    'PUT /v1/acl/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"Descr'
  )
  t.regex(answer, /^HTTP\/1\.1 408 .*X-Service-Error-Code: request\.timeout\r\n/s)
  t.regex(answer, /\r\n\r\nRequest took too long to arrive: the limit is 200 ms \(limits\.request_timeout\)$/)
})

test('what is not HTTP is 400', async t => {
  const server = await serverInProcess(t)
  const answer = await raw(server, 'hello\r\n\r\n')
  t.regex(
    answer,
    /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: text\/plain.*X-Service-Error-Code: request\.invalid\r\n.*\r\n\r\nBad request: \S/s
  )
})

test('a query string that cannot be decoded is refused', async t => {
  const server = await serverInProcess(t)
  for (const query of ['a=%zz', 'a;b=1', '%ff=1']) {
    const { status, text } = await server.send('GET', `/v1/acl/tokens?${query}`)
    t.is(status, 400, query)
    t.regex(text, /query string/)
  }
})

test('paths are percent-decoded, and what cannot be decoded is 400', async t => {
  const server = await serverInProcess(t)
  await secretWith(server, 'web', '')
  t.is((await server.send('GET', '/v1/acl/policy/name/%77eb')).status, 200)
  t.is((await server.send('GET', '/v1/acl/policy/name/%zz')).status, 400)
})

test('of a parameter given twice the first value counts', async t => {
  const server = await serverInProcess(t)
  t.is((await server.send('GET', `/v1/acl/tokens?token=${ROOT}&token=x`, { token: undefined })).status, 200)
})

test('who asked, from where and with which command stands in the log', async t => {
  const server = await serverInProcess(t)
  const made = await createToken(server)
  const root = tokenOf(await server.send('GET', '/v1/acl/token/self'))
  for await (const { By } of server.app.log.read(made.CreateIndex)) {
    t.is(By.AccessorID, root.AccessorID)
    t.is(By.Address, '127.0.0.1')
    t.is(By.Command, 'CreateToken')
    t.not(By.RequestID, '')
  }
})

test('metrics count requests by route and status, in JSON and for Prometheus', async t => {
  const server = await serverInProcess(t)
  await server.send('GET', '/v1/acl/tokens')
  const text = (await server.send('GET', '/v1/agent/metrics?format=prometheus')).text
  t.regex(text, /annals_http_requests_total\{method="GET",path="\/v1\/acl\/tokens",status="200"\} 1\n/)
  const { Gauges }: { Gauges: readonly { readonly Name: string; readonly Value: number }[] } = JSON.parse(
    (await server.send('GET', '/v1/agent/metrics')).text
  )
  t.is(Gauges.find(gauge => gauge.Name === 'annals_acl_tokens')?.Value, 2)
  t.is((await server.send('GET', '/v1/agent/metrics?format=xml')).status, 400)
})

test('a target that names the server too, as behind a proxy, is that of its path', async t => {
  const server = await serverInProcess(t)
  const request = `GET ${server.base}/v1/status/leader HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
  t.regex(await raw(server, request), /^HTTP\/1\.1 200 OK/)
})
