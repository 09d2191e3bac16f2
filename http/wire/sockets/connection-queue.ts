// Sequential handling of the requests of one connection. Reading is paused while requests wait, and the end of the client's requests is noticed
// when they are answered.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Lifecycle, scoped } from 'tsyringe'
import { LiveSettings } from '../../../server/settings/live-settings.js'

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
  /** True if the client sends nothing further, which Node does not know yet. */
  #isEndWithheld = false
  readonly #endListeners: readonly Function[]

  constructor(
    private readonly socket: Socket,
    private readonly output: OutputBackpressure,
    private readonly settings: LiveSettings,
    private readonly proceed: Proceed
  ) {
    // Node ends a connection as soon as its client does. Pausing the reads until the response is written would cost a tenth of a write.
    this.#endListeners = socket.rawListeners('end')
    socket.removeAllListeners('end').on('end', this.#onEnd)
  }

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
    if (!this.#isListening) this.#isHeld = true
  }

  /** The current response is complete. */
  ended(): void {
    this.#isHeld = false
    this.#endIfAnswered()
  }

  /** Leaves the end of the client's bytes to others: the connection has no further requests. */
  upgraded(): void {
    this.socket.off('end', this.#onEnd)
  }

  holdUntilClosed(): void {
    this.hold()
    this.#awaitEnd()
  }

  listen(): void {
    this.#isListening = true
    this.ended()
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
    this.#endIfAnswered()
  }

  readonly #onEnd = (): void => {
    this.#isEndWithheld = true
    this.#endIfAnswered()
  }

  #endIfAnswered(): void {
    if (!this.#isEndWithheld || this.#isHeld || this.#waiting.length > 0) return
    this.#isEndWithheld = false
    for (const listener of this.#endListeners) listener.call(this.socket)
  }

  /** Pauses again after the end of a message without a body: Node announces its request before, and then resumes reading in a tick. */
  #pause({ req }: ServerResponse): void {
    this.#readOrNot()
    if (!req.complete) process.nextTick(() => process.nextTick(() => this.#readOrNot()))
  }

  #readOrNot(): void {
    const isPaused = this.#waiting.length > 0 || this.#last !== undefined
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
    return this.#refusalOver(this.output.total)
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
   * Ignores the end of the client's bytes until the current, completely received request is answered with `ended`. This way a client that
   * half-closes its connection, upon which Node ends it, still receives its response.
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

  /** Counts the bytes of a response that is written in several turns, until whose end that of the client is ignored. */
  begun(response: ServerResponse, bytes: number): void {
    this.output.note(response, bytes)
    this.hold(response.req)
  }

  /** Counts the unsent bytes of a response that was ended, unless they are counted already. */
  ended(response: ServerResponse, isCounted = false): void {
    if (!isCounted && response.writableLength > 0) this.output.note(response, response.writableLength)
    this.#connections.get(response.req.socket)?.ended()
  }

  /** Leaves a connection to the protocol that it was upgraded to. */
  upgraded(socket: Duplex): void {
    this.#connections.get(socket)?.upgraded()
  }

  /** Heeds the end of a long request's client. */
  listen({ socket }: IncomingMessage): void {
    this.#connections.get(socket)?.listen()
  }
}
