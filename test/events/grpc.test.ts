// gRPC calls to a server with programmed responses.
import { once } from 'node:events'
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { createServer as createTcpServer, type Server } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { until } from '../support/wait.js'
import { GrpcConnection, GrpcFailure, Status } from '../../events/grpc.js'

const LONG = 60_000
const REQUEST = Buffer.from('asked')

const framed = (text: string): Buffer => {
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(text.length, 1)
  return Buffer.concat([frame, Buffer.from(text)])
}

const connectionTo = (t: ExecutionContext, port: number): GrpcConnection => {
  const connection = new GrpcConnection(
    `http://127.0.0.1:${port}`,
    () => ({}),
    () => ({ hasleader: 'true' })
  )
  t.teardown(() => connection.close())
  return connection
}

const listening = async (t: ExecutionContext, server: Server): Promise<GrpcConnection> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  t.teardown(() => void server.close())
  return connectionTo(t, address.port)
}

/** A server that does this with each call, and a connection to it. */
const answering = async (
  t: ExecutionContext,
  answer: (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void
): Promise<{ readonly connection: GrpcConnection; readonly sessions: readonly ServerHttp2Session[] }> => {
  const sessions: ServerHttp2Session[] = []
  const server = createServer()
  server.on('session', session => sessions.push(session))
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    answer(stream, headers)
  })
  return { connection: await listening(t, server), sessions }
}

const END = { 'grpc-status': '0' }

/** Answers with some bytes, and then a status. */
const respond = (stream: ServerHttp2Stream, chunks: readonly Uint8Array[], trailers: object = END): void => {
  stream.respond({ ':status': 200 }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ ...trailers }))
  for (const chunk of chunks) stream.write(chunk)
  stream.end()
}

const failsWith = (t: ExecutionContext, call: Promise<unknown>, code: number): Promise<GrpcFailure> =>
  t.throwsAsync(call, { instanceOf: GrpcFailure, code })

const all = async (messages: AsyncIterable<Buffer>): Promise<readonly string[]> => {
  const list: string[] = []
  for await (const message of messages) list.push(message.toString())
  return list
}

test('a message is answered by a message', async t => {
  const asked: unknown[] = []
  const { connection, sessions } = await answering(t, (stream, headers) => {
    asked.push(headers[':path'], headers['hasleader'], headers['grpc-timeout'])
    stream.on('data', (chunk: Buffer) => asked.push(chunk))
    stream.on('end', () => respond(stream, [framed('answer')]))
  })
  t.is(String(await connection.ask('/KV/Txn', REQUEST, LONG)), 'answer')
  t.deepEqual(asked, ['/KV/Txn', 'true', `${LONG}m`, framed('asked')])
  await connection.ask('/KV/Txn', REQUEST, LONG)
  t.is(sessions.length, 1)
})

test('messages come as they are sent, however they are cut', async t => {
  const bytes = Buffer.concat(['one', '', 'x'.repeat(100_000), 'four'].map(framed))
  const { connection } = await answering(t, stream =>
    respond(stream, [
      bytes.subarray(0, 3),
      bytes.subarray(3, 9),
      bytes.subarray(9, 50_000),
      bytes.subarray(50_000)
    ])
  )
  t.deepEqual(await all(connection.stream('/Watch', REQUEST)), ['one', '', 'x'.repeat(100_000), 'four'])
})

test('a failure has the code and message of the server', async t => {
  const failure = { 'grpc-status': '8', 'grpc-message': 'no %22space%22' }
  const { connection } = await answering(t, (stream, { ':path': path }) => {
    if (path === '/headers') stream.respond({ ':status': 200, ...failure }, { endStream: true })
    else if (path === '/trailers') respond(stream, [framed('one')], failure)
    else stream.respond({ ':status': 404 }, { endStream: true })
  })
  for (const path of ['/headers', '/trailers']) {
    const { message } = await failsWith(t, connection.ask(path, REQUEST, LONG), Status.RESOURCE_EXHAUSTED)
    t.is(message, 'no "space"')
    await failsWith(t, all(connection.stream(path, REQUEST)), Status.RESOURCE_EXHAUSTED)
  }
  await failsWith(t, connection.ask('/else', REQUEST, LONG), Status.UNKNOWN)
})

test('a call ends at its deadline, also when no connection was made', async t => {
  const silent = createTcpServer(socket => void socket.on('error', () => {}).pause())
  const connection = await listening(t, silent)
  await failsWith(t, connection.ask('/KV/Txn', REQUEST, 1), Status.DEADLINE_EXCEEDED)
})

test('what breaks off fails, and is sent by the next call alone', async t => {
  let calls = 0
  const { connection, sessions } = await answering(t, stream => {
    if (++calls > 2) respond(stream, [framed('answer')])
    else {
      stream.respond({ ':status': 200 })
      stream.write(framed('one'))
      stream.session?.destroy()
    }
  })
  await failsWith(t, connection.ask('/KV/Txn', REQUEST, LONG), Status.UNAVAILABLE)
  await failsWith(t, all(connection.stream('/Watch', REQUEST)), Status.UNAVAILABLE)
  t.is(calls, 2)
  t.is(String(await connection.ask('/KV/Txn', REQUEST, LONG)), 'answer')
  t.is(sessions.length, 3)
})

test('a refused connection fails at once', async t => {
  // A port that the system gives to no server; one that was just closed may be another test's by now.
  const connection = connectionTo(t, 1)
  const { message } = await failsWith(t, connection.ask('/KV/Txn', REQUEST, LONG), Status.UNAVAILABLE)
  t.regex(message, /ECONNREFUSED/)
})

test('a stream ends by its signal, without a failure', async t => {
  const ended = new AbortController()
  const { connection } = await answering(t, stream => {
    stream.respond({ ':status': 200 })
    stream.write(framed('one'))
    stream.once('close', () => t.pass())
  })
  for await (const message of connection.stream('/Watch', REQUEST, ended.signal)) {
    t.is(message.toString(), 'one')
    ended.abort()
  }
  t.deepEqual(await all(connection.stream('/Watch', REQUEST, ended.signal)), [])
})

test('a connection that is left ends what is under way in its own time, and the next call makes another one', async t => {
  const held: ServerHttp2Stream[] = []
  const { connection, sessions } = await answering(t, (stream, { ':path': path }) => {
    if (path === '/second') respond(stream, [framed('second')])
    else held.push(stream)
  })
  const first = connection.ask('/first', REQUEST, LONG)
  while (held.length === 0) await new Promise(setImmediate)
  connection.leave()
  t.is(String(await connection.ask('/second', REQUEST, LONG)), 'second')
  t.is(sessions.length, 2)
  for (const stream of held) respond(stream, [framed('first')])
  t.is(String(await first), 'first')
})

test('an unrequested compressed response fails only its call', async t => {
  const compressed = framed('answer')
  compressed[0] = 1
  const { connection } = await answering(t, stream => respond(stream, [compressed]))
  await failsWith(t, connection.ask('/KV/Txn', REQUEST, LONG), Status.INTERNAL)
  await failsWith(t, all(connection.stream('/Watch', REQUEST)), Status.INTERNAL)
})

test('closing also ends an abandoned connection with open calls', async t => {
  const { connection, sessions } = await answering(t, () => {})
  const asked = t.throwsAsync(connection.ask('/KV/Txn', REQUEST, LONG), { instanceOf: GrpcFailure })
  await until('the call has arrived', () => sessions.length === 1)
  connection.leave()
  connection.close()
  await asked
})
