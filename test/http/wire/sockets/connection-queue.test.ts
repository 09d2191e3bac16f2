// Pipelined requests, unread responses, and clients that half-close their connection.
import { randomBytes } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { ConnectionQueue } from '../../../../http/wire/sockets/connection-queue.js'
import { gatedLog } from '../../../support/gated-log.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'
import { until } from '../../../support/wait.js'
import { Wire } from '../../../support/raw-connection.js'

const MEBIBYTE = 2 ** 20

const get = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\n\r\n`

/** Opens a connection that sends these bytes and reads nothing until it is resumed. */
const silentReader = (t: ExecutionContext, { port }: TestServer, bytes: string): Socket => {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.pause()
  socket.write(bytes)
  return socket
}

/** Returns the bytes that wait in this process for readers. */
const unsentOf = async (server: TestServer): Promise<number> => {
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  return Number(/^annals_http_unsent_bytes (\d+)/m.exec(text)?.[1])
}

test('no further request of a connection is handled while more than the limit waits to be sent on it', async t => {
  const size = 400_000
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/large', { body: 'x'.repeat(size) })
  const requests = 100
  const socket = silentReader(t, server, get('/v1/kv/large?raw').repeat(requests))
  // More than the system's buffers hold.
  await until('answers that wait', async () => (await unsentOf(server)) > 0)
  await server.send('GET', '/v1/status/leader')
  t.true((await unsentOf(server)) <= MEBIBYTE + 2 * size)
  const start = 'HTTP/1.1 200 OK'
  let answers = 0
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) {
    // A start can be in two chunks.
    text = text.slice(1 - start.length) + String(chunk)
    answers += text.split(start).length - 1
    if (answers === requests) break
  }
  t.is(answers, requests)
})

test('a request that waits for a longer answer than the limit is handled after it', async t => {
  const server = await serverInProcess(t, { config: { limits: { kv_max_value_size: 64 * MEBIBYTE } } })
  await server.send('PUT', '/v1/kv/large', { body: randomBytes(12 * MEBIBYTE).toString('latin1') })
  // The first answer is compressed meanwhile.
  const first = get('/v1/kv/large?raw').replace('\r\n\r\n', '\r\nAccept-Encoding: gzip\r\n\r\n')
  const socket = silentReader(t, server, first + get('/v1/status/leader'))
  await until('an answer that waits', async () => (await unsentOf(server)) > MEBIBYTE)
  const answered = new Promise<void>(resolve => {
    // The last answer can begin in one chunk and end in the next.
    let end = ''
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      end = (end + chunk.slice(-100)).slice(-100)
      if (/"127\.0\.0\.1:\d+"$/.test(end)) resolve()
    })
  })
  socket.resume()
  await answered
  t.pass()
})

test('while more than the limit waits on all connections, requests are answered 503, and after that as ever', async t => {
  const server = await serverInProcess(t, {
    config: { limits: { http_unsent_bytes_total: MEBIBYTE, kv_max_value_size: 64 * MEBIBYTE } }
  })
  await server.send('PUT', '/v1/kv/large', { body: 'x'.repeat(32 * MEBIBYTE) })
  const socket = silentReader(t, server, get('/v1/kv/large?raw'))
  const refused = await until('a refusal', async () => {
    const answer = await server.send('GET', '/v1/status/leader')
    return answer.status === 503 && answer
  })
  t.regex(refused.text, /limit is 1048576 bytes \(limits\.http_unsent_bytes_total\)/)
  t.is(refused.headers['x-service-error-code'], 'request.unavailable')
  socket.destroy()
  await until('an answer', async () => (await server.send('GET', '/v1/status/leader')).status === 200)
  t.pass()
})

test('while more than the limit is compressed, long lists are answered 503', async t => {
  shortenChunks(t)
  const server = await serverInProcess(t, {
    config: { limits: { http_unsent_bytes_total: MEBIBYTE, kv_max_value_size: 64 * MEBIBYTE } }
  })
  for (const key of ['one/a', 'one/b', 'one/c', 'other/a', 'other/b', 'other/c'])
    await server.send('PUT', `/v1/kv/${key}`, { body: randomBytes(MEBIBYTE / 4).toString('hex') })
  const list = async (prefix: string): Promise<number> => {
    const headers = { 'Accept-Encoding': 'gzip', 'X-Service-Token': ROOT }
    const answer = await fetch(`${server.base}/v1/kv/${prefix}/?recurse`, { headers })
    await answer.arrayBuffer()
    return answer.status
  }
  const queue = server.scope.resolve(ConnectionQueue)
  const count = queue.whileCompressing.bind(queue)
  const compression = new EventEmitter()
  queue.whileCompressing = async (bytes, packed) => {
    queue.whileCompressing = count
    const ended = count(bytes, Promise.all([packed, once(compression, 'resume')]))
    compression.emit('begin')
    return (await ended)[0]
  }
  const first = list('one')
  await once(compression, 'begin')
  // A list that was read before is cached, so not read in chunks.
  const second = await list('other')
  compression.emit('resume')
  t.deepEqual([second, await first, await list('other')], [503, 200, 200])
})

test('what a connection left unread is not counted any more when it is gone', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/large', { body: 'x'.repeat(400_000) })
  const socket = silentReader(t, server, get('/v1/kv/large?raw').repeat(100))
  await until('answers that wait', async () => (await unsentOf(server)) > 0)
  socket.destroy()
  await until('nothing that waits', async () => (await unsentOf(server)) === 0)
  t.pass()
})

test('a client that half-closes its connection with its request gets its response', async t => {
  const server = await serverInProcess(t)
  for (let i = 0; i < 20; i++) {
    const write = await Wire.open(t, server)
    write.request(`PUT /v1/kv/last/${i}`, ['Content-Length: 1'], 'x')
    write.end()
    t.regex(await write.read(/\r\n\r\ntrue$/), /^HTTP\/1\.1 200 /)
    await write.closed()
    const read = await Wire.open(t, server)
    read.request(`GET /v1/kv/last/${i}?raw`, [])
    read.end()
    t.regex(await read.read(/\r\n\r\nx$/), /^HTTP\/1\.1 200 /)
    await read.closed()
  }
})

test('a client that half-closes its connection with several requests gets all responses', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  for (let i = 0; i < 5; i++) wire.request(`PUT /v1/kv/all/${i}`, ['Content-Length: 1'], 'x')
  wire.end()
  for (let i = 0; i < 5; i++) t.regex(await wire.read(/\r\n\r\ntrue/), /^HTTP\/1\.1 200 /)
  await wire.closed()
  t.is(wire.unread, '')
})

test('a client that half-closes its connection after a write and a read gets both responses', async t => {
  const gate = gatedLog()
  const server = await serverInProcess(t, { log: gate.log })
  gate.hold()
  const { index } = server.app.views
  const wire = await Wire.open(t, server)
  const head = (start: string) => `${start} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\n`
  const write = `${head('PUT /v1/kv/both')}Content-Length: 1\r\n\r\nx`
  wire.send(`${write}${head('GET /v1/kv/both?raw')}\r\n`)
  wire.end()
  await until('the write is applied', () => server.app.views.index > index)
  // The server has read what the connection sent, and its end, if it reads at all.
  for (let i = 0; i < 3; i++) await (await fetch(`${server.base}/v1/nothing`)).arrayBuffer()
  gate.release()
  await wire.closed()
  t.regex(wire.unread, /^HTTP\/1\.1 200 [^]*\r\n\r\ntrueHTTP\/1\.1 200 [^]*\r\n\r\nx$/)
})

for (const [what, request] of [
  [
    'refused',
    `PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: none\r\nContent-Length: 5\r\n\r\n`
  ],
  ['unread', 'POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n']
] as const)
  test(`a request that was answered before its body (${what}) is not answered again when its client ends`, async t => {
    const server = await serverInProcess(t)
    const wire = await Wire.open(t, server)
    wire.send(request)
    await wire.read(/ACL not found|no endpoint has this path/)
    wire.end()
    await wire.closed()
    t.is(wire.unread, '')
  })

test('malformed input after a request is rejected after the response to that request', async t => {
  const server = await serverInProcess(t)
  const wire = await Wire.open(t, server)
  const write = `PUT /v1/kv/a HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\nContent-Length: 1\r\n\r\nx`
  wire.send(`${write}${write}no request\r\n\r\n`)
  t.regex(await wire.read(/\r\n\r\ntrue/), /^HTTP\/1\.1 200 /)
  t.regex(await wire.read(/\r\n\r\ntrue/), /^HTTP\/1\.1 200 /)
  t.regex(await wire.read(/Bad request: .+$/), /^HTTP\/1\.1 400 /)
  await wire.closed()
})

test('so does one that reads while a write of another client is not durable yet', async t => {
  const server = await serverInProcess(t)
  const over = new AbortController()
  const write = async (): Promise<void> => {
    for (let i = 0; !over.signal.aborted; i++) await server.send('PUT', '/v1/kv/changing', { body: `x${i}` })
  }
  const writing = write()
  const read = async (): Promise<string> => {
    const wire = await Wire.open(t, server)
    wire.request('GET /v1/kv/changing', [])
    wire.end()
    await wire.closed()
    return wire.unread
  }
  const lost: string[] = []
  for (let round = 0; round < 20; round++) {
    const texts = await Promise.all(Array.from({ length: 10 }, read))
    lost.push(...texts.filter(text => !text.startsWith('HTTP/1.1 ')))
  }
  over.abort()
  await writing
  t.deepEqual(lost, [])
})

test('blocking queries and streams end when their client half-closes its connection', async t => {
  const server = await serverInProcess(t)
  const { headers } = await server.send('GET', '/v1/kv/waited')
  const before = server.app.views.watch.size
  const query = await Wire.open(t, server)
  query.request(`GET /v1/kv/waited?index=${String(headers['x-service-index'])}`, [])
  await until('a query that waits', () => server.app.views.watch.size > before)
  query.end()
  await until('no query that waits', () => server.app.views.watch.size === before)
  const stream = await Wire.open(t, server)
  stream.request('GET /v1/event/stream', [])
  await until('a stream', () => server.app.streams.size === 1)
  stream.end()
  await until('no stream', () => server.app.streams.size === 0)
  t.pass()
})
