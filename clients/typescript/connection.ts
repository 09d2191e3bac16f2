import { Answer } from './answer.js'
import { RequestRefused, Unreachable, type Explanation, type Refused } from './failures.js'
import { socketFetch } from './wires/socket-fetch.js'
import { backoff, pause } from './backoff.js'

export interface ConnectionOptions {
  /** `http://` or `https://` URL of the server, or a host, optionally with a path prefix. On Node also `unix:///path` of a socket. */
  readonly address: string
  /** Secret of the token that requests carry. */
  readonly token?: string | undefined
  /** Default namespace of requests; the namespace of the token if absent. */
  readonly namespace?: string | undefined
  readonly partition?: string | undefined
  /** Target datacenter; the server's own by default. */
  readonly datacenter?: string | undefined
  /** Number of retries of repeatable requests; 2 by default. */
  readonly retries?: number | undefined
  /** Replaces the global `fetch`, for custom certificates, proxies or tests. */
  readonly fetch?: typeof fetch | undefined
  /** Replaces `JSON.parse`, which rounds integers beyond 2^53 such as flags of keys. */
  readonly parse?: typeof JSON.parse | undefined
}

/** Values of a query parameter. `undefined` and `false` are not sent. */
export type QueryValue = string | number | boolean | readonly string[] | undefined
export type Query = Readonly<Record<string, QueryValue>>

export interface Sending {
  readonly query?: Query
  /** Text, bytes, files and streams are sent unchanged, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** 1 to 255 printable ASCII characters; the server executes a write once per key, so it can repeat. `true` generates a random key. */
  readonly idempotencyKey?: string | true
  readonly signal?: AbortSignal | undefined
}

const IDEMPOTENCY_HEADER = 'X-Service-Idempotency-Key'
const RETRIES = 2

const isPassing = ({ status, headers }: Refused): boolean =>
  status === 429 || status === 503 || (status === 500 && headers.has('X-Service-Outcome'))
/** Maximum accepted `Retry-After`, in ms. */
const LONGEST_WAIT = 10_000

const SOCKET = /^unix:\/\/(?=\/)/

const addressOf = (input: string): string => {
  if (SOCKET.test(input)) return 'http://localhost'

  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(input) ? input : `http://${input}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash)
    throw new TypeError(
      `the address of a server is an http:// or https:// URL without a query, or unix:///path, not "${input}"`
    )
  return url.href.replace(/\/+$/, '')
}

type SentAsIs = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream

const isSentAsIs = (body: unknown): body is SentAsIs =>
  typeof body === 'string' ||
  body instanceof Uint8Array ||
  body instanceof Blob ||
  body instanceof ReadableStream

/** `duplex` is missing in the types of some browsers. */
const bodyOf = (body: unknown): { readonly body?: SentAsIs; readonly duplex?: 'half' } => {
  if (body === undefined) return {}
  if (!isSentAsIs(body)) return { body: JSON.stringify(body) }
  // `fetch` requires `duplex` for streamed bodies.
  return { body, ...(body instanceof ReadableStream ? { duplex: 'half' } : {}) }
}

/** A server and the credentials of one caller. It needs no closing. */
export class Connection {
  /** URL of the server without a trailing slash. */
  readonly address: string
  readonly #fetch: typeof fetch

  /** @throws TypeError for an invalid address, or a socket outside Node */
  constructor(private readonly options: ConnectionOptions) {
    this.address = addressOf(options.address)
    this.#fetch =
      options.fetch ??
      (this.isAtSocket ? socketFetch(options.address.replace(SOCKET, '')) : (...request) => fetch(...request))
  }

  get isAtSocket(): boolean {
    return SOCKET.test(this.options.address)
  }

  get token(): string | undefined {
    return this.options.token
  }

  get namespace(): string | undefined {
    return this.options.namespace
  }

  get partition(): string | undefined {
    return this.options.partition
  }

  get parse(): typeof JSON.parse {
    return this.options.parse ?? JSON.parse
  }

  with(changed: Partial<ConnectionOptions>): Connection {
    return new Connection({ ...this.options, ...changed })
  }

  /** Returns the URL of an API path with the target datacenter. */
  url(path: string, query: Query = {}): URL {
    const url = new URL(this.address + path)
    const { datacenter } = this.options
    const parameters: Query = { ...(datacenter ? { dc: datacenter } : {}), ...query }
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined || value === false) continue
      const values = typeof value === 'object' ? value : [String(value)]
      for (const element of values) url.searchParams.append(name, element)
    }
    return url
  }

  /**
   * Sends a request and waits for the response headers. Reads, and writes with an idempotency key, are
   * retried after connection failures and transient responses. Redirects are not followed.
   * @param path percent-encoded, such as `/v1/kv/${encodeURIComponent(key)}`
   * @throws RequestRefused for any other status than 2xx
   * @throws Unreachable if there is no response
   * @throws the reason of the signal when it aborts
   */
  async request(method: string, path: string, sending: Sending = {}): Promise<Answer> {
    const { query, body, signal } = sending
    const request: RequestInit = {
      method,
      headers: this.#headersOf(sending),
      ...bodyOf(body),
      ...(signal ? { signal } : {})
    }
    return new Answer(await this.#send(this.url(path, query), request, path), this.parse)
  }

  /** Sends a request of `fetch` with the headers and the datacenter of the connection. @throws as `request` */
  async fetch(request: Request): Promise<Response> {
    const { method, signal, body } = request
    const url = new URL(request.url)
    const { datacenter } = this.options
    if (datacenter && !url.searchParams.has('dc')) url.searchParams.set('dc', datacenter)
    const headers = new Headers(this.#headersOf({}))
    for (const [name, value] of request.headers) headers.set(name, value)
    const sent = body ? { body: await request.arrayBuffer() } : {}
    return this.#send(url, { method, signal, headers, ...sent }, url.pathname)
  }

  async #send(url: URL, request: RequestInit, path: string): Promise<Response> {
    const { method = 'GET', body, signal } = request
    const headers = new Headers(request.headers)
    const mayRepeat =
      ['GET', 'HEAD'].includes(method) ||
      (headers.has(IDEMPOTENCY_HEADER) && !(body instanceof ReadableStream))
    const limit = mayRepeat ? (this.options.retries ?? RETRIES) : 0
    for (let failures = 1; ; failures++) {
      try {
        return await this.#once(url, { ...request, redirect: 'error' }, method, path)
      } catch (error) {
        const wait = failures > limit ? undefined : waitAfter(error, failures)
        if (wait === undefined) throw error
        await pause(wait, signal ?? undefined)
      }
    }
  }

  async #once(url: URL, request: RequestInit, method: string, path: string): Promise<Response> {
    try {
      const response = await this.#fetch(url, request)
      if (response.ok) {
        if (!response.headers.get('Content-Type')?.startsWith('text/html')) return response
        // Another program, or a proxy, is at the address.
        await response.body?.cancel()
        throw new TypeError('it answers with a page for browsers')
      }
      const text = (await response.text()).trimEnd()
      const { status, headers } = response
      throw this.refusal({ status, text, method, path, headers })
    } catch (error) {
      if (error instanceof RequestRefused) throw error
      request.signal?.throwIfAborted()
      throw new Unreachable(this.address, error)
    }
  }

  refusal(refused: Refused): RequestRefused {
    return new RequestRefused(refused, async (Denial, token) => {
      const asker = token === undefined ? this : this.with({ token })
      const answer = await asker.request('POST', '/v1/acl/explain', { body: { Denial } })
      return answer.json<Explanation>()
    })
  }

  #headersOf({ headers, body, idempotencyKey }: Sending): Record<string, string> {
    const { token, namespace, partition } = this.options
    const key = idempotencyKey === true ? crypto.randomUUID() : idempotencyKey
    return {
      ...(token ? { 'X-Service-Token': token } : {}),
      ...(namespace ? { 'X-Service-Namespace': namespace } : {}),
      ...(partition ? { 'X-Service-Partition': partition } : {}),
      ...(key === undefined ? {} : { [IDEMPOTENCY_HEADER]: key }),
      ...(body === undefined || isSentAsIs(body) ? {} : { 'Content-Type': 'application/json' }),
      ...headers
    }
  }
}

/** Returns the delay before a retry in ms, undefined for a permanent failure. */
const waitAfter = (error: unknown, failures: number): number | undefined => {
  if (error instanceof Unreachable) return backoff(failures)
  if (!(error instanceof RequestRefused) || !isPassing(error)) return undefined
  // A date in the header is ignored, since the clocks may differ.
  const retryAfter = (Number(error.headers.get('Retry-After')) || 0) * 1000
  return retryAfter > LONGEST_WAIT ? undefined : Math.max(retryAfter, backoff(failures))
}

/** Encodes as RFC 8187. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /['()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
  )

/** Returns the value of the header `X-Service-Reason`, encoded as RFC 8187 if necessary. */
export const reasonValue = (reason: string): string =>
  /^[\x20-\x7e]*$/.test(reason) && !/^utf-8'/i.test(reason) ? reason : `UTF-8''${encoded(reason)}`
