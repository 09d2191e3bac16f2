// The connections of a server: which are idle at its end, and on which a request takes too long to arrive. Node's own list
// for this is a tree in the order of time, through which every request goes seven times, past the connections of all
// blocking queries (docs/decisions/0033).
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

const CONNECTION = Symbol('connection')

declare module 'node:net' {
  interface Socket {
    /** Only on the sockets of `Connections`. */
    [CONNECTION]?: Connection
  }
}

/** How often a request that arrives is looked at within its time. */
const LOOKS = 4
const LONGEST_LOOK_MS = 5000

/** Every how many ms connections are looked at, where a request must arrive whole within `longest` ms. */
export const lookInterval = (longest: number): number =>
  longest === 0 ? LONGEST_LOOK_MS : Math.min(Math.ceil(longest / LOOKS), LONGEST_LOOK_MS)

/** What is known of one connection. */
class Connection {
  readonly socket: Socket
  /** The last request whose head has arrived. */
  #last: IncomingMessage | undefined
  #unanswered = 0
  /** How much had arrived when the last answer was sent; undefined when the body of its request was still to come. */
  #read: number | undefined = 0
  /** Since when a request has been arriving, as far as was seen; a time of `performance.now`. */
  #since: number | undefined = performance.now()

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** The head of a request has arrived. */
  begin(request: IncomingMessage): void {
    // With another before it, what was seen arriving was that one.
    if (this.#unanswered > 0) this.#since = undefined
    this.#last = request
    this.#unanswered++
  }

  /** An answer is sent. */
  end(): void {
    this.#unanswered--
    this.#since = undefined
    this.#read = this.#last?.complete ? this.socket.bytesRead : undefined
  }

  /** Whether nothing is under way, in either direction. */
  get isIdle(): boolean {
    if (!this.#last) return this.socket.bytesRead === 0
    return this.#unanswered === 0 && !this.#isArriving()
  }

  /** To be asked again and again: for how long a request has been arriving, in ms. */
  arrivesFor(now: number): number {
    this.#since = this.#isArriving() ? (this.#since ?? now) : undefined
    return now - (this.#since ?? now)
  }

  #isArriving(): boolean {
    if (!this.#last?.complete) return true
    if (this.#unanswered > 0) return false
    return (this.#read ??= this.socket.bytesRead) !== this.socket.bytesRead
  }
}

/**
 * The open connections of a server. A request costs O(1), whatever the number of connections; a look at all of them is taken
 * four times within the time that a request has to arrive, or every five seconds, and takes about 1 ms for 10,000.
 */
export class Connections {
  readonly #open = new Set<Connection>()
  #ending = false

  /** @param longest time in which a request must have arrived whole, in ms, after which the server emits `clientError`; 0 for none */
  constructor(server: Server, longest: number) {
    // It is when it listens that Node begins a list of its own.
    server.removeAllListeners('listening')
    server.on('connection', socket => this.#add(socket))
    server.on('upgrade', ({ socket }) => {
      // From here on it speaks another protocol, or comes as a new connection.
      if (socket[CONNECTION]) this.#open.delete(socket[CONNECTION])
    })
    if (longest === 0) return
    const looks = setInterval(() => this.#look(server, longest), lookInterval(longest)).unref()
    server.on('close', () => clearInterval(looks))
  }

  /** Closes those that are idle now, and whatever connects from now on. */
  close(): void {
    this.#ending = true
    for (const { isIdle, socket } of this.#open) if (isIdle) socket.destroySoon()
  }

  #look(server: Server, longest: number): void {
    const now = performance.now()
    for (const connection of this.#open)
      if (connection.arrivesFor(now) >= longest) {
        this.#open.delete(connection)
        server.emit('clientError', new RequestTimeout(), connection.socket)
      }
  }

  #add(socket: Socket): void {
    if (this.#ending) {
      socket.destroy()
      return
    }
    const connection = new Connection(socket)
    socket[CONNECTION] = connection
    this.#open.add(connection)
    socket.once('close', () => this.#open.delete(connection))
  }
}

/** The error by which Node itself says it. */
class RequestTimeout extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

/** To be called when the head of a request has arrived. */
export const requestBegun = (request: IncomingMessage): void => request.socket[CONNECTION]?.begin(request)

/** To be called when a request is answered. */
export const requestAnswered = (socket: Socket): void => socket[CONNECTION]?.end()
