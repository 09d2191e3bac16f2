// Response heads on the wire.
import test from 'ava'
import { ROOT, serverInProcess } from '../../support/server.js'
import { Wire } from '../../support/raw-connection.js'

const LEADER = 'GET /v1/status/leader'
const WHOLE = /\r\n\r\n"127\.0\.0\.1:\d+"/

test('a response head has each header once, the length, the date and the fate of the connection', async t => {
  const server = await serverInProcess(t, { config: { limits: { keep_alive_timeout: '7s' } } })
  const wire = await Wire.open(t, server)
  const before = Math.floor(Date.now() / 1000) * 1000
  wire.request(LEADER, [])
  const [status, ...lines] = (await wire.read(WHOLE)).split('\r\n')
  const body = lines.pop() ?? ''
  t.is(lines.pop(), '')
  t.is(status, 'HTTP/1.1 200 OK')
  const headers = new Map(lines.map(line => [line.slice(0, line.indexOf(': ')), line.split(': ')[1]]))
  t.is(headers.size, lines.length)
  t.is(headers.get('Content-Length'), String(body.length))
  t.is(headers.get('Content-Type'), 'application/json')
  t.is(headers.get('Connection'), 'keep-alive')
  t.is(headers.get('Keep-Alive'), 'timeout=7')
  t.is(headers.get('Vary'), 'Accept-Encoding')
  const date = headers.get('Date') ?? ''
  t.is(new Date(date).toUTCString(), date)
  t.true(Date.parse(date) >= before && Date.parse(date) <= Date.now(), date)
})

test('a connection ends with the answer when the client wants that, or does not say otherwise in HTTP/1.0', async t => {
  const server = await serverInProcess(t)
  for (const request of [
    `${LEADER} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    `${LEADER} HTTP/1.0\r\n\r\n`
  ]) {
    const wire = await Wire.open(t, server)
    wire.send(request)
    const answer = await wire.read(WHOLE)
    t.regex(answer, /\r\nConnection: close\r\n/)
    t.notRegex(answer, /keep-alive/i)
    await wire.closed()
  }
  const kept = await Wire.open(t, server)
  for (let i = 0; i < 2; i++) {
    kept.send(`${LEADER} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`)
    t.regex(await kept.read(WHOLE), /\r\nConnection: keep-alive\r\n/)
  }
})

test('requests sent at once are answered in their order', async t => {
  const server = await serverInProcess(t)
  const put = (key: string) =>
    `PUT /v1/kv/${key} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\nContent-Length: 1\r\n\r\nx`
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\n\r\n`
  const wire = await Wire.open(t, server)
  wire.send(put('a') + get('/v1/kv/a?raw') + get('/v1/status/leader') + put('b') + get('/v1/kv/?keys'))
  const text = await wire.read(/\["a","b"\]/)
  t.regex(text, /200 OK[^]*\r\n\r\ntrueHTTP[^]*\r\n\r\nxHTTP[^]*"127[^]*\r\n\r\ntrueHTTP[^]*\["a","b"\]$/)
})

test('a method that a path does not have leaves no body behind, whatever is said of it', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  wire.request('HEAD /v1/status/leader', [])
  const head = await wire.read(/\r\n\r\n/)
  t.regex(head, /^HTTP\/1\.1 405 /)
  t.regex(head, /\r\nContent-Length: [1-9]/)
  wire.request(LEADER, [])
  t.regex(await wire.read(WHOLE), /^HTTP\/1\.1 200 /)
})

test('texts beyond ASCII have their length in bytes', async t => {
  const server = await serverInProcess(t)
  const name = 'Größe 漢字 😀'
  const { status } = await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'wide', Description: name }
  })
  t.is(status, 200)
  const listed = await server.send('GET', '/v1/acl/policies')
  t.true(listed.text.includes(name))
  const read = await server.send('GET', '/v1/acl/policy/name/wide')
  t.true(read.text.includes(name))
  for (const { headers, text } of [listed, read])
    t.is(headers['content-length'], String(Buffer.byteLength(text)))
})
