// Answers requests that another server forwards together. Each is handled as if it had arrived alone, and answered as soon as it is done.
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { BATCH_TYPE, encodeFrame, FrameReader, type Frame } from './frames.js'

/** The head of a forwarded request. */
export interface ForwardedHead {
  readonly method: string
  readonly url: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/** Handles a request of a batch like one that has arrived alone. */
type HandleForwarded = (request: IncomingMessage, response: ServerResponse) => void

const END_OF_HEAD = '\r\n\r\n'

/** Headers whose first value counts, as Node.js documents it for `message.headers`; other values are joined. */
const SINGLE = new Set(
  (
    'age authorization content-length content-type etag expires from host if-modified-since ' +
    'if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server ' +
    'user-agent'
  ).split(' ')
)

/** Sets the headers of a message as Node.js does for one that has arrived. */
const setHeaders = (message: IncomingMessage, raw: readonly string[]): void => {
  const distinct = new Map<string, string[]>()
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase()
    const value = raw[i + 1] ?? ''
    const values = distinct.get(name)
    if (values) values.push(value)
    else distinct.set(name, [value])
  }
  const joined = [...distinct].map(([name, values]): [string, string] => {
    const [first = ''] = values
    return [name, SINGLE.has(name) ? first : values.join(name === 'cookie' ? '; ' : ', ')]
  })
  message.rawHeaders = [...raw]
  message.headersDistinct = Object.fromEntries(distinct)
  message.headers = Object.fromEntries(joined)
}

interface WrittenChunk {
  readonly chunk: Buffer | string
  readonly encoding: BufferEncoding
}

/** Collects the bytes of one response. */
class ResponseBytes extends Socket {
  readonly #chunks: Buffer[] = []

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.#keep({ chunk, encoding })
    done()
  }

  override _writev(chunks: WrittenChunk[], done: () => void): void {
    for (const one of chunks) this.#keep(one)
    done()
  }

  override _final(done: () => void): void {
    done()
  }

  #keep({ chunk, encoding }: WrittenChunk): void {
    this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)
  }
}

class Batch {
  readonly #reader = new FrameReader()
  readonly #open = new Set<ServerResponse>()
  #answers: Buffer[] = []
  #isFlushing = false
  #isComplete = false

  constructor(
    private readonly carrier: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly handle: HandleForwarded
  ) {}

  /** Handles the requests as they arrive, and answers them. */
  serve(): void {
    const { carrier, response } = this
    response.writeHead(200, { 'Content-Type': BATCH_TYPE })
    // The server that forwarded the requests has disconnected.
    response.once('close', () => {
      for (const open of this.#open) open.destroy()
    })
    carrier.on('data', (chunk: Buffer) => this.#read(chunk))
    carrier.once('end', () => {
      if (this.#reader.isWithinFrame) response.destroy()
      this.#isComplete = true
      this.#flushLater()
    })
  }

  #read(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.read(chunk)) this.#begin(frame)
    } catch {
      // The sender is a server of the cluster, so its bytes were damaged on the way.
      this.response.destroy()
    }
  }

  #begin({ id, head, body }: Frame): void {
    const { method, url, headers }: ForwardedHead = JSON.parse(head)
    const message = new IncomingMessage(this.carrier.socket)
    message.method = method
    message.url = url
    setHeaders(message, headers)
    if (body.length > 0) message.push(body)
    message.push(null)
    message.complete = true
    const response = new ServerResponse(message)
    const socket = new ResponseBytes()
    response.assignSocket(socket)
    this.#open.add(response)
    response.once('finish', () => {
      this.#answer(id, socket.bytes)
      // Node.js closes the response with its connection. Within the callback of a write, that would be an error.
      queueMicrotask(() => socket.destroy())
    })
    response.once('close', () => {
      this.#open.delete(response)
      this.#flushLater()
    })
    this.handle(message, response)
  }

  #answer(id: number, bytes: Buffer): void {
    const end = bytes.indexOf(END_OF_HEAD)
    const head = bytes.toString('latin1', 0, end)
    this.#answers.push(encodeFrame({ id, head, body: bytes.subarray(end + END_OF_HEAD.length) }))
  }

  /** Writes the answers of one turn together. */
  #flushLater(): void {
    if (this.#isFlushing) return
    this.#isFlushing = true
    setImmediate(() => {
      this.#isFlushing = false
      if (this.response.destroyed || this.response.writableEnded) return
      const answers = this.#answers
      this.#answers = []
      if (answers.length > 0) this.response.write(Buffer.concat(answers))
      if (this.#isComplete && this.#open.size === 0) this.response.end()
    })
  }
}

/** Answers the requests of a batch. @param carrier the request whose body they are */
export const serveBatch = (
  carrier: IncomingMessage,
  response: ServerResponse,
  handle: HandleForwarded
): void => {
  new Batch(carrier, response, handle).serve()
}
