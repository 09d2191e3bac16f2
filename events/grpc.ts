// gRPC over a connection of HTTP/2 that is kept: one message to a server, and what it answers.
import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions
} from 'node:http2'
import { messageOf, recover } from './errors.js'

/** How a call ended: the numbers of gRPC. */
export const Status = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16
} as const

/** A call has failed: the server said so, or did not answer. */
export class GrpcFailure extends Error {
  override readonly name = 'GrpcFailure'

  constructor(
    readonly code: number,
    details: string,
    options?: ErrorOptions
  ) {
    super(details, options)
  }
}

/** In ms, while calls are open: etcd takes a ping each 5 s, and ends the connection over more. */
const PING_EVERY = 6000
const PING_WITHIN = 3000
/** Bytes that a server may send before they are taken. */
const WINDOW = 4 * 1024 * 1024
/** In front of a message: whether it is compressed, and its length. */
const PREFIX = 5

const framed = (message: Uint8Array): Buffer => {
  const frame = Buffer.allocUnsafe(PREFIX + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, PREFIX)
  return frame
}

/** The messages that some bytes begin with, and the rest. @throws GrpcFailure for one that is compressed, which was not asked for */
const messagesIn = (bytes: Buffer): { readonly messages: readonly Buffer[]; readonly rest: Buffer } => {
  const messages: Buffer[] = []
  let at = 0
  while (at + PREFIX <= bytes.length) {
    const end = at + PREFIX + bytes.readUInt32BE(at + 1)
    if (end > bytes.length) break
    if (bytes[at] !== 0) throw new GrpcFailure(Status.INTERNAL, 'the answer is compressed')
    messages.push(bytes.subarray(at + PREFIX, end))
    at = end
  }
  return { messages, rest: bytes.subarray(at) }
}

async function* messagesOf(answer: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let chunks: Buffer[] = []
  let size = 0
  let needed = PREFIX
  for await (const chunk of answer) {
    chunks.push(chunk)
    size += chunk.length
    if (size < needed) continue
    const { messages, rest } = messagesIn(Buffer.concat(chunks))
    yield* messages
    chunks = [rest]
    size = rest.length
    needed = size < PREFIX ? PREFIX : PREFIX + rest.readUInt32BE(1)
  }
}

const decoded = (text: string): string =>
  recover(
    () => decodeURIComponent(text),
    URIError,
    () => text
  )

/** A call that was sent, and how it ends. */
class Call {
  readonly #timer: NodeJS.Timeout | undefined
  /** Status from the server or from `end`; absent after a connection loss. */
  #end: { readonly code: number; readonly details: string } | undefined
  #error: Error | undefined

  /** @param ms within which it must end; for as long as it likes where absent */
  constructor(
    readonly stream: ClientHttp2Stream,
    ms: number | undefined
  ) {
    if (ms !== undefined)
      this.#timer = setTimeout(() => this.end(Status.DEADLINE_EXCEEDED, 'no answer in time'), ms)
    stream.on('response', headers => this.#read(headers))
    stream.on('trailers', headers => this.#read(headers))
    stream.on('error', error => (this.#error = error))
    stream.once('close', () => clearTimeout(this.#timer))
  }

  /** Why it has failed; undefined when it went well. To be asked when the stream is closed. */
  get failure(): GrpcFailure | undefined {
    if (!this.#end) return this.#lost
    const { code, details } = this.#end
    return code === Status.OK ? undefined : new GrpcFailure(code, details)
  }

  get #lost(): GrpcFailure {
    const cause = this.#error?.cause ?? this.#error
    const details = (cause instanceof Error && cause.message) || 'the connection was lost'
    return new GrpcFailure(Status.UNAVAILABLE, details, { cause })
  }

  /** Ends it, unless it has ended. */
  end(code: number, details: string): void {
    if (this.stream.destroyed) return
    this.#end ??= { code, details }
    this.stream.destroy()
  }

  #read(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): void {
    const { ':status': status = 200, 'grpc-status': code, 'grpc-message': message = '' } = headers
    if (code !== undefined) this.#end ??= { code: Number(code), details: decoded(String(message)) }
    else if (status !== 200) this.#end ??= { code: Status.UNKNOWN, details: `HTTP status ${status}` }
  }
}

/** Connects on the first call, and on the first call after a connection loss. */
export class GrpcConnection {
  #session: Session | undefined
  /** Abandoned sessions with open calls. */
  readonly #left = new Set<Session>()

  /** @param url scheme, host and port. @param tls of each connection. @param headers of each call */
  constructor(
    private readonly url: string,
    private readonly tls: () => SecureClientSessionOptions,
    private readonly headers: () => OutgoingHttpHeaders
  ) {}

  /**
   * Sends one message, once.
   * @param ms within which the answer must come; it may take as long as it likes where absent
   * @param most bytes of the answer; as many as the server sends where absent
   * @returns the one message of the answer
   * @throws GrpcFailure
   */
  ask(path: string, message: Uint8Array, ms: number | undefined, most = Infinity): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const call = this.#begin(path, ms)
      const chunks: Buffer[] = []
      let size = 0
      call.stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > most) call.end(Status.RESOURCE_EXHAUSTED, `the answer has more than ${most} bytes`)
      })
      call.stream.once('close', () => {
        const { failure } = call
        if (failure) return reject(failure)
        try {
          const [answer] = messagesIn(Buffer.concat(chunks)).messages
          if (!answer) throw new GrpcFailure(Status.INTERNAL, 'the answer is none')
          resolve(answer)
        } catch (error) {
          reject(error)
        }
      })
      call.stream.end(framed(message))
    })
  }

  /**
   * Sends one message, and gives those of the answer as they are taken, until it ends.
   * @param signal ends it, without a failure
   * @throws GrpcFailure
   */
  async *stream(path: string, message: Uint8Array, signal?: AbortSignal): AsyncGenerator<Buffer, void> {
    if (signal?.aborted) return
    const call = this.#begin(path, undefined)
    const { stream } = call
    const closed = new Promise(resolve => stream.once('close', resolve))
    const cancel = (): void => call.end(Status.CANCELLED, 'the caller cancelled it')
    signal?.addEventListener('abort', cancel)
    stream.write(framed(message))
    try {
      yield* messagesOf(stream)
    } catch (error) {
      // `call.failure` has the reason.
      if (error instanceof GrpcFailure) throw error
    } finally {
      signal?.removeEventListener('abort', cancel)
      cancel()
    }
    await closed
    if (call.failure && !signal?.aborted) throw call.failure
  }

  /** Abandons an unresponsive connection after its open calls. The next call connects again. */
  leave(): void {
    const session = this.#session
    this.#session = undefined
    if (!session) return
    // Node ends one that was closed in order only when the other side does, too.
    if (session.calls === 0) session.http2.destroy()
    else this.#left.add(session)
  }

  /** Ends it, and all that is under way. */
  close(): void {
    this.#session?.http2.destroy()
    this.#session = undefined
    for (const { http2 } of this.#left) http2.destroy()
    this.#left.clear()
  }

  #begin(path: string, ms: number | undefined): Call {
    const session = this.#connected()
    const stream = session.http2.request({
      ...this.headers(),
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...(ms === undefined ? {} : { 'grpc-timeout': `${Math.ceil(ms)}m` })
    })
    session.calls++
    stream.once('close', () => {
      session.calls--
      if (session.calls === 0 && this.#left.delete(session)) session.http2.destroy()
    })
    return new Call(stream, ms)
  }

  #connected(): Session {
    const known = this.#session
    if (known && !known.http2.closed && !known.http2.destroyed) return known
    try {
      return (this.#session = connected(this.url, this.tls()))
    } catch (cause) {
      // Files of certificates that are being replaced.
      throw new GrpcFailure(Status.UNAVAILABLE, messageOf(cause), { cause })
    }
  }
}

interface Session {
  readonly http2: ClientHttp2Session
  /** Calls that have not ended. */
  calls: number
}

const connected = (url: string, tls: SecureClientSessionOptions): Session => {
  const http2 = connect(url, { ...tls, settings: { initialWindowSize: WINDOW } })
  const session = { http2, calls: 0 }
  const ping = (): void => {
    if (session.calls === 0 || http2.connecting) return
    const late = setTimeout(() => http2.destroy(), PING_WITHIN)
    http2.ping(() => clearTimeout(late))
  }
  const pinging = setInterval(ping, PING_EVERY)
  http2.once('connect', (_session, socket) => {
    if (!http2.destroyed) http2.setLocalWindowSize(WINDOW)
    // Of a certificate that the server refuses after the handshake, as TLS 1.3 has it, Node ends neither the socket nor the session.
    socket.once('error', () => {
      socket.destroy()
      clearInterval(pinging)
    })
  })
  // Each call reports it.
  http2.on('error', () => {})
  http2.once('close', () => clearInterval(pinging))
  return session
}
