// The HTTP server: what its listeners, with and without TLS, share, from the first connection to the last answer.
import type { Server, ServerOptions } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { plain } from '../answer.js'
import type { App } from '../../program/app.js'
import { BodyBudget } from '../bodies/body-budget.js'
import { BodyFiles } from '../bodies/body-files.js'
import { refuseUnreadable } from './client-errors.js'
import type { RouteContext } from '../exchange.js'
import { Gate } from './gate.js'
import { ListenError } from './listen-error.js'
import { listenersOf } from '../../settings/listeners.js'
import { OpenConnections } from './open-connections.js'
import { logRequests } from '../request-log.js'
import { RequestTurns } from './request-turns.js'
import type { Route } from '../route.js'
import { Routing } from '../routing.js'
import { noSchemas } from '../bodies/schema-compilers.js'
import type { Settings } from '../../settings/settings.js'
import { TlsListener } from '../tls/tls-listener.js'
import { UnsentBytes } from './unsent-bytes.js'
import { Upgrades } from './upgrades.js'
import { AnswerWriter } from '../writer.js'

const LONGEST_PARAMETER = 8192
/** How often a request that arrives is looked at within its time. */
const CHECKS = 4
const LONGEST_CHECK_MS = 5000

/** The ports that the server listens on. */
export interface HttpPorts {
  /** Without TLS; undefined when that is off. */
  readonly port: number | undefined
  /** With TLS; undefined when that is off. */
  readonly httpsPort: number | undefined
}

export class HttpServer {
  readonly #app: App
  readonly #fastify: FastifyInstance
  readonly #tls: TlsListener | undefined
  readonly #connections: OpenConnections
  readonly #bodyFiles: BodyFiles
  readonly #upgrades: Upgrades
  readonly #writer: AnswerWriter

  constructor(app: App, routes: readonly Route[]) {
    this.#app = app
    this.#connections = new OpenConnections(() => app.settings.limits)
    const uploads = new BodyBudget(
      () => app.settings.limits.http_upload_bytes_total,
      'limits.http_upload_bytes_total'
    )
    this.#bodyFiles = new BodyFiles(app.settings.data_dir, uploads)
    const unsent = new UnsentBytes()
    const writer = (this.#writer = new AnswerWriter(app.settings, app.closing, unsent))
    const turns = new RequestTurns(unsent, () => app.settings.limits.http_unsent_bytes)
    const gate = new Gate(app, { connections: this.#connections, turns, unsent, writer })
    const bodyBudget = new BodyBudget(
      () => app.settings.limits.http_body_bytes_total,
      'limits.http_body_bytes_total'
    )
    const contexts = routes.map((route): RouteContext => {
      const meter = app.metrics.route(route.method, route.path)
      return { app, route, meter, writer, bodyBudget, bodyFiles: this.#bodyFiles, turns }
    })
    this.#upgrades = new Upgrades(app, contexts, request => gate.isOpenFor(request))
    const options: ServerOptions = {
      ...optionsOf(app.settings),
      shouldUpgradeCallback: request => this.#upgrades.accepts(request)
    }
    const refuse = refuseUnreadable(app.settings.limits, turns)
    this.#fastify = frameworkOf(app.settings, options, refuse, writer)
    gate.guard(this.#fastify)
    new Routing(app, writer, this.#fastify).register(contexts)
    if (app.settings.ports.https !== -1)
      this.#tls = new TlsListener(app, options, refuse, (request, response) =>
        this.#fastify.routing(request, response)
      )
    if (app.settings.ports.http !== -1) this.#equip(this.#fastify.server)
    if (this.#tls) this.#equip(this.#tls.server)
    observe(app, unsent, bodyBudget)
  }

  /** Listens. @throws ListenError */
  async listen(): Promise<HttpPorts> {
    await this.#bodyFiles.clear()
    const port = await this.#listenPlain()
    return { port, httpsPort: await this.#tls?.listen() }
  }

  /** Stops accepting, and resolves when every request in flight is answered. */
  async close(): Promise<void> {
    const closed = this.#fastify.close()
    const tlsClosed = this.#tls?.close()
    this.#connections.closeUnused()
    await closed
    await tlsClosed
  }

  /** Gives a server what it needs besides handing requests to the framework. */
  #equip(server: Server): void {
    const { logger, reload, settings } = this.#app
    // Among the framework's options 0 would mean its own default.
    server.keepAliveTimeout = settings.limits.keep_alive_timeout
    reload.register(({ limits: { keep_alive_timeout: timeout } }) => () => {
      server.keepAliveTimeout = timeout
    })
    // Whoever waits for the word to send a body hears it, or why not, from the route.
    server.on('checkContinue', (request, response) => this.#fastify.routing(request, response))
    server.on('checkExpectation', ({ headers }, response) => {
      const text = `Expectation ${JSON.stringify(headers.expect)} is not met: only 100-continue is known`
      this.#writer.write(response, plain(417, text, ['Connection', 'close']))
    })
    logRequests(server, logger)
    this.#upgrades.serve(server)
    this.#connections.watch(server)
  }

  /** Listens without TLS, unless that is off. @throws ListenError */
  async #listenPlain(): Promise<number | undefined> {
    const fastify = this.#fastify
    const place = listenersOf(this.#app.settings).find(({ what }) => what === 'HTTP')
    if (!place) {
      await fastify.ready()
      return undefined
    }
    await fastify.listen({ host: place.address, port: place.port }).catch(error => {
      throw new ListenError(place, error)
    })
    const address = fastify.server.address()
    return typeof address === 'object' && address ? address.port : place.port
  }
}

/** Of every server, with and without TLS. */
const optionsOf = ({ limits }: Settings): ServerOptions => ({
  // Its absence is told with a text (see `formFault`).
  requireHostHeader: false,
  maxHeaderSize: limits.http_header_bytes,
  // A request without a body needs none of what a stream costs.
  optimizeEmptyRequests: true,
  // Of the two Node takes no head that may take longer than its request.
  headersTimeout: limits.request_timeout,
  requestTimeout: limits.request_timeout,
  connectionsCheckingInterval: checkInterval(limits.request_timeout)
})

const frameworkOf = (
  { http: { trusted_proxies: proxies }, limits }: Settings,
  http: ServerOptions,
  refuse: ReturnType<typeof refuseUnreadable>,
  writer: AnswerWriter
): FastifyInstance =>
  Fastify({
    logger: false,
    genReqId: () => '',
    requestTimeout: limits.request_timeout,
    exposeHeadRoutes: false,
    ...(proxies.length > 0 ? { trustProxy: [...proxies] } : {}),
    schemaController: noSchemas,
    // What has arrived, or is arriving, when the server begins to end is answered.
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER, querystringParser: () => ({}) },
    http,
    clientErrorHandler: refuse,
    frameworkErrors: (error, _request, reply) => {
      reply.hijack()
      writer.write(reply.raw, plain(400, `Bad request: ${error.message}`))
    }
  })

/** Every how many ms Node looks for requests that take too long to arrive, where they must within `longest` ms. */
const checkInterval = (longest: number): number =>
  longest === 0 ? LONGEST_CHECK_MS : Math.min(Math.ceil(longest / CHECKS), LONGEST_CHECK_MS)

const observe = ({ metrics }: App, unsent: UnsentBytes, bodies: BodyBudget): void => {
  metrics.gauge('annals_http_unsent_bytes', 'Bytes of answers that wait to be sent', () => unsent.total)
  metrics.gauge('annals_http_body_bytes', 'Bytes of bodies in memory', () => bodies.held)
}
