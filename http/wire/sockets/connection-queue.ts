// Requests of one connection: each is handled after the answer to the one before, and meanwhile no more of them are read.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Lifecycle, scoped } from 'tsyringe'
import { LiveSettings } from '../../../server/settings/live-settings.js'
import { OutputBackpressure } from './output-backpressure.js'

interface Turn {
  readonly response: ServerResponse
  readonly proceed: () => void
}

/** What is done with a connection whose bytes cannot be read any further. */
interface ConnectionClosing {
  /** They belonged to a request that was answered before it had come whole. */
  readonly answered: () => void
  /** Nobody was told of them yet. Called when the requests before them are answered. */
  readonly unanswered: () => void
}

/** The requests of one connection. */
class Connection {
  /** Those whose turn has not come. */
  readonly #waiting: Turn[] = []
  #current: ServerResponse | undefined
  /** Whether the current request, not answered yet, is to be answered whatever its client does. */
  #isHeld = false
  /** Whether it is to end when its client goes away. */
  #isListening = false
  /** To be done when every request that arrived whole is answered. */
  #last: (() => void) | undefined
  /** Whose end is listened for. */
  #awaited: ServerResponse | undefined

  constructor(
    private readonly socket: Socket,
    private readonly isDrained: () => boolean
  ) {}

  arrive(turn: Turn): void {
    if (this.isFree) this.#begin(turn)
    else {
      this.#waiting.push(turn)
      this.#awaitEnd()
      this.#readOrNot()
    }
  }

  /** Nothing more arrives. */
  close(closing: ConnectionClosing): void {
    const { answered, unanswered } = closing
    if (this.#current?.writableEnded && !this.#current.req.complete) return answered()
    if (this.#waiting.at(-1)?.response.req.complete === false) this.#waiting.pop()
    if (this.isFree || this.#current?.req.complete === false) return unanswered()
    this.#last = unanswered
    this.#awaitEnd()
    this.#readOrNot()
  }

  hold(): void {
    if (this.#isListening) return
    this.#isHeld = true
    this.#awaitEnd()
    this.#readOrNot()
  }

  listen(): void {
    this.#isListening = true
    this.#isHeld = false
    this.#readOrNot()
  }

  /** Whether a request that arrives now would be handled at once. */
  get isFree(): boolean {
    return this.#waiting.length === 0 && this.#mayBegin()
  }

  #mayBegin(): boolean {
    return (!this.#current || this.#current.writableEnded) && this.isDrained()
  }

  #begin({ response, proceed }: Turn): void {
    this.#current = response
    this.#isListening = false
    proceed()
  }

  #awaitEnd(): void {
    if (this.#awaited === this.#current) return
    this.#awaited = this.#current
    this.#current?.once('close', () => this.#goOn())
  }

  #goOn(): void {
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

  #readOrNot(): void {
    const isPaused = this.#isHeld || this.#waiting.length > 0 || this.#last !== undefined
    if (isPaused === this.socket.isPaused()) return
    if (isPaused) this.socket.pause()
    else this.socket.resume()
  }
}

/** Has the requests of each connection handled in the order in which they came. */
@scoped(Lifecycle.ContainerScoped)
export class ConnectionQueue {
  readonly #connections = new WeakMap<Duplex, Connection>()

  constructor(
    private readonly unsent: OutputBackpressure,
    private readonly settings: LiveSettings
  ) {}

  /** Calls `proceed` when it is the request's turn: in general at once, and never when its connection is closed before. */
  await({ socket }: IncomingMessage, response: ServerResponse, proceed: () => void): void {
    let connection = this.#connections.get(socket)
    if (!connection) {
      connection = new Connection(socket, () => this.#isDrained(socket))
      this.#connections.set(socket, connection)
    }
    connection.arrive({ response, proceed })
  }

  /** Whether so little waits to be sent on a connection that a further request is handled. */
  #isDrained(socket: Socket): boolean {
    return this.unsent.of(socket) <= this.settings.current.limits.http_unsent_bytes
  }

  /** Whether every earlier request of a connection is answered. */
  isFree(socket: Socket): boolean {
    return this.#connections.get(socket)?.isFree ?? true
  }

  /** Has a connection closed in the way that fits what was read of it, after the answers to what came whole. */
  close(socket: Duplex, closing: ConnectionClosing): void {
    const connection = this.#connections.get(socket)
    if (connection) connection.close(closing)
    else closing.unanswered()
  }

  /**
   * Reads no more of a connection until its request, which has arrived whole, is answered. So a client that says that it sends
   * no more, upon which Node ends the connection, still gets its answer.
   */
  hold({ socket }: IncomingMessage): void {
    this.#connections.get(socket)?.hold()
  }

  /** Reads on: the request may take long, and is to end when its client goes away. */
  listen({ socket }: IncomingMessage): void {
    this.#connections.get(socket)?.listen()
  }
}
