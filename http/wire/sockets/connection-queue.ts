// Sequential handling of the requests of one connection. Reading is paused while requests wait.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Lifecycle, scoped } from 'tsyringe'
import { LiveSettings } from '../../../server/settings/settings.js'

/** Counts the bytes of complete responses that are not sent yet. Streams limit their own output. */
@scoped(Lifecycle.ContainerScoped)
export class OutputBackpressure {
  readonly #of = new Map<Socket, number>()
  readonly #heard = new WeakSet<Socket>()
  /** The bytes of all connections. */
  total = 0
  /** The bytes of bodies that are being compressed. */
  compressing = 0

  of(socket: Socket): number {
    return this.#of.get(socket) ?? 0
  }

  /** Counts bytes of a response until it is sent. */
  note(response: ServerResponse, bytes: number): void {
    const { socket } = response.req
    this.#hear(socket)
    this.#set(socket, this.of(socket) + bytes)
    // Before the next request of the connection, which may wait for the same event.
    response.prependOnceListener('close', () => {
      if (this.#of.has(socket)) this.#set(socket, this.of(socket) - bytes)
    })
  }

  /** A queued response does not emit `close` when its connection closes. */
  #hear(socket: Socket): void {
    if (this.#heard.has(socket)) return
    this.#heard.add(socket)
    socket.once('close', () => this.#set(socket, 0))
  }

  #set(socket: Socket, bytes: number): void {
    this.total += bytes - this.of(socket)
    if (bytes > 0) this.#of.set(socket, bytes)
    else this.#of.delete(socket)
  }
}

type Proceed = (message: IncomingMessage, response: ServerResponse) => void

interface ConnectionClosing {
  /** The unreadable bytes belong to a request that was answered before it was complete. */
  readonly answered: () => void
  /** The bytes have not been answered yet. Called after the responses to earlier requests. */
  readonly unanswered: () => void
}

class Connection {
  readonly #waiting: ServerResponse[] = []
  #current: ServerResponse | undefined
  #isHeld = false
  #isListening = false
  #last: (() => void) | undefined
  #awaited: ServerResponse | undefined

  constructor(
    private readonly socket: Socket,
    private readonly output: OutputBackpressure,
    private readonly settings: LiveSettings,
    private readonly proceed: Proceed
  ) {}

  arrive(response: ServerResponse): void {
    if (this.#waiting.length === 0 && this.#mayBegin()) this.#begin(response)
    else {
      this.#waiting.push(response)
      this.#awaitEnd()
      this.#pause(response)
    }
  }

  close(closing: ConnectionClosing): void {
    const { answered, unanswered } = closing
    if (this.#current?.writableEnded && !this.#current.req.complete) return answered()
    if (this.#waiting.at(-1)?.req.complete === false) this.#waiting.pop()
    if (this.isFree || this.#current?.req.complete === false) return unanswered()
    this.#last = unanswered
    this.#awaitEnd()
    this.#readOrNot()
  }

  hold(): void {
    if (this.#isListening || this.#isHeld) return
    this.#isHeld = true
    // A waiting request pauses reading. Pausing between its end and the tick in which Node resumes reading would not stop that.
    if (this.#current && this.#waiting.length === 0) this.#pause(this.#current)
  }

  /** The current response is complete, so reading may resume. */
  ended(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#readOrNot()
  }

  holdUntilClosed(): void {
    this.hold()
    this.#awaitEnd()
  }

  listen(): void {
    this.#isListening = true
    this.#isHeld = false
    this.#readOrNot()
  }

  /** True if a request that arrives now would be handled immediately: little enough output is pending, and no earlier request. */
  get isFree(): boolean {
    return this.#waiting.length === 0 && this.#mayBegin()
  }

  #mayBegin(): boolean {
    if (this.#current && !this.#current.writableEnded) return false
    return (
      this.output.total === 0 || this.output.of(this.socket) <= this.settings.current.limits.http_unsent_bytes
    )
  }

  #begin(response: ServerResponse): void {
    this.#current = response
    this.#isListening = false
    this.proceed(response.req, response)
  }

  #awaitEnd(): void {
    if (this.#awaited === this.#current) return
    this.#awaited = this.#current
    this.#current?.once('close', () => this.#next())
  }

  #next(): void {
    this.#isHeld = false
    if (this.socket.destroyed) {
      this.#waiting.length = 0
      return
    }
    while (this.#waiting.length > 0 && this.#mayBegin()) {
      const next = this.#waiting.shift()
      if (next) this.#begin(next)
    }
    if (this.#last && this.isFree) this.#last()
    else if (this.#last || this.#waiting.length > 0) this.#awaitEnd()
    this.#readOrNot()
  }

  /** Pauses again after the end of a message without a body: Node announces its request before, and then resumes reading in a tick. */
  #pause({ req }: ServerResponse): void {
    this.#readOrNot()
    if (!req.complete) process.nextTick(() => process.nextTick(() => this.#readOrNot()))
  }

  #readOrNot(): void {
    const isPaused = this.#isHeld || this.#waiting.length > 0 || this.#last !== undefined
    if (isPaused === this.socket.isPaused()) return
    if (isPaused) this.socket.pause()
    else this.socket.resume()
  }
}

@scoped(Lifecycle.ContainerScoped)
export class ConnectionQueue {
  readonly #connections = new WeakMap<Duplex, Connection>()

  constructor(
    private readonly output: OutputBackpressure,
    private readonly settings: LiveSettings
  ) {}

  /**
   * Calls `proceed` when all earlier requests of the connection are answered; never if the connection closes first.
   * @param proceed the same for all requests of a connection
   */
  await({ socket }: IncomingMessage, response: ServerResponse, proceed: Proceed): void {
    let connection = this.#connections.get(socket)
    if (!connection) {
      connection = new Connection(socket, this.output, this.settings, proceed)
      this.#connections.set(socket, connection)
    }
    connection.arrive(response)
  }

  /** The reason to reject requests while too much output of all connections waits; undefined otherwise. */
  get outputRefusal(): string | undefined {
    return this.output.total === 0 ? undefined : this.#refusalOver(this.output.total)
  }

  /** The same for long answers, which may not follow too much that is being compressed. */
  get longOutputRefusal(): string | undefined {
    return this.#refusalOver(this.output.total + this.output.compressing)
  }

  #refusalOver(waiting: number): string | undefined {
    if (waiting === 0) return undefined
    const most = this.settings.current.limits.http_unsent_bytes_total
    if (waiting <= most) return undefined
    return `Too much waits to be read by others: the limit is ${most} bytes (limits.http_unsent_bytes_total). Try again later`
  }

  isFree(socket: Socket): boolean {
    return this.#connections.get(socket)?.isFree ?? true
  }

  close(socket: Duplex, closing: ConnectionClosing): void {
    const connection = this.#connections.get(socket)
    if (connection) connection.close(closing)
    else closing.unanswered()
  }

  /**
   * Pauses reading until the current, completely received request is answered with `ended`. This way a client that half-closes its
   * connection, upon which Node ends it, still receives its response.
   */
  hold({ socket }: IncomingMessage): void {
    this.#connections.get(socket)?.hold()
  }

  /** Like `hold`, for a response that something else writes and ends. */
  holdUntilClosed({ socket }: IncomingMessage): void {
    this.#connections.get(socket)?.holdUntilClosed()
  }

  /** Counts the bytes of a body while it is compressed. */
  async whileCompressing<Packed>(bytes: number, packed: Promise<Packed>): Promise<Packed> {
    this.output.compressing += bytes
    try {
      return await packed
    } finally {
      this.output.compressing -= bytes
    }
  }

  /** Counts the bytes of a response that is written in several turns, and pauses reading until it is ended. */
  begun(response: ServerResponse, bytes: number): void {
    this.output.note(response, bytes)
    this.hold(response.req)
  }

  /** Counts the unsent bytes of a response that was ended, unless they are counted already, and resumes reading. */
  ended(response: ServerResponse, isCounted = false): void {
    if (!isCounted && response.writableLength > 0) this.output.note(response, response.writableLength)
    this.#connections.get(response.req.socket)?.ended()
  }

  /** Resumes reading, so that the end of a long request's client is noticed. */
  listen({ socket }: IncomingMessage): void {
    this.#connections.get(socket)?.listen()
  }
}
