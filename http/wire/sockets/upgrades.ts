// Requests for a WebSocket. Node asks of each request that wishes for another protocol whether it is to have it: a request that
// a route can make a WebSocket of is; every other one, be it refused or a wish for HTTP/2, is served as if it had not asked.
import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import proxyAddr from '@fastify/proxy-addr'
import { WebSocketServer } from 'ws'
import type { App } from '../../program/app.js'
import { refuseConnection } from './client-errors.js'
import { checkEveryRequest, type RouteContext } from '../exchange.js'
import { Incoming } from '../bodies/incoming.js'
import { problem } from '../problems.js'
import { ApiRequest } from '../request.js'
import type { OpenWebSocket } from '../route.js'
import { originForm } from '../stray-paths.js'

/** What clients may send in one message; nothing that they send has a meaning. */
const MOST_RECEIVED_BYTES = 1024
const SWITCHING = 101

/** A request that a route makes a WebSocket of. */
interface Accepted {
  readonly context: RouteContext
  readonly request: ApiRequest
  readonly open: OpenWebSocket
}

/** Whether a request with these headers asks for a WebSocket (RFC 6455 §4.1). */
export const asksForWebSocket = (headers: IncomingHttpHeaders): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && /\bupgrade\b/i.test(headers.connection ?? '')

export class Upgrades {
  readonly #app: App
  readonly #contexts: ReadonlyMap<string, RouteContext>
  readonly #isLetIn: (request: IncomingMessage) => boolean
  readonly #addressOf: (request: IncomingMessage) => string
  readonly #accepted = new WeakMap<IncomingMessage, Accepted>()
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MOST_RECEIVED_BYTES
  })

  /**
   * @param contexts of all routes
   * @param isLetIn whether a request is not refused before any route looks at it
   */
  constructor(app: App, contexts: Iterable<RouteContext>, isLetIn: (request: IncomingMessage) => boolean) {
    this.#app = app
    this.#isLetIn = isLetIn
    const ofWebSockets = [...contexts].filter(({ route }) => route.webSocket)
    this.#contexts = new Map(ofWebSockets.map(context => [context.route.path, context]))
    const trusts = proxyAddr.compile([...app.settings.http.trusted_proxies])
    this.#addressOf = request => proxyAddr(request, trusts)
  }

  /** To be asked by Node whether a request gets the other protocol that it wishes for (`shouldUpgradeCallback`). */
  accepts(request: IncomingMessage): boolean {
    if (request.method !== 'GET' || !asksForWebSocket(request.headers)) return false
    const [path = ''] = originForm(request.url ?? '').split('?', 1)
    const context = this.#contexts.get(path)
    if (!context || !this.#app.committer.isReadable || !this.#isLetIn(request)) return false
    const accepted = this.#acceptedBy(context, request)
    if (accepted) this.#accepted.set(request, accepted)
    return accepted !== undefined
  }

  /** Makes WebSockets of a server's requests that were accepted. */
  serve(server: Server): void {
    server.on('upgrade', (raw, socket: Socket, head) => {
      // An error of the connection is followed by its close, which is what counts.
      socket.on('error', () => {})
      const accepted = this.#accepted.get(raw)
      // Before 24.9 Node asks nobody.
      if (!accepted)
        return refuseConnection(socket, 501, 'Upgrades need a server that runs on Node 24.9 or later')
      const { context, open, request } = accepted
      request.whenSettled(failure => {
        if (failure) {
          const { status, body } = problem(failure, this.#app.logger)
          refuseConnection(socket, status, body.toString())
          context.meter.observe(status, 0)
          return
        }
        this.#webSockets.handleUpgrade(raw, socket, head, webSocket => {
          context.meter.observe(SWITCHING, 0)
          open(webSocket, socket)
        })
      })
    })
  }

  #acceptedBy(context: RouteContext, raw: IncomingMessage): Accepted | undefined {
    const { app, route } = context
    const arrived = { raw, method: raw.method ?? '', params: {}, ip: this.#addressOf(raw) }
    const incoming = new Incoming(arrived, { raw: raw.socket }, undefined, app.closing, () => {})
    const request = new ApiRequest(app, incoming, route)
    try {
      checkEveryRequest(context, request)
      const open = route.webSocket?.(request)
      return open && { context, request, open }
    } catch {
      // The route meets it again, and answers.
      return undefined
    }
  }
}
