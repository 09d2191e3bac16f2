import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { ShutdownSignal } from '../shutdown-signal.js'
import { ConnectionQueue } from '../sockets/connection-queue.js'
import { CONTACTS, NO_PEER_CONTACT, type Contacts, type PeerContact, type Forwarded } from '../contact.js'
import { requestIdIn } from '../../../server/telemetry/request-id.js'
import type { RequestSpan } from '../../../server/telemetry/tracing/tracing.js'
import type { BodyFile } from './body-files.js'
import proxyAddr from '@fastify/proxy-addr'
import { SETTINGS } from '../../../server/settings/ports.js'
import type { Settings } from '../../../server/settings/settings.js'
import type { Cause, Commit, Event } from '../../../events/envelope.js'
import type { RouteResponse } from '../response.js'

export interface SubRequestInput {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly params: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
}

export interface SubRequestWrites {
  readonly cause: Cause
  /** The ID of a created resource; default: a random one. */
  readonly newId?: string | undefined
  /** True to decide without a commit. */
  readonly isTrial: boolean
  /** Returns the response in place of that of the route. @param commit undefined for a dry run, or if nothing changed */
  answer(events: readonly Event[], commit: Commit | undefined): RouteResponse
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

/** A request as it arrived. Values are read from the request on access. */
export class Incoming {
  static #count = 0
  #body: Buffer | BodyFile | undefined
  #id = 0
  /** The values of a sub-request, which override those of the request. */
  #subRequest: SubRequestInput | undefined

  constructor(
    private readonly arrivals: ArrivalState,
    private readonly request: IncomingMessage,
    private readonly output: Output,
    readonly params: PathParameters,
    readonly span?: RequestSpan
  ) {}

  receive(body: Buffer | BodyFile): void {
    this.#body = body
  }

  /** The complete body; undefined if it is absent, has not arrived, or is a file. */
  get body(): Buffer | undefined {
    return Buffer.isBuffer(this.#body) ? this.#body : undefined
  }

  get file(): BodyFile | undefined {
    return Buffer.isBuffer(this.#body) ? undefined : this.#body
  }

  withParams(params: PathParameters): Incoming {
    const incoming = new Incoming(this.arrivals, this.request, this.output, params, this.span)
    incoming.#body = this.#body
    incoming.#id = this.#id
    return incoming
  }

  withSubRequest(asked: SubRequestInput): Incoming {
    const incoming = new Incoming(this.arrivals, this.request, this.output, asked.params, this.span)
    incoming.#subRequest = asked
    incoming.#body = asked.body
    incoming.#id = this.#id
    return incoming
  }

  get method(): string {
    return this.#subRequest?.method ?? this.request.method ?? ''
  }

  get url(): string {
    return this.#subRequest?.url ?? this.request.url ?? ''
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  /** Returns the first value of a header by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  values(name: string): readonly string[] {
    return this.request.headersDistinct[name] ?? []
  }

  /** Address of the client: the peer, or the forwarded address if the peer is trusted (`http.trusted_proxies`). */
  get address(): string {
    return this.sender?.address ?? this.arrivals.addresses.of(this.request)
  }

  get hasClientCertificate(): boolean {
    const { socket } = this.request
    return socket instanceof TLSSocket && socket.authorized
  }

  /** The contact to the leader, which responses report. */
  get contact(): PeerContact {
    return this.arrivals.contacts?.contact() ?? NO_PEER_CONTACT
  }

  get sender(): Forwarded | undefined {
    return this.arrivals.contacts?.senderOf(this.request)
  }

  /** Identifies the request in logs and commits: the caller's ID or one that is unique in this process. */
  get id(): string {
    const given = requestIdIn(this.headers)
    if (given !== undefined) return given
    this.#id ||= ++Incoming.#count
    return `${process.pid}-${this.#id}`
  }

  /** True if the client has disconnected or the server is shutting down. */
  get isGone(): boolean {
    return this.arrivals.closing.signal.aborted || this.output.destroyed
  }

  /** Calls the listener when the client disconnects, but not at shutdown, which touches every watch key. Returns a function that unsubscribes. */
  onGone(listener: () => void): () => void {
    // A disconnect is only noticed while the connection is being read.
    this.arrivals.queue.listen(this.request)
    this.output.once('close', listener)
    return () => void this.output.off('close', listener)
  }
}
