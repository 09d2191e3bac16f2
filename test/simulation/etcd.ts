// A simulated etcd below the client: gRPC calls with real messages, which the network delays and loses.
import { GrpcConnection, GrpcFailure, Status } from '../../events/grpc.js'
import {
  readCompaction,
  readGrant,
  readKeepAlive,
  readRange,
  readRevocation,
  readTransaction,
  readWatch,
  written
} from './etcd-messages.js'
import { EtcdRefusal, EtcdStore } from './etcd-store.js'
import type { Network } from './network.js'
import type { SimulatedProcess, World } from './world.js'

const WATCH = '/etcdserverpb.Watch/Watch'
/** In ms. */
const RETRY = 50
const CONNECTION_LOST = 9000
const EXPIRY_CHECK = 100
const WITHOUT_DELETIONS = 1

/** Which calls of etcd fail. */
interface EtcdFaults {
  /** Every request waits while it has no leader. */
  hasLeader: boolean
  /** The share of calls that are carried out without an answer. */
  unanswered: number
}

export class SimulatedEtcd {
  readonly host: SimulatedProcess
  readonly store: EtcdStore
  readonly faults: EtcdFaults = { hasLeader: true, unanswered: 0 }

  constructor(readonly network: Network) {
    const { world } = network
    this.host = world.process('etcd')
    this.store = new EtcdStore(() => world.now)
    const expire = (): void => {
      // Without a leader no lease expires, and a new one renews all of them.
      if (this.faults.hasLeader) this.store.expire()
      else this.store.extendLeases(EXPIRY_CHECK)
      world.after(EXPIRY_CHECK, expire, this.host)
    }
    world.after(EXPIRY_CHECK, expire, this.host)
  }

  get world(): World {
    return this.network.world
  }

  /** Carries out a call. @throws EtcdRefusal */
  answer(path: string, message: Uint8Array): Buffer {
    const header = () => ({ header: { revision: this.store.revision } })
    switch (path.slice('/etcdserverpb.'.length)) {
      case 'KV/Range':
        return written('RangeResponse', { ...this.store.range(readRange(message)), ...header() })
      case 'KV/Txn': {
        const { compare, success, failure } = readTransaction(message)
        return written('TxnResponse', { ...this.store.transact(compare, success, failure), ...header() })
      }
      case 'KV/Compact':
        this.store.compact(readCompaction(message).revision)
        return written('CompactionResponse', header())
      case 'Maintenance/Status':
        return written('StatusResponse', { ...header(), errors: [], dbSizeInUse: 0 })
      case 'Lease/LeaseGrant': {
        const { ID, TTL } = readGrant(message)
        this.store.grant(ID, TTL)
        return written('LeaseGrantResponse', { ID, TTL })
      }
      case 'Lease/LeaseKeepAlive': {
        const { ID } = readKeepAlive(message)
        return written('LeaseKeepAliveResponse', { ID, TTL: this.store.renew(ID) })
      }
      case 'Lease/LeaseRevoke':
        this.store.revoke(readRevocation(message).ID)
        return written('LeaseRevokeResponse', {})
      default:
        throw new EtcdRefusal(Status.UNIMPLEMENTED, path)
    }
  }

  /** Begins a call of the running process. `over` is called with its end; returns a function that abandons it. */
  call(path: string, message: Uint8Array, ms: number | undefined, over: CallEnd): () => void {
    const { world } = this
    const owner = this.#caller()
    let isOpen = true
    const end = (result: Buffer | GrpcFailure): void => {
      if (!isOpen) return
      isOpen = false
      cancel()
      over(result)
    }
    const lost = (): void => end(new GrpcFailure(Status.UNAVAILABLE, 'the connection was lost'))
    const late = (): void => end(new GrpcFailure(Status.DEADLINE_EXCEEDED, 'no answer in time'))
    const cancel = world.after(ms ?? CONNECTION_LOST, ms === undefined ? lost : late)
    const isLostWhenCut = world.random.below(2) === 0
    this.#send(owner, this.host, isLostWhenCut, () => {
      const result = this.#outcome(path, message)
      if (world.random.next() < this.faults.unanswered) return
      this.#send(this.host, owner, isLostWhenCut, () => end(result))
    })
    return lost
  }

  /** Begins a watch of the running process. Messages are sent to `receive`. Returns a function that ends it. */
  watch(message: Uint8Array, receive: (message: Buffer) => void): () => void {
    const owner = this.#caller()
    const { createRequest } = readWatch(message)
    if (!createRequest) throw new Error('only watches that are created are simulated')
    const { key, rangeEnd, startRevision, filters } = createRequest
    let next = startRevision > 0 ? startRevision : this.store.revision + 1
    let isOpen = true
    const send = (response: object): void =>
      this.#send(this.host, owner, false, () => {
        if (isOpen)
          receive(written('WatchResponse', { header: { revision: this.store.revision }, ...response }))
      })
    const look = (): void => {
      try {
        const events = this.store
          .eventsFrom(next, key, rangeEnd)
          .filter(({ type }) => type === 0 || !filters.includes(WITHOUT_DELETIONS))
        next = this.store.revision + 1
        if (events.length > 0) send({ events })
      } catch (error) {
        if (!(error instanceof EtcdRefusal)) throw error
        stop()
        send({ canceled: true, compactRevision: this.store.compactedAt })
      }
    }
    let stop = (): void => {}
    this.#send(owner, this.host, false, () => {
      if (!isOpen) return
      send({ created: true })
      stop = this.store.onChange(look)
      look()
    })
    return () => {
      isOpen = false
      stop()
    }
  }

  /** Delivers in order of the latency. What a cut link holds up arrives after it is healed, or never. */
  #send(from: SimulatedProcess, to: SimulatedProcess, isLostWhenCut: boolean, arrive: () => void): void {
    const { network, world } = this
    const isHeldUp =
      network.link(from, to).isCut || ((from === this.host || to === this.host) && !this.faults.hasLeader)
    if (!isHeldUp) return void world.after(network.latency(from, to), arrive, to)
    if (!isLostWhenCut) world.after(RETRY, () => this.#send(from, to, isLostWhenCut, arrive), to)
  }

  #outcome(path: string, message: Uint8Array): Buffer | GrpcFailure {
    try {
      return this.answer(path, message)
    } catch (error) {
      if (error instanceof EtcdRefusal) return new GrpcFailure(error.code, error.message)
      throw error
    }
  }

  #caller(): SimulatedProcess {
    const { current } = this.world
    if (!current) throw new Error('only a process of the simulation calls etcd')
    return current
  }
}

type CallEnd = (result: Buffer | GrpcFailure) => void

/** Messages of a stream in their order. */
class Arrivals {
  readonly #messages: Buffer[] = []
  #wake: () => void = () => {}
  #isOver = false

  readonly add = (message: Buffer): void => {
    this.#messages.push(message)
    this.#wake()
  }

  readonly end = (): void => {
    this.#isOver = true
    this.#wake()
  }

  async *all(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const message = this.#messages.shift()
      if (message) yield message
      else if (this.#isOver) return
      else await new Promise<void>(resolve => (this.#wake = resolve))
    }
  }
}

/** Replaces the connections of `GrpcConnection` by those to a simulated etcd. */
export const replaceGrpc = (etcd: SimulatedEtcd): void => {
  /** What a connection has to end when it closes. */
  const open = new WeakMap<object, Set<() => void>>()
  const callsOf = (connection: object): Set<() => void> => {
    const calls = open.get(connection) ?? new Set()
    open.set(connection, calls)
    return calls
  }
  Object.assign(GrpcConnection.prototype, {
    ask(this: object, path: string, message: Uint8Array, ms: number | undefined) {
      return new Promise<Buffer>((resolve, reject) => {
        const calls = callsOf(this)
        const abandon = etcd.call(path, message, ms, result => {
          calls.delete(abandon)
          if (result instanceof GrpcFailure) reject(result)
          else resolve(result)
        })
        calls.add(abandon)
      })
    },
    async *stream(
      this: object,
      path: string,
      message: Uint8Array,
      signal?: AbortSignal
    ): AsyncGenerator<Buffer, void> {
      if (signal?.aborted) return
      if (path !== WATCH) throw new GrpcFailure(Status.UNIMPLEMENTED, path)
      const arrivals = new Arrivals()
      const calls = callsOf(this)
      const stop = etcd.watch(message, arrivals.add)
      calls.add(arrivals.end)
      signal?.addEventListener('abort', arrivals.end)
      try {
        yield* arrivals.all()
      } finally {
        signal?.removeEventListener('abort', arrivals.end)
        calls.delete(arrivals.end)
        stop()
      }
    },
    leave() {},
    close(this: object) {
      for (const abandon of callsOf(this)) abandon()
    }
  })
}
