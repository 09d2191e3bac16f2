import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { inject, Lifecycle, scoped } from 'tsyringe'
import proxyAddr from '@fastify/proxy-addr'
import type { Commands, Kind } from '../../../actors/aggregates.js'
import type { ActorRef } from '../../../actors/ref.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Cause, Commit, Event } from '../../../events/envelope.js'
import { SETTINGS } from '../../../server/settings/ports.js'
import type { Settings } from '../../../server/settings/settings.js'
import { REQUEST_ID, requestIdIn } from '../../../server/telemetry/request-id.js'
import type { RequestSpan } from '../../../server/telemetry/tracing/tracing.js'
import { CONTACTS, NO_PEER_CONTACT, type Contacts, type Forwarded, type PeerContact } from '../contact.js'
import type { Views } from '../../../projections/read-models.js'
import type { RouteResponse } from '../response.js'
import { ShutdownSignal } from '../shutdown-signal.js'
import { ConnectionQueue } from '../sockets/connection-queue.js'
import type { BodyFile } from './request-body.js'

export interface SubRequestInput {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

/** The future commit of a change set, which collects the commands of sub-requests. */
interface CommandDraft {
  /** The read models with the earlier commands. */
  readonly views: Views
  /** Takes a command that the caller may send. @throws Refusal of the decision */
  take<K extends Kind>(ref: ActorRef<K>, command: Commands[K]): RouteResponse
}

export interface SubRequestWrites {
  /** Undefined for the commands of a change set, which have no commit of their own. */
  readonly cause?: Cause
  readonly draft?: CommandDraft
  /** The ID of a created resource; default: a random one. */
  readonly newId?: string | undefined
  /** True to decide without a commit. */
  readonly isTrial?: boolean
  /** Returns the response in place of that of the route. @param commit undefined for a dry run, or if nothing changed */
  answer?(events: readonly Event[], commit: Commit | undefined): RouteResponse
}

@scoped(Lifecycle.ContainerScoped)
export class ClientAddresses {
  readonly #trusts: ReturnType<typeof proxyAddr.compile> | undefined

  constructor(@inject(SETTINGS) { http: { trusted_proxies: proxies } }: Settings) {
    this.#trusts = proxies.length > 0 ? proxyAddr.compile([...proxies]) : undefined
  }

  /** Returns the address of the peer, or the forwarded address if the peer is trusted; '' if it has disconnected. */
  of(request: IncomingMessage): string {
    return (this.#trusts ? proxyAddr(request, this.#trusts) : request.socket.remoteAddress) ?? ''
  }
}

export type PathParameters = Readonly<Record<string, string | undefined>>

/** The destination of a response: a ServerResponse or the connection of an upgraded request. */
export interface Output {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

@scoped(Lifecycle.ContainerScoped)
export class ArrivalState {
  constructor(
    readonly closing: ShutdownSignal,
    readonly addresses: ClientAddresses,
    readonly queue: ConnectionQueue,
    @inject(CONTACTS, { isOptional: true }) readonly contacts: Contacts | undefined
  ) {}
}

/** A client that half-closes its connection still gets a response that takes less, in milliseconds. */
const MOST_UNHEARD_MS = 250

export class IncomingRequest {
  static #count = 0
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The complete body; undefined if it is absent, has not arrived, or is a file. */
  body: Buffer | undefined
  file: BodyFile | undefined
  #id = 0

  /** @param sub the values of a sub-request, which override those of the request */
  constructor(
    private readonly arrivals: ArrivalState,
    readonly message: IncomingMessage,
    protected readonly output: Output,
    readonly span: RequestSpan | undefined,
    readonly params: PathParameters,
    sub?: SubRequestInput
  ) {
    this.method = sub ? sub.method : (message.method ?? '')
    this.url = sub ? sub.url : (message.url ?? '')
    this.headers = message.headers
    this.body = sub?.body
  }

  protected shareId(from: IncomingRequest): void {
    this.#id = from.#id
  }

  /** Returns the first value of a header by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /** Returns all values of a header by its lower-case name. */
  headerValues(name: string): readonly string[] {
    return this.message.headersDistinct[name] ?? []
  }

  /** Address of the client: the peer, or the forwarded address if the peer is trusted (`http.trusted_proxies`). */
  get address(): string {
    const { contacts, addresses } = this.arrivals
    return contacts?.senderOf(this.message)?.address ?? addresses.of(this.message)
  }

  get hasClientCertificate(): boolean {
    const { socket } = this.message
    return socket instanceof TLSSocket && socket.authorized
  }

  get contact(): PeerContact {
    return this.arrivals.contacts?.contact() ?? NO_PEER_CONTACT
  }

  get sender(): Forwarded | undefined {
    return this.arrivals.contacts?.senderOf(this.message)
  }

  /** Identifies the request in logs and commits: the caller's ID or one that is unique in this process. */
  get id(): string {
    const own = this.headers[REQUEST_ID] === undefined ? undefined : requestIdIn(this.headers)
    if (own !== undefined) return own
    this.#id ||= ++IncomingRequest.#count
    return `${process.pid}-${this.#id}`
  }

  /** True if the client has disconnected or the server is shutting down. */
  get isGone(): boolean {
    return this.arrivals.closing.signal.aborted || this.output.destroyed
  }

  /** @throws Refusal `unavailable` while too much output is compressed or waits for its readers */
  requireOutputSpace(): void {
    const refusal = this.arrivals.queue.longOutputRefusal
    if (refusal !== undefined) throw new Refusal('request.unavailable', refusal)
  }

  /**
   * Returns a check before each further chunk of a response. After a while it resumes reading of the connection, so that a disconnect is noticed.
   * The check throws a Refusal `unavailable` when the client has disconnected, and the first time as `requireOutputSpace`.
   */
  readerCheck(): () => void {
    const began = performance.now()
    let state: 'begun' | 'continued' | 'listening' = 'begun'
    return () => {
      if (this.output.destroyed) throw new Refusal('request.unavailable', 'The client has disconnected')
      if (state === 'begun') {
        this.requireOutputSpace()
        state = 'continued'
      }
      if (state === 'listening' || performance.now() - began < MOST_UNHEARD_MS) return
      state = 'listening'
      this.arrivals.queue.listen(this.message)
    }
  }

  /** Calls the listener when the client disconnects, but not at shutdown, which touches every watch key. Returns a function that unsubscribes. */
  onGone(listener: () => void): () => void {
    const { output } = this
    // A disconnect is only noticed while the connection is being read.
    this.arrivals.queue.listen(this.message)
    output.once('close', listener)
    return () => void output.off('close', listener)
  }
}
