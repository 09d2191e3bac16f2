// What the server's edge knows of a request before any route looks at it.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { BodyFile } from './body-files.js'

/** A request whose head has arrived. */
export interface Arrived {
  readonly raw: IncomingMessage
  readonly method: string
  /** Of the path. */
  readonly params: unknown
  /** Address of the client. */
  readonly ip: string
}

/** Where its answer goes. */
export interface Leaving {
  readonly raw: {
    readonly destroyed: boolean
    once(event: 'close', listener: () => void): unknown
    off(event: 'close', listener: () => void): unknown
  }
}

/** Everything is read from the socket's own objects when it is asked for. */
export class Incoming {
  static #count = 0
  /** All of it; undefined when the request has none, or it went to a file. */
  readonly body: Buffer | undefined
  /** The body of a request to a `fileRoute`. */
  readonly file: BodyFile | undefined
  readonly #request: Arrived
  readonly #reply: Leaving
  readonly #closing: AbortSignal
  readonly #listen: () => void
  #id = 0

  /**
   * @param closing aborts when the server begins to end
   * @param listen has the connection read on, which alone shows that the client goes away
   */
  constructor(
    request: Arrived,
    reply: Leaving,
    body: Buffer | BodyFile | undefined,
    closing: AbortSignal,
    listen: () => void
  ) {
    this.#listen = listen
    if (Buffer.isBuffer(body)) this.body = body
    else this.file = body
    this.#request = request
    this.#reply = reply
    this.#closing = closing
  }

  get method(): string {
    return this.#request.method
  }

  get url(): string {
    return this.#request.raw.url ?? ''
  }

  get headers(): IncomingHttpHeaders {
    return this.#request.raw.headers
  }

  /** A header's first value by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /** The parameters of the path, decoded. */
  get params(): Readonly<Record<string, string>> {
    const { params } = this.#request
    return isParams(params) ? params : {}
  }

  /** Address of the client: that of the peer, or what it says of whom it forwards for (`http.trusted_proxies`). */
  get address(): string {
    return this.#request.ip ?? ''
  }

  /** Names the request in logs and commits; unique as long as the process lives. */
  get id(): string {
    this.#id ||= ++Incoming.#count
    return `${process.pid}-${this.#id}`
  }

  /** Whether nobody waits for the answer any more, or the server ends. */
  get isGone(): boolean {
    return this.#closing.aborted || this.#reply.raw.destroyed
  }

  /** Calls when the client goes away; not when the server ends, which touches every watch key. Returns how to stop. */
  onGone(listener: () => void): () => void {
    const { raw } = this.#reply
    this.#listen()
    raw.once('close', listener)
    return () => void raw.off('close', listener)
  }
}

const isParams = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null
