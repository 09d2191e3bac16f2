// The HTTP server: sockets, limits, routing, and the way of a request through dispatch to its answer.
import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods
} from 'fastify'
import { empty, plain, TEXT_TYPE, type Answer } from './answer.js'
import type { App } from './app.js'
import { BodyBudget } from './body-budget.js'
import { BodyFiles } from './body-files.js'
import { BrowserGuard } from './browser-guard.js'
import { refuseUnreadable } from './client-errors.js'
import { Exchange, type RouteContext } from './exchange.js'
import { ListenError } from './listen-error.js'
import { listenersOf } from './listeners.js'
import { OpenConnections } from './open-connections.js'
import { announcesTooMuch, boundOf, hasBody, tooLarge } from './request-body.js'
import { formFault } from './request-form.js'
import { logRequests } from './request-log.js'
import { RequestTurns } from './request-turns.js'
import { GENERAL_BODY_LIMIT, type Route } from './route.js'
import { routerPath } from './route-path.js'
import { movedTo, originForm, slashlessPaths, strayAnswer } from './stray-paths.js'
import { noSchemas } from './schema-compilers.js'
import { TlsListener } from './tls/tls-listener.js'
import { UnsentBytes } from './unsent-bytes.js'
import { serveUpgrades } from './upgrades.js'
import { AnswerWriter } from './writer.js'

const METHODS: readonly HTTPMethods[] = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'PATCH', 'TRACE', 'OPTIONS']
const LONGEST_PARAMETER = 8192
/** How often a request that arrives is looked at within its time. */
const CHECKS = 4
const LONGEST_CHECK_MS = 5000

/** Handles a request when its head has arrived. */
type Handler = (request: FastifyRequest, reply: FastifyReply) => void

/** The ports that the server listens on. */
export interface HttpPorts {
  /** Without TLS; undefined when that is off. */
  readonly port: number | undefined
  /** With TLS; undefined when that is off. */
  readonly httpsPort: number | undefined
}

export class HttpServer {
  readonly #app: App
  readonly #routes: readonly Route[]
  readonly #writer: AnswerWriter
  readonly #fastify: FastifyInstance
  readonly #tls: TlsListener | undefined
  readonly #connections: OpenConnections
  readonly #unsent = new UnsentBytes()
  readonly #turns: RequestTurns
  readonly #bodyBudget: BodyBudget
  readonly #bodyFiles: BodyFiles

  constructor(app: App, routes: readonly Route[]) {
    this.#app = app
    this.#routes = routes
    this.#writer = new AnswerWriter(app.settings, app.closing, this.#unsent)
    this.#bodyBudget = new BodyBudget(() => app.settings.limits.http_body_bytes_total)
    this.#bodyFiles = new BodyFiles(app.settings.data_dir)
    const { http, limits, ports } = app.settings
    const options: ServerOptions = {
      // Its absence is told with a text (see `formFault`).
      requireHostHeader: false,
      maxHeaderSize: limits.http_header_bytes,
      // A request without a body needs none of what a stream costs.
      optimizeEmptyRequests: true,
      // Of the two Node takes no head that may take longer than its request.
      headersTimeout: limits.request_timeout,
      requestTimeout: limits.request_timeout,
      connectionsCheckingInterval: checkInterval(limits.request_timeout)
    }
    this.#fastify = Fastify({
      logger: false,
      genReqId: () => '',
      requestTimeout: limits.request_timeout,
      exposeHeadRoutes: false,
      ...(http.trusted_proxies.length > 0 ? { trustProxy: [...http.trusted_proxies] } : {}),
      schemaController: noSchemas,
      // What has arrived, or is arriving, when the server begins to end is answered.
      return503OnClosing: false,
      routerOptions: { maxParamLength: LONGEST_PARAMETER, querystringParser: () => ({}) },
      http: options,
      clientErrorHandler: refuseUnreadable(limits),
      frameworkErrors: (error, _request, reply) => {
        reply.hijack()
        this.#writer.write(reply.raw, plain(400, `Bad request: ${error.message}`))
      }
    })
    const fastify = this.#fastify
    if (ports.https !== -1)
      this.#tls = new TlsListener(app, options, (request, response) => fastify.routing(request, response))
    this.#connections = new OpenConnections(() => app.settings.limits)
    if (ports.http !== -1) this.#equip(fastify.server)
    if (this.#tls) this.#equip(this.#tls.server)
    this.#turns = new RequestTurns(this.#unsent, () => app.settings.limits.http_unsent_bytes)
    this.#fastify.addHook('onRequest', ({ raw }, reply, done) => {
      if (this.#connections.isRefused(raw.socket)) reply.hijack()
      else this.#turns.await(raw, reply.raw, done)
    })
    this.#fastify.addHook('onRequest', ({ raw }, reply, done) => {
      const refusal = this.#refusalOf(raw)
      if (refusal) this.#reply(reply, refusal)
      else done()
    })
    this.#guardBrowsers()
    this.#observe()
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
    logRequests(server, logger)
    serveUpgrades(server, (request, response) => this.#fastify.routing(request, response))
    this.#connections.watch(server)
  }

  /** Registers the routes and listens. @throws ListenError */
  async listen(): Promise<HttpPorts> {
    const fastify = this.#fastify
    await this.#bodyFiles.clear()
    // Bodies are not the framework's (see `Exchange`).
    for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true })
    fastify.setErrorHandler((error, _request, reply) => this.#broken(error, reply))
    fastify.setNotFoundHandler(
      this.#bodiless(({ method, raw }, reply) => {
        const stray = strayAnswer(method, raw.url ?? '')
        if (stray) return this.#reply(reply, stray)
        reply.hijack()
        const text = 'Not found: no endpoint has this path'
        reply.raw.writeHead(404, ['Content-Type', TEXT_TYPE, 'Content-Length', String(text.length)]).end(text)
      })
    )
    for (const route of this.#routes) this.#register(route)
    this.#refuseOtherMethods()
    this.#leadToSlashes()
    const port = await this.#listenPlain()
    return { port, httpsPort: await this.#tls?.listen() }
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

  /** Stops accepting, and resolves when every request in flight is answered. */
  async close(): Promise<void> {
    const closed = this.#fastify.close()
    const tlsClosed = this.#tls?.close()
    this.#connections.closeUnused()
    await closed
    await tlsClosed
  }

  #register(route: Route): void {
    const context: RouteContext = {
      app: this.#app,
      route,
      meter: this.#app.metrics.route(route.method, route.path),
      writer: this.#writer,
      bodyBudget: this.#bodyBudget,
      bodyFiles: this.#bodyFiles,
      turns: this.#turns
    }
    const handler: Handler = (request, reply) => {
      const stray = strayAnswer(request.method, request.raw.url ?? '')
      if (stray) this.#reply(reply, stray)
      else new Exchange(context, request, reply).run()
    }
    for (const path of [route.path, ...(route.aliases ?? [])])
      // Handled where the framework first lets go: what it does between there and a handler, for bodies and answers, is done here.
      this.#fastify.route({
        method: route.method,
        url: routerPath(path),
        onRequest: handler,
        handler: unreached
      })
  }

  /** Handles requests whose body nobody needs, and refuses bodies that are larger than those that somebody does. */
  #bodiless(handle: Handler): Handler {
    return (request, reply) => {
      const bound = boundOf(this.#app.settings.limits, GENERAL_BODY_LIMIT)
      if (hasBody(request.raw) && announcesTooMuch(request.raw, bound))
        this.#reply(reply, plain(413, tooLarge(request.raw, bound).message))
      else handle(request, reply)
    }
  }

  /** Every path answers OPTIONS, and the methods that it does not have with 405 (state.md §1). */
  #refuseOtherMethods(): void {
    const byPath = new Map<string, HTTPMethods[]>()
    for (const { method, path, aliases = [] } of this.#routes)
      for (const url of [path, ...aliases].map(routerPath))
        byPath.set(url, [...(byPath.get(url) ?? []), method])
    for (const [url, methods] of byPath) {
      const allow = ['Allow', ['OPTIONS', ...methods].join(',')]
      this.#fastify.route({
        method: METHODS.filter(method => !methods.includes(method)),
        url,
        handler: this.#bodiless(({ method }, reply) => {
          const answer =
            method === 'OPTIONS' ? empty(200, allow) : plain(405, `method ${method} not allowed`, allow)
          this.#reply(reply, answer)
        })
      })
    }
  }

  #observe(): void {
    const { metrics } = this.#app
    metrics.gauge(
      'annals_http_unsent_bytes',
      'Bytes of answers that wait to be sent',
      () => this.#unsent.total
    )
    metrics.gauge('annals_http_body_bytes', 'Bytes of bodies in memory', () => this.#bodyBudget.held)
  }

  /** What any request is refused for, whatever it asks for. */
  #refusalOf(request: IncomingMessage): Answer | undefined {
    const fault = formFault(request)
    if (fault !== undefined) return plain(400, fault, ['Connection', 'close'])
    const most = this.#app.settings.limits.http_unsent_bytes_total
    if (this.#unsent.total <= most) return undefined
    return plain(
      503,
      `Too much waits to be read by others: the limit is ${most} bytes (limits.http_unsent_bytes_total). Try again later`
    )
  }

  /** Before anything else is done for a request. */
  #guardBrowsers(): void {
    const guard = new BrowserGuard(this.#app)
    this.#fastify.addHook('onRequest', ({ raw }, reply, done) => {
      const refusal = guard.refusalOf(raw)
      if (refusal) return this.#reply(reply, refusal)
      if (!guard.isShared(raw.headers)) return done()
      // What a page asks before its request is answered at once.
      if (raw.method === 'OPTIONS') reply.hijack()
      guard.share(raw, reply.raw, done)
    })
  }

  #leadToSlashes(): void {
    for (const path of slashlessPaths(this.#routes))
      this.#fastify.route({
        method: [...METHODS],
        url: path,
        handler: this.#bodiless(({ method, raw }, reply) =>
          this.#reply(reply, movedTo(method, originForm(raw.url ?? '').replace(path, `${path}/`)))
        )
      })
  }

  /** Answers in place of a route. */
  #reply(reply: FastifyReply, answer: Answer): void {
    reply.hijack()
    this.#writer.write(reply.raw, answer)
  }

  /** Errors before a route is reached. */
  #broken(error: unknown, reply: FastifyReply): void {
    const { statusCode, message } = isHttpError(error) ? error : { statusCode: 500, message: '' }
    if (statusCode >= 500) this.#app.logger.error({ err: error }, 'a request failed before its route')
    this.#reply(reply, plain(statusCode, `Bad request: ${message}`))
  }
}

/** Every how many ms Node looks for requests that take too long to arrive, where they must within `longest` ms. */
const checkInterval = (longest: number): number =>
  longest === 0 ? LONGEST_CHECK_MS : Math.min(Math.ceil(longest / CHECKS), LONGEST_CHECK_MS)

/** A route has to have a handler. */
const unreached = (): never => {
  throw new Error('a request was handled twice')
}

const isHttpError = (value: unknown): value is { readonly statusCode: number; readonly message: string } =>
  value instanceof Error && 'statusCode' in value && typeof value.statusCode === 'number'
