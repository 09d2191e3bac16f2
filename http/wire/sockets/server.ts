import { refusedWith } from '../response.js'
import { createServer, type IncomingMessage, type Server, type ServerOptions } from 'node:http'
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER } from '../../../server/settings/ports.js'
import { Reload } from '../../../server/settings/reload.js'
import { httpAddressesOf, listenersOf } from '../../../server/settings/listeners.js'
import { LiveSettings, type Settings } from '../../../server/settings/settings.js'
import { BodyFiles } from '../bodies/request-body.js'
import { RequestLog } from '../request-log.js'
import { ClusterCertificates } from '../tls/cluster-certificates.js'
import { TlsListener } from '../tls/tls-listener.js'
import { ResponseWriter } from '../response-writer.js'
import { refuseUnreadable } from './client-errors.js'
import { AdmissionControl } from './admission-control.js'
import { listen, listenAt, type Sharing, listenAtSocket } from './listen.js'
import { OpenConnections } from './open-connections.js'
import { ConnectionQueue } from './connection-queue.js'
import { Upgrades } from './upgrades.js'

const CHECKS = 4
const IDLE_CHECK_MS = 20
const LONGEST_CHECK_MS = 5000

interface HttpPorts {
  readonly port: number | undefined
  readonly httpsPort: number | undefined
}

@scoped(Lifecycle.ContainerScoped)
export class HttpServer {
  readonly #plain: Server | undefined
  readonly #atSocket: Server | undefined
  readonly #tls: TlsListener | undefined
  readonly #options: ServerOptions
  #processServer: Server | undefined

  constructor(
    private readonly live: LiveSettings,
    private readonly reload: Reload,
    @inject(LOGGER) logger: Logger,
    private readonly writer: ResponseWriter,
    private readonly admission: AdmissionControl,
    private readonly upgrades: Upgrades,
    private readonly connections: OpenConnections,
    private readonly queue: ConnectionQueue,
    private readonly bodyFiles: BodyFiles,
    clusterCertificates: ClusterCertificates,
    private readonly requestLog: RequestLog
  ) {
    const { limits, ports } = live.current
    const options = {
      ...optionsOf(limits),
      shouldUpgradeCallback: (request: IncomingMessage) =>
        admission.isOpenFor(request) && upgrades.accepts(request)
    }
    this.#options = options
    const refuse = refuseUnreadable(limits, queue)
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
      this.#tls = new TlsListener({ live, reload, logger }, clusterCertificates, options, refuse)
      this.#equip(this.#tls.server)
      connections.watch(this.#tls.server)
    }
  }

  /** Reads the certificates of HTTPS. @throws SettingsError when they cannot be used */
  open(): void {
    this.#tls?.open()
  }

  /** Listens. @throws ListenError */
  async listen(sharing: Sharing = 'alone'): Promise<HttpPorts> {
    // Processes that join later would delete the bodies of the first.
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

  async listenToProcesses(path: string): Promise<void> {
    const server = createServer(this.#options)
    server.on('clientError', refuseUnreadable(this.live.current.limits, this.queue))
    this.#equip(server)
    await listenAt(server, path)
    this.#processServer = server
  }

  async closeToProcesses(): Promise<void> {
    const server = this.#processServer
    if (server) await new Promise<void>(resolve => server.close(() => resolve()))
  }

  async close(): Promise<void> {
    const servers = [this.#plain, this.#atSocket, this.#tls?.server].filter(server => server !== undefined)
    const closed = servers.map(closeServer)
    this.connections.closeUnused()
    await Promise.all(closed)
  }

  #equip(server: Server): void {
    server.on('request', this.admission.pass)
    // The route decides whether to send 100 Continue.
    server.on('checkContinue', this.admission.pass)
    server.on('checkExpectation', (request, response) => {
      this.requestLog.follow(request, response)
      const text = `Expectation ${JSON.stringify(request.headers.expect)} is not met: only 100-continue is known`
      this.writer.write(
        response,
        refusedWith('request.expectation-unsupported', text, ['Connection', 'close'])
      )
    })
    this.reload.register(({ limits: { keep_alive_timeout: timeout } }) => () => {
      server.keepAliveTimeout = timeout
    })
    this.upgrades.serve(server)
  }
}

/** Closes each connection as soon as its requests have ended, which `Server.close` does only once. */
const closeServer = (server: Server): Promise<void> =>
  new Promise(resolve => {
    const timer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
    server.close(() => {
      clearInterval(timer)
      resolve()
    })
  })

const optionsOf = (limits: Settings['limits']): ServerOptions => ({
  // `syntaxErrorOf` reports a missing header with a text.
  requireHostHeader: false,
  maxHeaderSize: limits.http_header_bytes,
  // Saves the cost of a stream for requests without a body.
  optimizeEmptyRequests: true,
  keepAliveTimeout: limits.keep_alive_timeout,
  // Node rejects a headers timeout over the request timeout.
  headersTimeout: limits.request_timeout,
  requestTimeout: limits.request_timeout,
  connectionsCheckingInterval: checkInterval(limits.request_timeout)
})

/** Returns the interval in ms at which Node checks for requests that exceed the timeout `longest`. */
const checkInterval = (longest: number): number =>
  longest === 0 ? LONGEST_CHECK_MS : Math.min(Math.ceil(longest / CHECKS), LONGEST_CHECK_MS)
