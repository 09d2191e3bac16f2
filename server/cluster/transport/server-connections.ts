// Keeps connections to other servers alive and sends single requests over them.
import {
  Agent as HttpAgent,
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { TLSSocket, type SecureContext } from 'node:tls'
import type { Timers } from '../../../actors/clock.js'

/** Limit of concurrent requests per server, without long ones; more wait here. */
const MAX_CONCURRENT = 256
/** Default timeout of a connection. */
const CONNECT_MS = 2000

export interface OutgoingRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Names and values in turn, without connection headers; none by default. */
  readonly headers?: readonly string[]
  /** A stream is sent only when the other server requests it (`Expect: 100-continue`). */
  readonly body?: Buffer | Readable | undefined
  /** Called when the other server requests a streamed body. */
  readonly onAsked?: () => void
  /** The answer may take any time. */
  readonly isLong: boolean
  /** Connection timeout in ms; 2 s by default. */
  readonly connectMs?: number
}

export interface ConnectionTls {
  /** A new object after each change of the certificates. */
  readonly material: object
  /** Undefined for the system's defaults. */
  context(): SecureContext | undefined
  /** The expected name in the certificate, if it is not the host of the address. */
  readonly serverName?: string | undefined
}

/** The result of a request: an answer; nothing was sent (`not-sent`); or an unknown outcome (`broken`). */
export type RequestAttempt =
  | { readonly kind: 'answered'; readonly answer: IncomingMessage }
  | {
      readonly kind: 'upgraded'
      readonly answer: IncomingMessage
      readonly socket: Duplex
      readonly head: Buffer
    }
  | { readonly kind: 'not-sent' }
  | { readonly kind: 'broken' }

interface Agents {
  readonly short: HttpAgent
  readonly long: HttpAgent
}

export class ServerConnections {
  readonly #plain: Agents = {
    short: new HttpAgent({ keepAlive: true, maxSockets: MAX_CONCURRENT }),
    long: new HttpAgent({ keepAlive: true })
  }
  #secure: { readonly material: object; readonly agents: Agents } | undefined

  constructor(
    private readonly tls: ConnectionTls,
    private readonly timers: Timers
  ) {}

  /**
   * Sends a request once. A streamed body is untouched unless the attempt is `answered` or `broken`.
   * @param address such as `http://10.0.0.1:8500`, or `unix:` and the path of a socket
   * @param signal cancels the attempt, which is then `broken` or `not-sent`
   */
  send(address: string, outgoing: OutgoingRequest, signal: AbortSignal): Promise<RequestAttempt> {
    const { method, url, headers = [], isLong } = outgoing
    const { isSecure, host, ...place } = placeOf(address)
    const agents = isSecure ? this.#secureAgents() : this.#plain
    const options: RequestOptions = {
      method,
      path: url,
      ...place,
      headers: ['Host', host, ...headers, ...lengthOf(outgoing)],
      agent: isLong ? agents.long : agents.short,
      signal
    }
    const upstream = isSecure ? requestHttps(options) : requestHttp(options)
    return this.#outcome(upstream, outgoing)
  }

  /** Closes idle connections. */
  close(): void {
    for (const { short, long } of [this.#plain, ...(this.#secure ? [this.#secure.agents] : [])]) {
      short.destroy()
      long.destroy()
    }
  }

  #outcome(upstream: ClientRequest, { body, onAsked, connectMs }: OutgoingRequest): Promise<RequestAttempt> {
    return new Promise(resolve => {
      let isSent = false
      // A streamed body is not sent before the server requests it.
      const connected = (): void => void (isSent = body === undefined || Buffer.isBuffer(body))
      upstream.once('socket', (socket: Socket) => {
        if (upstream.reusedSocket) connected()
        else this.#awaitConnection(socket, connected, connectMs)
      })
      upstream.once('response', answer => resolve({ kind: 'answered', answer }))
      upstream.once('upgrade', (answer, socket, head) => resolve({ kind: 'upgraded', answer, socket, head }))
      // A broken answer reports its own error.
      upstream.on('error', () => resolve({ kind: isSent ? 'broken' : 'not-sent' }))
      if (body === undefined || Buffer.isBuffer(body)) upstream.end(body)
      else {
        upstream.once('continue', () => {
          isSent = true
          onAsked?.()
          body.pipe(upstream)
          body.once('close', () => {
            if (!body.readableEnded) upstream.destroy()
          })
        })
        upstream.flushHeaders()
      }
    })
  }

  #awaitConnection(socket: Socket, connected: () => void, connectMs = CONNECT_MS): void {
    const timer = this.timers.setTimeout(() => socket.destroy(), connectMs)
    const done = (): void => this.timers.clearTimeout(timer)
    socket.once('close', done)
    socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      done()
      socket.off('close', done)
      connected()
    })
  }

  /** Returns agents with the current certificates. Connections with earlier ones close when idle. */
  #secureAgents(): Agents {
    const { material, serverName } = this.tls
    if (this.#secure?.material === material) return this.#secure.agents
    const secureContext = this.tls.context()
    const options = {
      keepAlive: true,
      ...(secureContext ? { secureContext } : {}),
      ...(serverName === undefined ? {} : { servername: serverName })
    }
    const agents = {
      short: new HttpsAgent({ ...options, maxSockets: MAX_CONCURRENT }),
      long: new HttpsAgent(options)
    }
    this.#secure = { material, agents }
    return agents
  }
}

const UNIX = 'unix:'

const placeOf = (address: string) => {
  if (address.startsWith(UNIX))
    return { isSecure: false, host: 'localhost', socketPath: address.slice(UNIX.length) }
  const { protocol, hostname, port, host } = new URL(address)
  return {
    isSecure: protocol === 'https:',
    host,
    // Node.js expects IPv6 addresses without brackets.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port })
  }
}

const lengthOf = ({ method, body, headers = [] }: OutgoingRequest): readonly string[] => {
  if (Buffer.isBuffer(body)) return ['Content-Length', String(body.length)]
  if (body !== undefined) {
    const isKnown = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-length')
    return ['Expect', '100-continue', ...(isKnown ? [] : ['Transfer-Encoding', 'chunked'])]
  }
  return method === 'GET' ? [] : ['Content-Length', '0']
}
