// Requests for a WebSocket. Node asks of each request that wishes for another protocol whether it is to have it: a request that
// a route can make a WebSocket of is; every other one, be it refused or a wish for HTTP/2, is served as if it had not asked.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Lifecycle, scoped } from 'tsyringe'
import { WebSocketServer } from 'ws'
import { refuseConnection } from './client-errors.js'
import { datacenterIn } from '../datacenter-parameter.js'
import { checkRequest } from '../check-request.js'
import { RequestHandlerServices } from '../request-handler-services.js'
import { RequestLog } from '../request-log.js'
import type { RouteResponse } from '../response.js'
import { problem } from '../problems.js'
import { requestIdLine } from '../../../server/telemetry/request-id.js'
import type { RequestContext } from '../request-context.js'
import { runsOf, type OpenWebSocket } from '../route.js'
import { ServedRoutes, type ServedRoute } from '../served-routes.js'
import { originFormOf } from '../path-normalization.js'
import { AdmissionControl } from './admission-control.js'
import { asksForWebSocket } from './request-syntax.js'

/** What clients may send in one message; a longer one closes the connection (1009). */
const MOST_RECEIVED_BYTES = 64 * 1024
const SWITCHING = 101

/** A request that a route makes a WebSocket of. */
interface Accepted {
  readonly served: ServedRoute
  readonly request: RequestContext
  readonly open: OpenWebSocket
}

/** A request for a WebSocket on its connection. */
interface Wish {
  readonly raw: IncomingMessage
  readonly socket: Socket
  /** What has arrived behind its headers. */
  readonly head: Buffer
}

@scoped(Lifecycle.ContainerScoped)
export class Upgrades {
  readonly #routes: ReadonlyMap<string, ServedRoute>
  readonly #accepted = new WeakMap<IncomingMessage, Accepted>()
  /** Those that name another datacenter, be it known or not. */
  readonly #elsewhere = new WeakMap<IncomingMessage, ServedRoute>()
  /** Those of which is found out later who opens them, and whether: in a cluster, and where it must be asked who asks. */
  readonly #placed = new WeakMap<IncomingMessage, ServedRoute>()
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MOST_RECEIVED_BYTES,
    handleProtocols: (offered, raw) => this.#chosen(offered, raw)
  })

  constructor(
    private readonly services: RequestHandlerServices,
    private readonly gate: AdmissionControl,
    private readonly requestLog: RequestLog,
    { all }: ServedRoutes
  ) {
    const ofWebSockets = all.filter(({ route }) => route.webSocket)
    this.#routes = new Map(ofWebSockets.map(served => [served.route.path, served]))
    this.#webSockets.on('headers', (lines, request) => {
      const line = requestIdLine(request)
      if (line !== undefined) lines.push(line)
    })
  }

  /** To be asked by Node whether a request gets the other protocol that it wishes for (`shouldUpgradeCallback`). */
  accepts(request: IncomingMessage): boolean {
    if (request.method !== 'GET' || !asksForWebSocket(request.headers)) return false
    const [path = ''] = originFormOf(request.url ?? '').split('?', 1)
    const served = this.#routes.get(path)
    if (!served || !this.gate.isOpenFor(request)) return false
    const { whoAnswers, request: services } = this.services
    if (this.#isElsewhere(served, request)) {
      this.#elsewhere.set(request, served)
      return true
    }
    const asked = this.#requestOf(served, request)
    const isHere = whoAnswers?.isLeading() && runsOf(served.route, asked) === 'anywhere'
    const learning = asked.learnWhoAsks()
    // Whoever opens it hears of a failure, too.
    learning?.catch(() => {})
    if ((whoAnswers && !isHere) || learning) {
      this.#placed.set(request, served)
      return true
    }
    if (!services.committer.isReadable) return false
    const accepted = this.#acceptedBy(served, request)
    if (accepted) this.#accepted.set(request, accepted)
    return accepted !== undefined
  }

  /** Makes WebSockets of a server's requests that were accepted. */
  serve(server: Server): void {
    server.on('upgrade', (raw, socket: Socket, head) => {
      // An error of the connection is followed by its close, which is what counts.
      socket.on('error', () => {})
      const elsewhere = this.#elsewhere.get(raw)
      if (elsewhere) return void this.#sendElsewhere(elsewhere, { raw, socket, head })
      const placed = this.#placed.get(raw)
      if (placed) return void this.#place(placed, { raw, socket, head })
      const accepted = this.#accepted.get(raw)
      // Before 24.9 Node asks nobody.
      if (!accepted)
        return refuseConnection(socket, 501, 'Upgrades need a server that runs on Node 24.9 or later')
      this.#open(accepted, { raw, socket, head })
    })
  }

  #open({ served, open, request }: Accepted, wish: Wish): void {
    request.whenDurable(failure => {
      if (failure) return this.#refuse(served, wish, problem(failure, this.services.logger))
      this.#webSockets.handleUpgrade(wish.raw, wish.socket, wish.head, webSocket => {
        this.#count(served, wish, SWITCHING)
        open(webSocket)
      })
    })
  }

  #refuse(served: ServedRoute, wish: Wish, { status, body, headers }: RouteResponse): void {
    refuseConnection(wish.socket, status, body.toString(), headers)
    this.#count(served, wish, status)
  }

  /** The request has ended, with a WebSocket or without one. */
  #count({ meter }: ServedRoute, { raw }: Wish, status: number): void {
    meter.observe(status, 0)
    this.services.tracing?.spanOf(raw).end(status)
    this.requestLog.noteUpgrade(raw, status)
  }

  /** Opens a WebSocket once what this server shows is new enough, and it is known who asks; or has the leader open it. */
  async #place(served: ServedRoute, wish: Wish): Promise<void> {
    const { route } = served
    const { raw, socket, head } = wish
    const { whoAnswers, authFailures, logger } = this.services
    const request = this.#requestOf(served, raw)
    try {
      if (whoAnswers && (await whoAnswers.locationOf(route, request)) === 'leader') {
        const asked = { request, message: raw, socket, head, isRefused: false, until: whoAnswers.deadline }
        const status = await whoAnswers.tunnel(asked)
        if (status !== 'here') return this.#count(served, wish, status)
      }
      await request.ready(route.access.resolvesToken)
      checkRequest(route, request)
      const open = route.webSocket?.(request)
      if (open) {
        const accepted = { served, request, open }
        this.#accepted.set(raw, accepted)
        return this.#open(accepted, wish)
      }
      // It says why.
      this.#refuse(served, wish, await route.handle(request))
    } catch (error) {
      this.#refuse(served, wish, problem(authFailures.judge(error, request.incoming.address), logger))
    }
  }

  #isElsewhere(served: ServedRoute, raw: IncomingMessage): boolean {
    const { datacenters } = this.services
    if (!datacenters) return false
    const request = this.#requestOf(served, raw)
    return ![undefined, request.settings.datacenter].includes(datacenterIn(served.route, request))
  }

  /** Has the datacenter that a request names open a WebSocket. */
  async #sendElsewhere(served: ServedRoute, wish: Wish): Promise<void> {
    const { datacenters, logger } = this.services
    const { raw, socket, head } = wish
    const request = this.#requestOf(served, raw)
    try {
      const name = datacenters?.requestedDatacenterOf(served.route, request)
      if (name === undefined) throw new Error('a request names another datacenter no more')
      const status = await datacenters?.tunnel(name, { request, message: raw, socket, head })
      this.#count(served, wish, status ?? 0)
    } catch (error) {
      this.#refuse(served, wish, problem(error, logger))
    }
  }

  #requestOf({ route }: ServedRoute, raw: IncomingMessage): RequestContext {
    return this.services.requestOf(route, raw, raw.socket, {})
  }

  /** A subprotocol that the route knows, or else the one that the client names first, which has no meaning here. */
  #chosen(offered: ReadonlySet<string>, raw: IncomingMessage): string | false {
    const known = this.#accepted.get(raw)?.served.route.subprotocols ?? []
    const [first = false] = offered
    return known.find(name => offered.has(name)) ?? first
  }

  #acceptedBy(served: ServedRoute, raw: IncomingMessage): Accepted | undefined {
    const { route } = served
    const request = this.#requestOf(served, raw)
    try {
      checkRequest(route, request)
      const open = route.webSocket?.(request)
      return open && { served, request, open }
    } catch {
      // The route meets it again, and answers.
      return undefined
    }
  }
}
