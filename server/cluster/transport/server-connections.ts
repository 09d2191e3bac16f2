// Connections to other servers, which are kept: one request over one of them, and how that ended.
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
import type { Timers } from '../../../actors/timers.js'

/** Requests that are written to another server at a time; more wait here. Those that may wait there are not counted. */
const MOST_AT_ONCE = 256
/** A server that takes no connection within this time is not there. */
const CONNECT_MS = 2000

/** What is sent. */
export interface OutgoingRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Names and values in turn, without those of the connection. */
  readonly headers: readonly string[]
  /** A stream is sent only when the other server asks for it (`Expect: 100-continue`). */
  readonly body?: Buffer | Readable | undefined
  /** Called when the other server asks for a body that is a stream. */
  readonly onAsked: () => void
  /** Whether the answer may take as long as it likes. */
  readonly isLong: boolean
  /** Within which a connection must be there, in ms; 2 s unless given. */
  readonly connectMs?: number
}

/** How a connection by TLS is made. */
export interface ConnectionTls {
  /** Another object after each change of what `context` is made from. */
  readonly material: object
  /** Undefined where the system's defaults are all there is to it. */
  context(): SecureContext | undefined
  /** What the certificate of the other server must be for, where that is not the host of its address. */
  readonly serverName?: string | undefined
}

/** How a request ended: with an answer; without anything having been sent; or nobody knows what became of it. */
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
    short: new HttpAgent({ keepAlive: true, maxSockets: MOST_AT_ONCE }),
    long: new HttpAgent({ keepAlive: true })
  }
  #secure: { readonly material: object; readonly agents: Agents } | undefined

  constructor(
    private readonly tls: ConnectionTls,
    private readonly timers: Timers
  ) {}

  /**
   * Sends a request once. A body that is a stream has not been touched unless the attempt is `answered` or `broken`.
   * @param address such as `http://10.0.0.1:8500`; or `unix:` and the path of a socket of this machine
   * @param signal gives the attempt up, which then is `broken`, or `not-sent`
   */
  send(address: string, outgoing: OutgoingRequest, signal: AbortSignal): Promise<RequestAttempt> {
    const { method, url, headers, isLong } = outgoing
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

  /** Ends the connections that nothing goes over. */
  close(): void {
    for (const { short, long } of [this.#plain, ...(this.#secure ? [this.#secure.agents] : [])]) {
      short.destroy()
      long.destroy()
    }
  }

  #outcome(upstream: ClientRequest, { body, onAsked, connectMs }: OutgoingRequest): Promise<RequestAttempt> {
    return new Promise(resolve => {
      let isSent = false
      // What waits to be asked for its body is not begun before that.
      const connected = (): void => void (isSent = body === undefined || Buffer.isBuffer(body))
      upstream.once('socket', (socket: Socket) => {
        if (upstream.reusedSocket) connected()
        else this.#awaitConnection(socket, connected, connectMs)
      })
      upstream.once('response', answer => resolve({ kind: 'answered', answer }))
      upstream.once('upgrade', (answer, socket, head) => resolve({ kind: 'upgraded', answer, socket, head }))
      // An answer that breaks off says so itself.
      upstream.on('error', () => resolve({ kind: isSent ? 'broken' : 'not-sent' }))
      if (body === undefined || Buffer.isBuffer(body)) upstream.end(body)
      else {
        upstream.once('continue', () => {
          isSent = true
          onAsked()
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

  /** Of the certificates of now. Those of before end when nothing goes over them any more. */
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
      short: new HttpsAgent({ ...options, maxSockets: MOST_AT_ONCE }),
      long: new HttpsAgent(options)
    }
    this.#secure = { material, agents }
    return agents
  }
}

const UNIX = 'unix:'

/** What Node wants to know of an address, and what the server there is called. */
const placeOf = (address: string) => {
  if (address.startsWith(UNIX))
    return { isSecure: false, host: 'localhost', socketPath: address.slice(UNIX.length) }
  const { protocol, hostname, port, host } = new URL(address)
  return {
    isSecure: protocol === 'https:',
    host,
    // Node has the brackets of an IPv6 address neither in connections nor in certificates.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port })
  }
}

/** What says how long the body is. */
const lengthOf = ({ method, body, headers }: OutgoingRequest): readonly string[] => {
  if (Buffer.isBuffer(body)) return ['Content-Length', String(body.length)]
  if (body !== undefined) {
    const isKnown = headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'content-length')
    return ['Expect', '100-continue', ...(isKnown ? [] : ['Transfer-Encoding', 'chunked'])]
  }
  return method === 'GET' ? [] : ['Content-Length', '0']
}
