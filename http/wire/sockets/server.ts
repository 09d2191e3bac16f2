// The HTTP server: what its listeners, with and without TLS, share, from the first connection to the last answer.
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  type ServerResponse
} from 'node:http'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER } from '../../../server/settings/ports.js'
import { Reload } from '../../../server/settings/reload.js'
import { httpAddressesOf, listenersOf } from '../../../server/settings/listeners.js'
import { LiveSettings } from '../../../server/settings/live-settings.js'
import { TRACING, type Tracing } from '../../../server/telemetry/tracing/tracing.js'
import type { Settings } from '../../../server/settings/settings.js'
import { plain } from '../response.js'
import { BodyFiles } from '../bodies/body-files.js'
import { problem } from '../problems.js'
import { returnRequestId } from '../../../server/telemetry/request-id.js'
import { RequestLog } from '../request-log.js'
import { RouteTable } from '../route-table.js'
import { ClusterCertificates } from '../tls/cluster-certificates.js'
import { TlsListener } from '../tls/tls-listener.js'
import { ResponseWriter } from '../response-writer.js'
import { refuseUnreadable } from './client-errors.js'
import { AdmissionControl } from './admission-control.js'
import { listen, listenAt, type Sharing } from './listen.js'
import { listenAtSocket } from './unix-socket.js'
import { OpenConnections } from './open-connections.js'
import { ConnectionQueue } from './connection-queue.js'
import { Upgrades } from './upgrades.js'

/** How often a request that arrives is looked at within its time. */
const CHECKS = 4
const LONGEST_CHECK_MS = 5000

/** The ports that the server listens on. */
interface HttpPorts {
  /** Without TLS; undefined when that is off. */
  readonly port: number | undefined
  /** With TLS; undefined when that is off. */
  readonly httpsPort: number | undefined
}

@scoped(Lifecycle.ContainerScoped)
export class HttpServer {
  readonly #plain: Server | undefined
  /** At the Unix socket of `addresses.http`. */
  readonly #atSocket: Server | undefined
  readonly #tls: TlsListener | undefined
  readonly #options: ServerOptions
  #ofMachine: Server | undefined

  constructor(
    private readonly live: LiveSettings,
    private readonly reload: Reload,
    @inject(LOGGER) private readonly logger: Logger,
    private readonly writer: ResponseWriter,
    private readonly gate: AdmissionControl,
    private readonly routing: RouteTable,
    private readonly upgrades: Upgrades,
    private readonly connections: OpenConnections,
    private readonly turns: ConnectionQueue,
    private readonly bodyFiles: BodyFiles,
    ofCluster: ClusterCertificates,
    private readonly requestLog: RequestLog,
    @inject(TRACING, { isOptional: true }) private readonly tracing: Tracing | undefined
  ) {
    const { limits, ports } = live.current
    const options = {
      ...optionsOf(limits),
      shouldUpgradeCallback: (request: IncomingMessage) => upgrades.accepts(request)
    }
    this.#options = options
    const refuse = refuseUnreadable(limits, turns)
    const { tcp, socket } = httpAddressesOf(live.current)
    const withoutTls = (): Server => {
      const server = createServer(options).on('clientError', refuse)
      this.#equip(server)
      connections.watch(server)
      return server
    }
    if (ports.http !== -1) {
      if (tcp !== undefined) this.#plain = withoutTls()
      if (socket !== undefined) this.#atSocket = withoutTls()
    }
    if (ports.https !== -1) {
      this.#tls = new TlsListener({ live, reload, logger }, ofCluster, options, refuse)
      this.#equip(this.#tls.server)
      connections.watch(this.#tls.server)
    }
  }

  /** Listens. @throws ListenError */
  async listen(sharing: Sharing = 'alone'): Promise<HttpPorts> {
    // Others may be receiving bodies already.
    if (sharing !== 'joins') await this.bodyFiles.clear()
    const listeners = listenersOf(this.live.current)
    const start = async (what: 'HTTP' | 'HTTPS', server: Server | undefined): Promise<number | undefined> => {
      const place = listeners.find(listener => listener.what === what)
      return place && server && listen(server, place, sharing)
    }
    const ports = {
      port: await start('HTTP', this.#plain),
      httpsPort: await start('HTTPS', this.#tls?.server)
    }
    const { socket } = httpAddressesOf(this.live.current)
    // Only one process can listen at a socket.
    if (this.#atSocket && socket !== undefined && sharing !== 'joins')
      await listenAtSocket(this.#atSocket, socket, this.live.current.unix_sockets)
    return ports
  }

  /** Also takes requests of other processes of this server, over a socket of this machine. @param path of the socket */
  async listenToProcesses(path: string): Promise<void> {
    const server = createServer(this.#options)
    server.on('clientError', refuseUnreadable(this.live.current.limits, this.turns))
    this.#equip(server)
    await listenAt(server, path)
    this.#ofMachine = server
  }

  /** As `close`, of what `listenToProcesses` has opened. */
  async closeToProcesses(): Promise<void> {
    const server = this.#ofMachine
    if (server) await new Promise<void>(resolve => server.close(() => resolve()))
  }

  /** Stops accepting, and resolves when every request in flight is answered. */
  async close(): Promise<void> {
    const closed = [this.#plain, this.#atSocket, this.#tls].flatMap(server =>
      server ? [new Promise<void>(resolve => server.close(() => resolve()))] : []
    )
    this.connections.closeUnused()
    await Promise.all(closed)
  }

  /** Has a server hand its requests on, and keep to the limits. */
  #equip(server: Server): void {
    const handle = (request: IncomingMessage, response: ServerResponse): void =>
      this.#handle(request, response)
    server.on('request', handle)
    // Whoever waits for the word to send a body hears it, or why not, from the route.
    server.on('checkContinue', handle)
    server.on('checkExpectation', (request, response) => {
      this.requestLog.follow(request, response)
      returnRequestId(request, response)
      const text = `Expectation ${JSON.stringify(request.headers.expect)} is not met: only 100-continue is known`
      this.writer.write(response, plain(417, text, ['Connection', 'close']))
    })
    this.reload.register(({ limits: { keep_alive_timeout: timeout } }) => () => {
      server.keepAliveTimeout = timeout
    })
    this.upgrades.serve(server)
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    this.tracing?.spanOf(request).endWith(response)
    this.requestLog.follow(request, response)
    returnRequestId(request, response)
    this.gate.pass(request, response, () => {
      try {
        this.routing.handle(request, response)
      } catch (error) {
        this.writer.write(response, problem(error, this.logger))
      }
    })
  }
}

/** Of every server, with and without TLS. */
const optionsOf = (limits: Settings['limits']): ServerOptions => ({
  // Its absence is told with a text (see `formFault`).
  requireHostHeader: false,
  maxHeaderSize: limits.http_header_bytes,
  // A request without a body needs none of what a stream costs.
  optimizeEmptyRequests: true,
  keepAliveTimeout: limits.keep_alive_timeout,
  // Of the two Node takes no headers that may take longer than its request.
  headersTimeout: limits.request_timeout,
  requestTimeout: limits.request_timeout,
  connectionsCheckingInterval: checkInterval(limits.request_timeout)
})

/** Every how many ms Node looks for requests that take too long to arrive, where they must within `longest` ms. */
const checkInterval = (longest: number): number =>
  longest === 0 ? LONGEST_CHECK_MS : Math.min(Math.ceil(longest / CHECKS), LONGEST_CHECK_MS)
