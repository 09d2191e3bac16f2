// The network between simulated processes: connections in memory.
import http from 'node:http'
import { Duplex } from 'node:stream'
import type { SimulatedProcess, World } from './world.js'

/** Carries messages from one host to another. Hosts are named like the servers; a restarted server keeps its host. */
interface Link {
  /** True while nothing arrives. Bytes of connections wait, messages of calls are lost. */
  isCut: boolean
  /** Added to the latency, in ms. */
  delay: number
}

/** ECONNRESET and the like, as Node reports them. */
const failure = (code: string): Error => Object.assign(new Error(code), { code })

const LEAST_LATENCY_MS = 0.1
const LATENCY_MS = 0.4
/** How soon bytes that a cut link held up are sent again. */
const RETRY_MS = 50

/** One end of a connection. */
export class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly localAddress = '127.0.0.1'
  remotePort = 1
  connecting = false
  peer: Connection | undefined
  /** Of a connection that was accepted. */
  servedBy: http.Server | undefined
  readonly #waiting: (Buffer | null)[] = []
  #arrivesAt = 0
  #isSending = false

  constructor(
    private readonly network: Network,
    readonly owner: SimulatedProcess
  ) {
    super({ allowHalfOpen: true })
  }

  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send(Buffer.from(chunk))
    done()
  }

  override _final(done: () => void): void {
    this.#send(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { peer } = this
    if (peer && !peer.destroyed)
      this.network.world.after(
        this.network.latency(this.owner, peer.owner),
        () => void (peer.destroyed || peer.destroy(error ? failure('ECONNRESET') : undefined)),
        peer.owner
      )
    done(error)
  }

  /** Connects to the other end. What was written before is sent now. */
  join(peer: Connection): void {
    this.peer = peer
    this.connecting = false
    this.#deliver()
  }

  /** Sends bytes in their order; null ends the stream. */
  #send(piece: Buffer | null): void {
    this.#waiting.push(piece)
    if (!this.#isSending) this.#deliver()
  }

  #deliver(): void {
    const { network, peer, owner } = this
    if (!peer || this.#waiting.length === 0) {
      this.#isSending = false
      return
    }
    this.#isSending = true
    const { world } = network
    const isCut = network.link(owner, peer.owner).isCut
    const wait = isCut ? RETRY_MS : network.latency(owner, peer.owner)
    this.#arrivesAt = Math.max(this.#arrivesAt, world.now + wait)
    // The kernel of a dead process still sends what it has.
    const arrive = (): void => {
      const { frozenUntil } = peer.owner
      if (frozenUntil > world.now) return void world.after(frozenUntil - world.now, arrive, KERNEL)
      if (!isCut) {
        const piece = this.#waiting.shift()
        if (peer.owner.isAlive && !peer.destroyed && piece !== undefined)
          world.as(peer.owner, () => peer.push(piece))
      }
      this.#deliver()
    }
    world.after(this.#arrivesAt - world.now, arrive, KERNEL)
  }
}

/** Owns the deliveries, which also run after the death of a process. */
const KERNEL: SimulatedProcess = {
  name: 'kernel',
  isAlive: true,
  frozenUntil: 0,
  wallOffset: 0,
  hasDecayed: false
}

interface Listener {
  readonly server: http.Server
  readonly owner: SimulatedProcess
}

/** A port or the path of a socket. */
export type Place = number | string

export class Network {
  readonly #links = new Map<string, Link>()
  /** Several share a port. */
  readonly #listeners = new Map<Place, readonly Listener[]>()
  readonly #connections = new Set<Connection>()
  #lastPort = 20_000

  constructor(readonly world: World) {}

  link(from: SimulatedProcess, to: SimulatedProcess): Link {
    const name = `${from.name}>${to.name}`
    const known = this.#links.get(name)
    if (known) return known
    const link = { isCut: false, delay: 0 }
    this.#links.set(name, link)
    return link
  }

  latency(from: SimulatedProcess, to: SimulatedProcess): number {
    return this.link(from, to).delay + LEAST_LATENCY_MS + this.world.random.next() * LATENCY_MS
  }

  /** Ends every fault. */
  heal(): void {
    this.#links.clear()
  }

  /** Resets the connections of a process that was killed, and of its children. */
  drop(process: SimulatedProcess): void {
    const isDropped = ({ owner }: { readonly owner: SimulatedProcess }): boolean =>
      owner === process || owner.parent === process
    for (const place of this.#listeners.keys()) this.#remove(place, isDropped)
    for (const each of this.#connections)
      if (isDropped(each)) {
        this.#connections.delete(each)
        const { peer } = each
        if (peer && !peer.destroyed)
          this.world.after(
            this.latency(process, peer.owner),
            () => peer.destroy(failure('ECONNRESET')),
            peer.owner
          )
      }
  }

  connect(place: Place, owner: SimulatedProcess): Connection {
    const client = this.#connection(owner)
    client.connecting = true
    const listener = this.#listenerAt(place)
    const refuse = (): void => void client.destroy(failure('ECONNREFUSED'))
    if (!listener) {
      this.world.after(LEAST_LATENCY_MS, refuse, owner)
      return client
    }
    const attempt = (): void => {
      const open = this.#listenerAt(place)
      if (client.destroyed) return
      if (!open) return refuse()
      const isCut = this.link(owner, open.owner).isCut || this.link(open.owner, owner).isCut
      const isFrozen = open.owner.frozenUntil > this.world.now
      if (isCut || isFrozen) return void this.world.after(RETRY_MS, attempt, owner)
      const server = this.#connection(open.owner)
      server.servedBy = open.server
      server.join(client)
      this.world.as(open.owner, () => open.server.emit('connection', server))
      client.join(server)
      client.emit('connect')
      client.emit('ready')
    }
    this.world.after(this.latency(owner, listener.owner), attempt, owner)
    return client
  }

  /** Connects two processes of a machine. */
  pair(from: SimulatedProcess, to: SimulatedProcess): readonly [Connection, Connection] {
    const ends = [this.#connection(from), this.#connection(to)] as const
    ends[0].join(ends[1])
    ends[1].join(ends[0])
    return ends
  }

  listen(server: http.Server, wanted: Place, isShared = false): Place {
    const owner = this.world.current
    if (!owner) throw new Error('only a process of the simulation listens')
    const place = wanted === 0 ? ++this.#lastPort : wanted
    const others = this.#listeners.get(place) ?? []
    if (others.length > 0 && !isShared) throw failure('EADDRINUSE')
    this.#listeners.set(place, [...others, { server, owner }])
    return place
  }

  /** Stops listening. Calls `closed` when the last connection has ended. */
  unlisten(server: http.Server, place: Place, closed: () => void): void {
    this.#remove(place, listener => listener.server === server)
    if (server instanceof http.Server) server.closeIdleConnections()
    const look = (): void => {
      const isOpen = [...this.#connections].some(({ servedBy }) => servedBy === server)
      if (isOpen) this.world.after(RETRY_MS, look)
      else closed()
    }
    this.world.after(0, look)
  }

  /** The system chooses among those that share a port. */
  #listenerAt(place: Place): Listener | undefined {
    const listeners = this.#listeners.get(place) ?? []
    return listeners.length > 1 ? listeners[this.world.random.below(listeners.length)] : listeners[0]
  }

  #remove(place: Place, isRemoved: (listener: Listener) => boolean): void {
    const left = (this.#listeners.get(place) ?? []).filter(listener => !isRemoved(listener))
    if (left.length > 0) this.#listeners.set(place, left)
    else this.#listeners.delete(place)
  }

  #connection(owner: SimulatedProcess): Connection {
    const connection = new Connection(this, owner)
    this.#connections.add(connection)
    connection.once('close', () => this.#connections.delete(connection))
    return connection
  }
}
