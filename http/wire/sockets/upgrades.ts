// WebSocket upgrades. Node asks for each upgrade request whether to grant it. Those for a WebSocket route are granted; all others, including
// rejected ones and HTTP/2, are served as ordinary requests.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { Lifecycle, scoped } from 'tsyringe'
import { WebSocketServer } from 'ws'
import { refuseConnection } from './client-errors.js'
import { datacenterIn } from '../datacenter-routing.js'
import { checkRequest } from '../pipelined-request.js'
import { PipelineServices } from '../pipeline-services.js'
import { RequestLog } from '../request-log.js'
import { type RouteResponse, problem, refusedWith } from '../response.js'
import { requestIdLine } from '../../../server/telemetry/request-id.js'
import type { RequestContext } from '../request-context.js'
import { answerTo, runsOf, type OpenWebSocket } from '../route.js'
import { ServedRoutes, type ServedRoute } from '../served-routes.js'
import { originFormOf } from '../path-normalization.js'
import { asksForWebSocket } from './browser-guard.js'

/** Limit of one client message; a longer one closes the connection with 1009. */
const MOST_RECEIVED_BYTES = 64 * 1024
const SWITCHING = 101

interface Accepted {
  readonly served: ServedRoute
  readonly request: RequestContext
  readonly open: OpenWebSocket
}

interface UpgradeRequest {
  readonly raw: IncomingMessage
  readonly socket: Socket
  /** The bytes received after its headers. */
  readonly head: Buffer
}

@scoped(Lifecycle.ContainerScoped)
export class Upgrades {
  readonly #routes: ReadonlyMap<string, ServedRoute>
  readonly #accepted = new WeakMap<IncomingMessage, Accepted>()
  /** Requests that name another datacenter, known or not. */
  readonly #elsewhere = new WeakMap<IncomingMessage, ServedRoute>()
  /** Requests whose server or caller is determined asynchronously. */
  readonly #pending = new WeakMap<IncomingMessage, ServedRoute>()
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MOST_RECEIVED_BYTES,
    handleProtocols: (offered, raw) => this.#chosen(offered, raw)
  })

  constructor(
    private readonly services: PipelineServices,
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

  /** Decides whether an admitted request is upgraded (`shouldUpgradeCallback`). */
  accepts(request: IncomingMessage): boolean {
    if (request.method !== 'GET' || !asksForWebSocket(request.headers)) return false
    const [path = ''] = originFormOf(request.url ?? '').split('?', 1)
    const served = this.#routes.get(path)
    if (!served) return false
    const { routing, request: services } = this.services
    if (this.#isElsewhere(served, request)) {
      this.#elsewhere.set(request, served)
      return true
    }
    const asked = this.#requestOf(served, request)
    const isHere = routing?.isLeading() && runsOf(served.route, asked) === 'anywhere'
    const learning = asked.resolveCaller()
    // The upgrade handler reports the failure.
    learning?.catch(() => {})
    if ((routing && !isHere) || learning) {
      this.#pending.set(request, served)
      return true
    }
    if (!services.committer.isReadable) return false
    const accepted = this.#acceptedBy(served, request)
    if (accepted) this.#accepted.set(request, accepted)
    return accepted !== undefined
  }

  serve(server: Server): void {
    server.on('upgrade', (raw, socket: Socket, head) => {
      // An error of the connection is followed by its close, which is what counts.
      socket.on('error', () => {})
      const elsewhere = this.#elsewhere.get(raw)
      if (elsewhere) return void this.#sendElsewhere(elsewhere, { raw, socket, head })
      const placed = this.#pending.get(raw)
      if (placed) return void this.#place(placed, { raw, socket, head })
      const accepted = this.#accepted.get(raw)
      // Before 24.9, Node has no `shouldUpgradeCallback`.
      if (!accepted)
        return refuseConnection(
          socket,
          refusedWith('request.upgrade-unsupported', 'Upgrades need a server that runs on Node 24.9 or later')
        )
      this.#open(accepted, { raw, socket, head })
    })
  }

  #open({ served, open, request }: Accepted, upgrade: UpgradeRequest): void {
    request.whenDurable(failure => {
      if (failure) return this.#refuse(served, upgrade, problem(failure, this.services.logger))
      this.#webSockets.handleUpgrade(upgrade.raw, upgrade.socket, upgrade.head, webSocket => {
        this.#count(served, upgrade, SWITCHING)
        open(webSocket)
      })
    })
  }

  #refuse(served: ServedRoute, upgrade: UpgradeRequest, response: RouteResponse): void {
    refuseConnection(upgrade.socket, response)
    this.#count(served, upgrade, response.status)
  }

  #count({ meter }: ServedRoute, { raw }: UpgradeRequest, status: number): void {
    meter.observe(status, 0)
    this.services.tracing?.spanOf(raw).end(status)
    this.requestLog.noteUpgrade(raw, status)
  }

  /** Opens a WebSocket after this server is up to date and the caller is resolved, or has the leader open it. */
  async #place(served: ServedRoute, upgrade: UpgradeRequest): Promise<void> {
    const { route } = served
    const { raw, socket, head } = upgrade
    const { routing, authFailures, logger } = this.services
    const request = this.#requestOf(served, raw)
    try {
      if (routing && (await routing.locationOf(route, request)) === 'leader') {
        const asked = { request, message: raw, socket, head, isRefused: false, until: routing.deadline }
        const status = await routing.tunnel(asked)
        if (status !== 'here') return this.#count(served, upgrade, status)
      }
      await request.ready(route.access.resolvesToken)
      checkRequest(route, request)
      const open = route.webSocket?.(request)
      if (open) {
        const accepted = { served, request, open }
        this.#accepted.set(raw, accepted)
        return this.#open(accepted, upgrade)
      }
      // The handler states the reason.
      this.#refuse(served, upgrade, await answerTo(route, request))
    } catch (error) {
      this.#refuse(served, upgrade, problem(authFailures.judge(error, request.address), logger))
    }
  }

  #isElsewhere(served: ServedRoute, raw: IncomingMessage): boolean {
    const { datacenters } = this.services
    if (!datacenters) return false
    const request = this.#requestOf(served, raw)
    return ![undefined, request.settings.datacenter].includes(datacenterIn(served.route, request))
  }

  async #sendElsewhere(served: ServedRoute, upgrade: UpgradeRequest): Promise<void> {
    const { datacenters, logger } = this.services
    const { raw, socket, head } = upgrade
    const request = this.#requestOf(served, raw)
    try {
      const name = datacenters?.requestedDatacenterOf(served.route, request)
      if (name === undefined) throw new Error('the request no longer names another datacenter')
      const status = await datacenters?.tunnel(name, { request, message: raw, socket, head })
      this.#count(served, upgrade, status ?? 0)
    } catch (error) {
      this.#refuse(served, upgrade, problem(error, logger))
    }
  }

  #requestOf({ route }: ServedRoute, raw: IncomingMessage): RequestContext {
    return this.services.requestOf(route, raw, raw.socket, {})
  }

  /** Returns a subprotocol of the route, or else the first one of the client, which then has no meaning. */
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
      // The request is served without an upgrade, so its route reports the error.
      return undefined
    }
  }
}
