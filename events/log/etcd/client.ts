// Calls of etcd over gRPC: its members in turn, a deadline for each call. No call is ever made twice by itself: only who asked knows
// whether that is safe.
import {
  Client,
  credentials,
  Metadata,
  status as Status,
  type ChannelCredentials,
  type ChannelOptions,
  type ServiceError
} from '@grpc/grpc-js'
import { SharedUnreachable } from '../cluster/shared-log.js'
import type { Method } from './messages.js'

export interface EtcdAddress {
  /** Of each member its scheme, host and port: `https://10.0.0.1:2379`. */
  readonly endpoints: readonly string[]
  /** Certificates in PEM; those of Node's authorities, and none of our own, where absent. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }
}

/** In ms. Short, so that another member is asked soon: whether a write arrived is settled by asking, not by waiting. */
const DEADLINE = 700
/** What a request of many bytes gets besides. */
const BYTES_PER_MS = 1024

const OPTIONS: ChannelOptions = {
  // Only what the settings name is asked, whatever proxy the environment has.
  'grpc.enable_http_proxy': 0,
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': -1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // For a stream on which nothing comes. etcd takes a ping each 5 s, and ends the connection over more.
  'grpc.keepalive_time_ms': 6000,
  'grpc.keepalive_timeout_ms': 3000
}

/** etcd answered that it does not, or did not answer. */
export class EtcdFailure extends SharedUnreachable {
  /** Of gRPC. */
  readonly code: Status

  constructor({ code, details }: ServiceError, endpoint: string) {
    super(`etcd at ${endpoint}: ${details}`)
    this.code = code
  }

  /** Whether a member gave this answer: then nothing of the call is under way any more, whatever became of it. */
  get isAnswer(): boolean {
    return ![
      Status.UNAVAILABLE,
      Status.DEADLINE_EXCEEDED,
      Status.CANCELLED,
      Status.UNKNOWN,
      Status.INTERNAL
    ].includes(this.code)
  }

  /** Whether etcd takes no more bytes. It may have stored what it said this of. */
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
class Endpoint {
  readonly url: string
  readonly #credentials: ChannelCredentials
  #client: Client | undefined

  constructor(url: string, security: ChannelCredentials) {
    this.url = url
    this.#credentials = security
  }

  get client(): Client {
    const { protocol, hostname, port } = new URL(this.url)
    const address = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`
    this.#client ??= new Client(`dns:${address}`, this.#credentials, OPTIONS)
    return this.#client
  }

  /** Lets go of a connection on which answers do not come; the next call makes another one. */
  disconnect(): void {
    this.#client?.close()
    this.#client = undefined
  }
}

export class EtcdClient {
  readonly #endpoints: readonly Endpoint[]
  #current = 0
  #isClosed = false

  constructor({ endpoints, tls }: EtcdAddress) {
    const security = endpoints.some(each => each.startsWith('https:'))
      ? credentials.createSsl(tls?.ca ?? null, tls?.key ?? null, tls?.cert ?? null)
      : credentials.createInsecure()
    this.#endpoints = endpoints.map(url => new Endpoint(url, security))
  }

  /**
   * Makes a call at one member, once.
   * @param deadline in ms
   * @throws EtcdFailure
   */
  async call<Request, Response>(
    { path, encode, decode }: Method<Request, Response>,
    request: Request,
    deadline?: number
  ): Promise<Response> {
    const endpoint = this.#endpoint()
    const bytes = encode(request)
    const options = { deadline: Date.now() + (deadline ?? DEADLINE + bytes.length / BYTES_PER_MS) }
    try {
      return await new Promise((resolve, reject) => {
        endpoint.client.makeUnaryRequest<Buffer, Response>(
          path,
          given => given,
          decode,
          bytes,
          hasLeader(),
          options,
          (error, answer) => (error || answer === undefined ? reject(error) : resolve(answer))
        )
      })
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

  /**
   * What one member answers to a call, until it ends or the signal aborts.
   * @param deadline in ms; none where absent
   * @throws EtcdFailure
   */
  async *stream<Request, Response>(
    { path, encode, decode }: Method<Request, Response>,
    request: Request,
    signal?: AbortSignal,
    deadline?: number
  ): AsyncGenerator<Response> {
    if (signal?.aborted) return
    const endpoint = this.#endpoint()
    const call = endpoint.client.makeBidiStreamRequest<Request, Response>(
      path,
      encode,
      decode,
      hasLeader(),
      deadline === undefined ? {} : { deadline: Date.now() + deadline }
    )
    // What comes after nobody listens any more.
    call.on('error', () => {})
    const cancel = (): void => call.cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    call.write(request)
    try {
      for await (const response of call) yield response
    } catch (error) {
      if (signal?.aborted) return
      throw this.#failure(endpoint, error)
    } finally {
      signal?.removeEventListener('abort', cancel)
      call.cancel()
    }
  }

  /** Calls from now on ask the next member. */
  turn(): void {
    this.#current = (this.#current + 1) % this.#endpoints.length
  }

  close(): void {
    this.#isClosed = true
    for (const endpoint of this.#endpoints) endpoint.disconnect()
  }

  #endpoint(): Endpoint {
    const endpoint = this.#endpoints[this.#current]
    if (this.#isClosed || !endpoint) throw new SharedUnreachable('the connection to etcd is closed')
    return endpoint
  }

  #failure(endpoint: Endpoint, error: unknown): unknown {
    if (!isServiceError(error)) return error
    const failure = new EtcdFailure(error, endpoint.url)
    if (failure.isAnswer) return failure
    if (error.code === Status.DEADLINE_EXCEEDED) endpoint.disconnect()
    if (this.#endpoints[this.#current] === endpoint) this.turn()
    return failure
  }
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'

/** A member that has lost the others says so at once, in place of waiting for them. */
const hasLeader = (): Metadata => {
  const metadata = new Metadata()
  metadata.set('hasleader', 'true')
  return metadata
}
