import { connect } from 'node:net'
import test from 'ava'
import { WebSocket } from 'ws'
import type { Scope } from '../../support/process.js'
import { ROOT, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { Wire } from '../../support/raw-connection.js'
import { createToken } from '../support.js'
import { commit, event, read, streamServer, writeUntilClosed } from './streams.js'

interface Reader {
  readonly socket: WebSocket
  readonly lines: string[]
  /** The code with which it was closed. */
  readonly closed: () => number | undefined
}

const open = (t: Scope, { port }: TestServer, query: string, token = ROOT): Reader => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/event/stream?${query}`, {
    headers: { 'X-Service-Token': token }
  })
  t.teardown(() => socket.terminate())
  const lines: string[] = []
  let code: number | undefined
  socket.on('message', (data: Buffer) => lines.push(data.toString()))
  socket.on('close', closed => (code = closed))
  socket.on('error', () => {})
  return { socket, lines, closed: () => code }
}

const has = (reader: Reader, count: number) => until(`${count} messages`, () => reader.lines.length >= count)

test('a WebSocket carries the same messages, one in each frame', async t => {
  const server = await streamServer(t, { limits: { recentCommits: 8 } })
  for (let i = 0; i < 50; i++) commit(server, event('KV', `k${i}`))
  await server.app.committer.durable()
  const [plain, reader] = [await read(t, server, 'index=1'), open(t, server, 'index=1')]
  const index = commit(server, event('KV', 'live'))
  await plain.upTo(index)
  await has(reader, index + 1)
  const isMessage = (line: string): boolean => line !== '{}'
  t.is(reader.lines[0], '{}')
  t.deepEqual(reader.lines.filter(isMessage), plain.lines.filter(isMessage))
})

test('a WebSocket that is refused gets the same answer as a request', async t => {
  const server = await streamServer(t)
  const { SecretID } = await createToken(server)
  const answer = (query: string, token?: string) =>
    new Promise<string>(resolve => {
      const { socket } = open(t, server, query, token)
      socket.on('unexpected-response', (_request, response) => {
        let text = `${response.statusCode} `
        response.on('data', (data: Buffer) => (text += data.toString()))
        response.on('end', () => resolve(text))
      })
    })
  t.regex(await answer('', SecretID), /^403 Permission denied/)
  t.regex(await answer('index=x'), /^400 Unable to parse index/)
  t.is(server.app.streams.size, 0)
})

test('a deleted token closes its WebSocket after a last message', async t => {
  const server = await streamServer(t)
  const { AccessorID, SecretID } = await createToken(server, { Policies: [{ Name: 'global-management' }] })
  const reader = open(t, server, 'topic=KV', SecretID)
  await has(reader, 1)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  await until('the end', () => reader.closed() !== undefined)
  t.is(reader.closed(), 1000)
  t.like(JSON.parse(reader.lines.at(-1) ?? ''), { Error: { Code: 403 } })
})

test('the end of the server closes a WebSocket after a last message, and a client that goes away leaves nothing', async t => {
  const server = await streamServer(t)
  const [reader, gone] = [open(t, server, 'topic=KV'), open(t, server, 'topic=KV')]
  await Promise.all([has(reader, 1), has(gone, 1)])
  gone.socket.terminate()
  await until('one stream', () => server.app.streams.size === 1)
  await server.close()
  await until('the end', () => reader.closed() !== undefined)
  t.like(JSON.parse(reader.lines.at(-1) ?? ''), { Error: { Code: 503 } })
})

test('an idle WebSocket is not taken for a stuck one', async t => {
  const server = await streamServer(t, { stream: { write_timeout: 50, heartbeat: 400 } })
  const reader = open(t, server, 'topic=KV')
  await has(reader, 3)
  t.is(reader.socket.readyState, WebSocket.OPEN)
})

test('a reader of a WebSocket that takes nothing is closed', async t => {
  const server = await streamServer(t, { stream: { write_timeout: 300 } })
  const reader = open(t, server, `topic=KV&index=${server.app.views.index + 1}`)
  await has(reader, 1)
  reader.socket.pause()
  await writeUntilClosed(server)
  t.pass()
})

test('a wish for another protocol is passed over, and the request answered with its body', async t => {
  const server = await streamServer(t)
  const body = JSON.stringify({ Description: 'upgraded' })
  const socket = connect(server.port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', data => (text += data.toString()))
  const head = [
    'PUT /v1/acl/token HTTP/1.1',
    'Host: localhost',
    `X-Service-Token: ${ROOT}`,
    `Content-Length: ${body.length}`,
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAAP__'
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`)
  // Answered after the head above has arrived.
  await server.send('GET', '/v1/status/leader')
  socket.write(body.slice(5))
  await until('an answer', () => text.includes('"Description":"upgraded"'))
  t.regex(text, /^HTTP\/1\.1 200 OK/)
  text = ''
  socket.write(`GET /v1/acl/token/self HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\n\r\n`)
  await until('an answer on the same connection', () => text.includes('global-management'))
})

test('a WebSocket that is asked for before an earlier request is answered is refused, in its turn', async t => {
  const server = await streamServer(t)
  const wire = await Wire.open(t, server)
  const write = `PUT /v1/kv/earlier HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\nContent-Length: 1\r\n\r\nx`
  const wish = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
  wire.send(
    `${write}GET /v1/event/stream HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${ROOT}\r\n${wish.join('\r\n')}\r\n\r\n`
  )
  t.regex(await wire.read(/\r\n\r\ntrue/), /^HTTP\/1\.1 200 /)
  t.regex(await wire.read(/Try again on another one/), /^HTTP\/1\.1 503 /)
  wire.request('GET /v1/kv/earlier?raw', [])
  await wire.read(/\r\n\r\nx$/)
  t.is(server.app.streams.size, 0)
})

test('a connection that served a request becomes a WebSocket, which ends with its client', async t => {
  const server = await streamServer(t)
  const wire = await Wire.open(t, server)
  wire.request('PUT /v1/kv/earlier', ['Content-Length: 1'], 'x')
  await wire.read(/\r\n\r\ntrue$/)
  const wish = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
  wire.request('GET /v1/event/stream', [...wish, 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='])
  await wire.read(/^HTTP\/1\.1 101 /)
  await until('a stream', () => server.app.streams.size === 1)
  wire.end()
  await wire.closed()
  await until('the end of the stream', () => server.app.streams.size === 0)
  t.is((await server.send('GET', '/v1/status/leader')).status, 200)
})

test('a WebSocket that was denied is counted as one denial', async t => {
  const server = await streamServer(t)
  const { SecretID } = await createToken(server)
  const { socket } = open(t, server, '', SecretID)
  await new Promise(resolve => socket.once('unexpected-response', resolve))
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  t.regex(text, /^annals_acl_denials_total\{permission="[^"]+"\} 1$/m)
})
