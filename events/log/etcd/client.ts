// Calls of etcd over gRPC: its members in turn, a deadline for each call. No call is ever made twice by itself: only who asked knows
// whether that is safe.
import { SharedUnreachable } from '../cluster/shared-log.js'
import { Credentials, type EtcdUser } from './credentials.js'
import { GrpcConnection, GrpcFailure, Status } from '../../grpc.js'
import type { Method } from './messages.js'

export interface EtcdAddress {
  /** Of each member its scheme, host and port: `https://10.0.0.1:2379`. A function is asked again after each failure. */
  readonly endpoints: readonly string[] | (() => readonly string[])
  /** Certificates in PEM for the next connection; those of Node's authorities, and none of our own, where absent. */
  readonly tls?: () => { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }
  /** Of etcd, where its authentication is on. */
  readonly user?: EtcdUser
  /** For how long an answer is waited for, in ms; `DEADLINE` where absent. */
  readonly deadline?: number
}

/** In ms. Short, so that another member is asked soon: whether a write arrived is settled by asking, not by waiting. */
const DEADLINE = 700
/** What a request of many bytes gets besides. */
const BYTES_PER_MS = 1024

/** A member that has lost the others says so at once, in place of waiting for them. */
const HEADERS = { hasleader: 'true' }

/** Codes of calls that no member may have answered. */
const WITHOUT_ANSWER: readonly number[] = [
  Status.UNAVAILABLE,
  Status.DEADLINE_EXCEEDED,
  Status.CANCELLED,
  Status.UNKNOWN,
  Status.INTERNAL
]

/** etcd answered that it does not, or did not answer. */
export class EtcdFailure extends SharedUnreachable {
  /** Of gRPC: see `Status`. */
  readonly code: number

  constructor({ code, message }: GrpcFailure, endpoint: string) {
    super(`etcd at ${endpoint}: ${message}`)
    this.code = code
  }

  /** Whether a member gave this answer: then nothing of the call is under way any more, whatever became of it. */
  get isAnswer(): boolean {
    return !WITHOUT_ANSWER.includes(this.code)
  }

  /** True if etcd is out of space. It may have stored the request nevertheless. */
  get isFull(): boolean {
    return this.code === Status.RESOURCE_EXHAUSTED && this.message.includes('database space exceeded')
  }

  /** Whether it has too much to do, and did nothing of this. */
  get isBusy(): boolean {
    return this.code === Status.RESOURCE_EXHAUSTED && !this.isFull
  }

  /** Whether what was asked for was compacted away. */
  get isCompacted(): boolean {
    return this.code === Status.OUT_OF_RANGE
  }

  /** Whether there is no such lease. */
  get isNotFound(): boolean {
    return this.code === Status.NOT_FOUND
  }
}

/** A member of etcd, and the connection to it. */
interface Endpoint {
  readonly url: string
  readonly connection: GrpcConnection
}

export class EtcdClient {
  #endpoints: readonly Endpoint[]
  readonly #list: () => readonly string[]
  readonly #connect: (url: string) => Endpoint
  readonly #deadline: number
  readonly #credentials: Credentials
  #current = 0
  #isClosed = false

  constructor({ endpoints, tls, user, deadline = DEADLINE }: EtcdAddress) {
    this.#deadline = deadline
    this.#credentials = new Credentials(user)
    const headers = () => ({ ...HEADERS, ...this.#credentials.headers })
    this.#connect = url => ({ url, connection: new GrpcConnection(url, tls ?? (() => ({})), headers) })
    this.#list = typeof endpoints === 'function' ? endpoints : () => endpoints
    this.#endpoints = this.#list().map(this.#connect)
  }

  /** Makes a call at one member, once; again with another token where etcd refused the first. @param deadline in ms. @throws EtcdFailure */
  async call<Request, Response>(
    { path, encode, decode }: Method<Request, Response>,
    request: Request,
    deadline?: number
  ): Promise<Response> {
    const endpoint = this.#endpoint()
    const bytes = encode(request)
    const ms = deadline ?? this.#deadline + bytes.length / BYTES_PER_MS
    try {
      return decode(await this.#withToken(endpoint, () => endpoint.connection.ask(path, bytes, ms)))
    } catch (error) {
      throw this.#failure(endpoint, error)
    }
  }

  /** Asks what may be asked twice: each member in turn, until one answers. @throws EtcdFailure of the last one */
  async ask<Request, Response>(method: Method<Request, Response>, request: Request): Promise<Response> {
    for (let left = this.#endpoints.length; ; left--)
      try {
        return await this.call(method, request)
      } catch (error) {
        if (left <= 1 || this.#isClosed || !(error instanceof EtcdFailure) || error.isAnswer) throw error
      }
  }

  /** What one member answers to a call, until it ends or the signal aborts. @throws EtcdFailure */
  async *stream<Request, Response>(
    { path, encode, decode }: Method<Request, Response>,
    request: Request,
    signal?: AbortSignal
  ): AsyncGenerator<Response> {
    const endpoint = this.#endpoint()
    let { headers } = this.#credentials
    try {
      await this.#credentials.have(endpoint.connection)
      headers = this.#credentials.headers
      for await (const bytes of endpoint.connection.stream(path, encode(request), signal)) yield decode(bytes)
    } catch (error) {
      // The next call has another token.
      this.#credentials.isRenewable(error, headers)
      throw this.#failure(endpoint, error)
    }
  }

  /** Calls from now on ask the next member. */
  turn(): void {
    const last = this.#endpoints[this.#current]
    this.#refresh()
    this.#current = (this.#endpoints.findIndex(({ url }) => url === last?.url) + 1) % this.#endpoints.length
  }

  /** Adopts changes of the list of members. Connections to remaining members stay. */
  #refresh(): void {
    const urls = this.#list()
    if (urls.length === 0 || urls.join() === this.#endpoints.map(({ url }) => url).join()) return
    const known = new Map(this.#endpoints.map(endpoint => [endpoint.url, endpoint]))
    this.#endpoints = urls.map(url => known.get(url) ?? this.#connect(url))
    for (const url of urls) known.delete(url)
    for (const { connection } of known.values()) connection.leave()
  }

  close(): void {
    this.#isClosed = true
    for (const { connection } of this.#endpoints) connection.close()
  }

  async #withToken<T>({ connection }: Endpoint, call: () => Promise<T>): Promise<T> {
    await this.#credentials.have(connection)
    const { headers } = this.#credentials
    try {
      return await call()
    } catch (error) {
      if (!this.#credentials.isRenewable(error, headers)) throw error
      await this.#credentials.have(connection)
      return call()
    }
  }

  #endpoint(): Endpoint {
    const endpoint = this.#endpoints[this.#current]
    if (this.#isClosed || !endpoint) throw new SharedUnreachable('the connection to etcd is closed')
    return endpoint
  }

  #failure(endpoint: Endpoint, error: unknown): unknown {
    if (!(error instanceof GrpcFailure)) return error
    const failure = new EtcdFailure(error, endpoint.url)
    if (failure.isAnswer) return failure
    if (error.code === Status.DEADLINE_EXCEEDED) endpoint.connection.leave()
    if (this.#endpoints[this.#current] === endpoint) this.turn()
    return failure
  }
}
