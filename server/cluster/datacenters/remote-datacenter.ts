// Another datacenter: where its servers are, by which certificates they are asked, and which of them answered last.
import type { SecureContext } from 'node:tls'
import { OutgoingTls, type TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import type { Timers } from '../../../actors/timers.js'
import { ServerConnections, type ConnectionTls } from '../transport/server-connections.js'
import { INTERNAL_DATACENTER } from '../../../http/routes/internal/datacenter.js'

/** Between two questions whether a server is there, and before the first. */
const BETWEEN_MS = 1000
/** Within which it must answer. */
const ANSWER_MS = 2000
/** A server that has not answered so many questions in turn is silent. */
const MOST_MISSED = 2

/** A request that a server has not answered, or not to its end. */
interface PendingRequest {
  /** Aborts when the server is found silent. */
  readonly signal: AbortSignal
  /** To be called when it is over. */
  readonly close: () => void
}

interface Watched {
  readonly pending: Set<AbortController>
  missed: number
}

class UnresponsiveServers {
  /** By address, those that have something to answer. */
  readonly #watched = new Map<string, Watched>()

  /** @param headers of the questions, names and values in turn */
  constructor(
    private readonly connections: ServerConnections,
    private readonly timers: Timers,
    private readonly headers: readonly string[]
  ) {}

  /** To be called for each request that is sent. */
  open(address: string): PendingRequest {
    const controller = new AbortController()
    let watched = this.#watched.get(address)
    if (!watched) {
      watched = { pending: new Set(), missed: 0 }
      this.#watched.set(address, watched)
      this.#askLater(address, watched)
    }
    const { pending } = watched
    pending.add(controller)
    return { signal: controller.signal, close: () => void pending.delete(controller) }
  }

  #askLater(address: string, watched: Watched): void {
    this.timers.setTimeout(() => {
      if (watched.pending.size === 0) this.#watched.delete(address)
      else void this.#ask(address, watched)
    }, BETWEEN_MS)
  }

  /** Never rejects. */
  async #ask(address: string, watched: Watched): Promise<void> {
    const late = new AbortController()
    const timer = this.timers.setTimeout(() => late.abort(), ANSWER_MS)
    const question = { method: 'GET', url: INTERNAL_DATACENTER, headers: this.headers, isLong: true }
    const attempt = await this.connections.send(address, { ...question, onAsked: () => {} }, late.signal)
    this.timers.clearTimeout(timer)
    // Any answer shows that it is there.
    if (attempt.kind === 'answered') attempt.answer.resume()
    watched.missed = attempt.kind === 'answered' ? 0 : watched.missed + 1
    if (watched.missed < MOST_MISSED) return this.#askLater(address, watched)
    this.#watched.delete(address)
    for (const controller of watched.pending) controller.abort()
  }
}

/** The certificates for one datacenter: its own, in place of those for all that the server asks of others. */
class DatacenterTls implements ConnectionTls {
  readonly #merged = new OutgoingTls()
  #own: TlsMaterial = {}
  #mergedFrom: TlsMaterial | undefined

  constructor(
    private readonly shared: OutgoingTls,
    readonly serverName: string | undefined
  ) {}

  get material(): TlsMaterial {
    const shared = this.shared.material
    if (this.#mergedFrom !== shared) {
      this.#mergedFrom = shared
      this.#merged.use({ ...shared, ...this.#own })
    }
    return this.#merged.material
  }

  /** For connections from now on. */
  use(own: TlsMaterial): void {
    this.#own = own
    this.#mergedFrom = undefined
  }

  context(): SecureContext | undefined {
    void this.material
    return this.#merged.contextFor(this.#own.ca ?? '')
  }
}

export class RemoteDatacenter {
  readonly name: string
  readonly connections: ServerConnections
  /** What it was asked and has not answered. */
  readonly silent: UnresponsiveServers
  readonly #tls: DatacenterTls
  /** The one that answered last first. */
  #addresses: readonly string[]

  /** @param urls of its servers: scheme, host and port; at least one */
  constructor({ name, urls, serverName }: RemotePlace, { tls, timers, headers }: RemoteParts) {
    this.name = name
    this.#addresses = urls.map(url => new URL(url).origin)
    this.#tls = new DatacenterTls(tls, serverName)
    this.connections = new ServerConnections(this.#tls, timers)
    this.silent = new UnresponsiveServers(this.connections, timers, headers)
  }

  /** Its servers, in the order in which to try them. */
  get addresses(): readonly string[] {
    return this.#addresses
  }

  /** Has a server tried first from now on. */
  prefer(address: string): void {
    if (this.#addresses[0] === address) return
    this.#addresses = [address, ...this.#addresses.filter(other => other !== address)]
  }

  /** Has it asked by these certificates from now on, in place of those for all that the server asks of others. */
  useCertificates(material: TlsMaterial): void {
    this.#tls.use(material)
  }
}

/** What its connections are made with. */
interface RemoteParts {
  readonly tls: OutgoingTls
  readonly timers: Timers
  /** Of what this server asks by itself, names and values in turn. */
  readonly headers: readonly string[]
}

interface RemotePlace {
  readonly name: string
  readonly urls: readonly string[]
  /** What the certificates there must be for, where that is not the host of the URL. */
  readonly serverName: string | undefined
}
