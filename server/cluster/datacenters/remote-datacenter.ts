// Another datacenter: its servers, the certificates for connections to it, and the server that answered last.
import type { SecureContext } from 'node:tls'
import { OutgoingTls, type TlsMaterial } from '../../../actors/outgoing/destinations.js'
import type { Timers } from '../../../actors/clock.js'
import { ServerConnections, type ConnectionTls } from '../transport/server-connections.js'
import { urlsOf } from '../../settings/datacenters.js'
import type { Settings } from '../../settings/settings.js'
import { INTERNAL_DATACENTER } from '../../../http/routes/internal/datacenter.js'

/** Pause before each probe of a server with pending requests. */
const PROBE_INTERVAL_MS = 1000
/** Time in which a server must answer a probe. */
const ANSWER_MS = 2000
/** A server that misses this many probes in a row is unresponsive. */
const MAX_MISSED = 2

interface Watched {
  readonly pending: Set<AbortController>
  missed: number
}

class UnresponsiveServers {
  /** Servers with pending requests, by address. */
  readonly #watched = new Map<string, Watched>()

  /** @param headers of the probes, names and values in turn */
  constructor(
    private readonly connections: ServerConnections,
    private readonly timers: Timers,
    private readonly headers: readonly string[]
  ) {}

  /** Call for each request. @returns a signal that aborts when the server becomes unresponsive, and a function to call when the request has ended */
  open(address: string): { readonly signal: AbortSignal; readonly close: () => void } {
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
    }, PROBE_INTERVAL_MS)
  }

  /** Never rejects. */
  async #ask(address: string, watched: Watched): Promise<void> {
    const late = new AbortController()
    const timer = this.timers.setTimeout(() => late.abort(), ANSWER_MS)
    const question = { method: 'GET', url: INTERNAL_DATACENTER, headers: this.headers, isLong: true }
    const attempt = await this.connections.send(address, question, late.signal)
    this.timers.clearTimeout(timer)
    // Any answer proves that the server is alive.
    if (attempt.kind === 'answered') attempt.answer.resume()
    watched.missed = attempt.kind === 'answered' ? 0 : watched.missed + 1
    if (watched.missed < MAX_MISSED) return this.#askLater(address, watched)
    this.#watched.delete(address)
    for (const controller of watched.pending) controller.abort()
  }
}

/** The TLS material for one datacenter: its own settings over those of all outgoing connections. */
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
  readonly connections: ServerConnections
  readonly silent: UnresponsiveServers
  readonly #tls: DatacenterTls
  /** The server that answered last comes first. */
  #addresses: readonly string[]

  /** @param headers of the probes, names and values in turn */
  constructor(
    readonly name: string,
    settings: Settings['datacenters'][string],
    outgoing: OutgoingTls,
    timers: Timers,
    headers: readonly string[]
  ) {
    this.#addresses = urlsOf(settings).map(url => new URL(url).origin)
    this.#tls = new DatacenterTls(outgoing, settings.server_name)
    this.connections = new ServerConnections(this.#tls, timers)
    this.silent = new UnresponsiveServers(this.connections, timers, headers)
  }

  /** Its servers, in the order of preference. */
  get addresses(): readonly string[] {
    return this.#addresses
  }

  /** Moves a server to the first place. */
  prefer(address: string): void {
    if (this.#addresses[0] === address) return
    this.#addresses = [address, ...this.#addresses.filter(other => other !== address)]
  }

  /** Uses these certificates for new connections. */
  useCertificates(material: TlsMaterial): void {
    this.#tls.use(material)
  }
}
