// What the server's edge knows of a request before any route looks at it.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { TLSSocket } from 'node:tls'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { ShutdownSignal } from '../shutdown-signal.js'
import { ClientAddresses } from '../sockets/client-addresses.js'
import { ConnectionQueue } from '../sockets/connection-queue.js'
import { CONTACTS, NO_PEER_CONTACT, type Contacts, type PeerContact, type Forwarded } from '../contact.js'
import { requestIdIn } from '../../../server/telemetry/request-id.js'
import type { SubRequestInput } from '../sub-request.js'
import type { RequestSpan } from '../../../server/telemetry/tracing/tracing.js'
import type { BodyFile } from './body-files.js'

/** The parameters of a path, decoded. */
export type PathParameters = Readonly<Record<string, string | undefined>>

/** Where an answer goes: a response, or the connection of a request that may take it over. */
export interface Output {
  readonly destroyed: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** What is asked about requests that have arrived. */
@scoped(Lifecycle.ContainerScoped)
export class ArrivalState {
  constructor(
    readonly closing: ShutdownSignal,
    readonly addresses: ClientAddresses,
    readonly turns: ConnectionQueue,
    @inject(CONTACTS, { isOptional: true }) readonly contacts: Contacts | undefined
  ) {}
}

/** Everything is read from the request itself when it is asked for. */
export class Incoming {
  static #count = 0
  /** Where traces are made. */
  readonly span: RequestSpan | undefined
  #body: Buffer | BodyFile | undefined
  #id = 0
  /** What is asked for in place of what the request says. */
  #asked: SubRequestInput | undefined

  constructor(
    private readonly arrivals: ArrivalState,
    private readonly request: IncomingMessage,
    private readonly output: Output,
    /** The parameters of the path. */
    readonly params: PathParameters,
    span?: RequestSpan
  ) {
    this.span = span
  }

  /** To be called when the body has come. */
  receive(body: Buffer | BodyFile): void {
    this.#body = body
  }

  /** All of it; undefined when the request has none, it has not come, or it went to a file. */
  get body(): Buffer | undefined {
    return Buffer.isBuffer(this.#body) ? this.#body : undefined
  }

  /** The body of a request to a `fileRoute`. */
  get file(): BodyFile | undefined {
    return Buffer.isBuffer(this.#body) ? undefined : this.#body
  }

  /** The same request with the parameters of another path. */
  withParams(params: PathParameters): Incoming {
    const incoming = new Incoming(this.arrivals, this.request, this.output, params, this.span)
    incoming.#body = this.#body
    incoming.#id = this.#id
    return incoming
  }

  /** The same request, which asks for something else. */
  asking(asked: SubRequestInput): Incoming {
    const incoming = new Incoming(this.arrivals, this.request, this.output, asked.params, this.span)
    incoming.#asked = asked
    incoming.#body = asked.body
    incoming.#id = this.#id
    return incoming
  }

  get method(): string {
    return this.#asked?.method ?? this.request.method ?? ''
  }

  get url(): string {
    return this.#asked?.url ?? this.request.url ?? ''
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers
  }

  /** A header's first value by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.headers[name]
    return Array.isArray(value) ? value[0] : value
  }

  /** Each value that a header was given, by its lower-case name. */
  values(name: string): readonly string[] {
    return this.request.headersDistinct[name] ?? []
  }

  /** Address of the client: that of the peer, or what it says of whom it forwards for (`http.trusted_proxies`). */
  get address(): string {
    return this.sender?.address ?? this.arrivals.addresses.of(this.request)
  }

  /** Whether whoever sends it has proved by a certificate that one of `tls.http` trusts to be known here. */
  get hasClientCertificate(): boolean {
    const { socket } = this.request
    return socket instanceof TLSSocket && socket.authorized
  }

  /** What answers tell of the leader. */
  get contact(): PeerContact {
    return this.arrivals.contacts?.contact() ?? NO_PEER_CONTACT
  }

  /** The server of the cluster that the client has asked, where that sends the request on. */
  get sender(): Forwarded | undefined {
    return this.arrivals.contacts?.senderOf(this.request)
  }

  /** Names the request in logs and commits: as its caller does, or else unique as long as the process lives. */
  get id(): string {
    const given = requestIdIn(this.headers)
    if (given !== undefined) return given
    this.#id ||= ++Incoming.#count
    return `${process.pid}-${this.#id}`
  }

  /** Whether nobody waits for the answer any more, or the server ends. */
  get isGone(): boolean {
    return this.arrivals.closing.signal.aborted || this.output.destroyed
  }

  /** Calls when the client goes away; not when the server ends, which touches every watch key. Returns how to stop. */
  onGone(listener: () => void): () => void {
    // Only a connection that is read on shows that its client goes away.
    this.arrivals.turns.listen(this.request)
    this.output.once('close', listener)
    return () => void this.output.off('close', listener)
  }
}
