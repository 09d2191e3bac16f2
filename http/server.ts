// The HTTP server: sockets, limits, routing, and the way of a request through dispatch to its answer.
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods
} from 'fastify'
import { empty, plain, TEXT_TYPE, type Answer } from './answer.js'
import type { App } from './app.js'
import { Exchange, type RouteContext } from './exchange.js'
import type { BodyLimit, Route } from './route.js'
import { SilentConnections } from './silent-connections.js'
import { movedTo, slashlessPaths, strayAnswer } from './stray-paths.js'
import { noSchemas } from './schema-compilers.js'
import { serveUpgrades } from './upgrades.js'
import { AnswerWriter } from './writer.js'

const METHODS: readonly HTTPMethods[] = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS']
const LONGEST_PARAMETER = 8192
const GENERAL_LIMIT: BodyLimit = 'http_body_bytes'
/** How often, at the least, connections are looked at for requests that take too long to arrive. */
const LONGEST_CHECK_MS = 5000

export class HttpServer {
  readonly #app: App
  readonly #routes: readonly Route[]
  readonly #writer: AnswerWriter
  readonly #fastify: FastifyInstance
  readonly #silent: SilentConnections
  /** The setting that bounds the body of each method and path. */
  readonly #bodyLimits = new Map<string, BodyLimit>()

  constructor(app: App, routes: readonly Route[]) {
    this.#app = app
    this.#routes = routes
    this.#writer = new AnswerWriter(app.settings, app.closing)
    const { limits } = app.settings
    this.#fastify = Fastify({
      logger: false,
      genReqId: () => '',
      bodyLimit: limits.http_body_bytes,
      requestTimeout: limits.request_timeout,
      keepAliveTimeout: limits.keep_alive_timeout,
      exposeHeadRoutes: false,
      schemaController: noSchemas,
      forceCloseConnections: 'idle',
      routerOptions: { maxParamLength: LONGEST_PARAMETER, querystringParser: () => ({}) },
      http: {
        maxHeaderSize: limits.http_header_bytes,
        // A request without a body needs none of what a stream costs.
        optimizeEmptyRequests: true,
        // Where it were the longer one, Node would exchange the two.
        headersTimeout: limits.request_timeout,
        connectionsCheckingInterval: Math.min(Math.ceil(limits.request_timeout / 4), LONGEST_CHECK_MS)
      },
      frameworkErrors: (error, _request, reply) => {
        this.#reply(reply, plain(400, `Bad request: ${error.message}`))
      }
    })
    this.#silent = new SilentConnections(this.#fastify.server)
  }

  /** Registers the routes and listens. Answers with the port. */
  async listen(): Promise<number> {
    const fastify = this.#fastify
    const { settings } = this.#app
    fastify.removeAllContentTypeParsers()
    // What is named is found at once; for `*` the framework looks through everything else each time.
    for (const type of ['application/json', '*'])
      fastify.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    fastify.setErrorHandler((error, request, reply) => this.#broken(error, request, reply))
    fastify.setNotFoundHandler(({ method, raw }, reply) => {
      reply.hijack()
      const stray = strayAnswer(method, raw.url ?? '')
      if (stray) return this.#writer.write(reply.raw, stray, false)
      const text = 'Not found: no endpoint has this path'
      reply.raw.writeHead(404, ['Content-Type', TEXT_TYPE, 'Content-Length', String(text.length)]).end(text)
    })
    for (const route of this.#routes) this.#register(route)
    this.#refuseOtherMethods()
    this.#leadToSlashes()
    serveUpgrades(fastify.server, (request, response) => fastify.routing(request, response))
    await fastify.listen({ host: settings.addresses.http, port: settings.ports.http })
    const address = fastify.server.address()
    return typeof address === 'object' && address ? address.port : settings.ports.http
  }

  /** Stops accepting, and resolves when every request in flight is answered. */
  close(): Promise<void> {
    this.#silent.close()
    return this.#fastify.close()
  }

  #register(route: Route): void {
    const context: RouteContext = {
      app: this.#app,
      route,
      meter: this.#app.metrics.route(route.method, route.path),
      writer: this.#writer
    }
    const handler = (request: FastifyRequest, reply: FastifyReply): void => {
      const stray = strayAnswer(request.method, request.raw.url ?? '')
      if (stray) this.#reply(reply, stray)
      else new Exchange(context, request, reply).run()
    }
    const { bodyLimit = GENERAL_LIMIT } = route
    for (const url of [route.path, ...(route.aliases ?? [])]) {
      if (typeof bodyLimit === 'string') this.#bodyLimits.set(`${route.method} ${url}`, bodyLimit)
      this.#fastify.route({
        method: route.method,
        url,
        handler,
        bodyLimit: typeof bodyLimit === 'string' ? this.#app.settings.limits[bodyLimit] : bodyLimit
      })
    }
  }

  /** Every path answers OPTIONS, and the methods that it does not have with 405 (state.md §1). */
  #refuseOtherMethods(): void {
    const byPath = new Map<string, HTTPMethods[]>()
    for (const { method, path, aliases = [] } of this.#routes)
      for (const url of [path, ...aliases]) byPath.set(url, [...(byPath.get(url) ?? []), method])
    for (const [url, methods] of byPath) {
      const allow = ['Allow', ['OPTIONS', ...methods].join(',')]
      this.#fastify.route({
        method: METHODS.filter(method => !methods.includes(method)),
        url,
        handler: ({ method }, reply) => {
          const answer =
            method === 'OPTIONS' ? empty(200, allow) : plain(405, `method ${method} not allowed`, allow)
          this.#reply(reply, answer)
        }
      })
    }
  }

  #leadToSlashes(): void {
    for (const path of slashlessPaths(this.#routes))
      this.#fastify.route({
        method: [...METHODS],
        url: path,
        handler: ({ method, raw }, reply) =>
          this.#reply(reply, movedTo(method, (raw.url ?? '').replace(path, `${path}/`)))
      })
  }

  /** Answers in place of a route. */
  #reply(reply: FastifyReply, answer: Answer): void {
    reply.hijack()
    this.#writer.write(reply.raw, answer, false)
  }

  /** Errors before a route is reached: a body that is too large, or broken off. */
  #broken(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { code, statusCode, message } = isHttpError(error)
      ? error
      : { code: '', statusCode: 500, message: '' }
    if (statusCode >= 500) this.#app.logger.error({ err: error }, 'a request failed before its route')
    const text = code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? this.#tooLarge(request) : `Bad request: ${message}`
    this.#reply(reply, plain(statusCode, text))
  }

  #tooLarge({ method, headers, routeOptions: { bodyLimit, url } }: FastifyRequest): string {
    const size = headers['content-length']
    const found = size === undefined ? '' : ` of ${size} bytes`
    const limit = this.#bodyLimits.get(`${method} ${url}`)
    const setting = limit === undefined ? '' : ` (limits.${limit})`
    return `Request body${found} is too large: the limit is ${bodyLimit} bytes${setting}`
  }
}

const isHttpError = (
  value: unknown
): value is { readonly code: string; readonly statusCode: number; readonly message: string } =>
  value instanceof Error && 'statusCode' in value && typeof value.statusCode === 'number'
