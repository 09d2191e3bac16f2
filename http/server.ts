// The HTTP server: sockets, limits, routing, and the way of a request through dispatch to its answer.
import swagger from '@fastify/swagger'
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods
} from 'fastify'
import { Refusal } from '../actors/refusal.js'
import { empty, plain, type Answer } from './answer.js'
import type { App } from './app.js'
import { openApi, routeSchema } from './openapi.js'
import { problem } from './problems.js'
import { ApiRequest, type Incoming } from './request.js'
import type { Route } from './route.js'
import type { RouteMeter } from './metrics.js'
import { AnswerWriter } from './writer.js'

const METHODS: readonly HTTPMethods[] = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'PATCH', 'OPTIONS']
const LONGEST_PARAMETER = 8192
/** How often, at the least, connections are looked at for requests that take too long to arrive. */
const LONGEST_CHECK_MS = 5000
const isAclPath = (path: string): boolean => /^\/v1\/(internal\/)?acl\//.test(path)

export class HttpServer {
  readonly #app: App
  readonly #routes: readonly Route[]
  readonly #writer: AnswerWriter
  readonly #fastify: FastifyInstance
  #requests = 0

  constructor(app: App, routes: readonly Route[]) {
    this.#app = app
    this.#routes = routes
    this.#writer = new AnswerWriter(app.settings)
    const { limits } = app.settings
    this.#fastify = Fastify({
      logger: false,
      bodyLimit: limits.http_body_bytes,
      requestTimeout: limits.request_timeout,
      keepAliveTimeout: limits.keep_alive_timeout,
      exposeHeadRoutes: false,
      forceCloseConnections: 'idle',
      routerOptions: { maxParamLength: LONGEST_PARAMETER, querystringParser: () => ({}) },
      http: {
        maxHeaderSize: limits.http_header_bytes,
        connectionsCheckingInterval: Math.min(Math.ceil(limits.request_timeout / 4), LONGEST_CHECK_MS)
      },
      frameworkErrors: (error, _request, reply) => {
        reply.hijack()
        this.#writer.write(reply.raw, plain(400, `Bad request: ${error.message}`), false)
      }
    })
  }

  /** Registers the routes and listens. Answers with the port. */
  async listen(): Promise<number> {
    const fastify = this.#fastify
    const { settings } = this.#app
    fastify.removeAllContentTypeParsers()
    fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    fastify.setValidatorCompiler(() => () => true)
    fastify.setErrorHandler((error, request, reply) => this.#broken(error, request, reply))
    fastify.setNotFoundHandler((_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(404, ['Content-Length', '0']).end()
    })
    await fastify.register(swagger, openApi())
    for (const route of this.#routes) this.#register(route)
    this.#refuseOtherMethods()
    await fastify.listen({ host: settings.addresses.http, port: settings.ports.http })
    const address = fastify.server.address()
    return typeof address === 'object' && address ? address.port : settings.ports.http
  }

  /** The description of the API, made from the routes. */
  describe(): object {
    return this.#fastify.swagger()
  }

  /** Stops accepting, and resolves when every request in flight is answered. */
  close(): Promise<void> {
    return this.#fastify.close()
  }

  #register(route: Route): void {
    const meter = this.#app.metrics.route(route.method, route.path)
    const handler = (request: FastifyRequest, reply: FastifyReply): void =>
      this.#dispatch(route, meter, request, reply)
    for (const url of [route.path, ...(route.aliases ?? [])])
      this.#fastify.route({
        method: route.method,
        url,
        handler,
        schema: url === route.path ? routeSchema(route) : { hide: true },
        ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit })
      })
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
        schema: { hide: true },
        handler: ({ method }, reply) => {
          const answer =
            method === 'OPTIONS' ? empty(200, allow) : plain(405, `method ${method} not allowed`, allow)
          reply.hijack()
          this.#writer.write(reply.raw, answer, false)
        }
      })
    }
  }

  #dispatch(route: Route, meter: RouteMeter, raw: FastifyRequest, reply: FastifyReply): void {
    reply.hijack()
    const started = performance.now()
    const request = new ApiRequest(this.#app, this.#incoming(raw, reply), route.tenancy)
    const send = (answer: Answer): void => {
      if (!reply.raw.headersSent) this.#writer.write(reply.raw, answer, request.pretty)
      meter.observe(answer.status, (performance.now() - started) / 1000)
    }
    const fail = (error: unknown): void => send(problem(error, this.#app.logger))
    /** Sends what was read just now, as soon as a crash cannot take back what it reflects. */
    const settle = (answer: Answer): void => {
      const { committer } = this.#app
      if (committer.isSettled) send(answer)
      else committer.settled().then(() => send(answer), fail)
    }
    const refuse = (error: unknown): void => settle(problem(error, this.#app.logger))
    const run = (): void => {
      try {
        const answer = this.#answer(route, request)
        if (answer instanceof Promise) answer.then(send, refuse)
        else settle(answer)
      } catch (error) {
        refuse(error)
      }
    }
    if (this.#app.committer.isReadable) run()
    else this.#app.committer.readable().then(run, fail)
  }

  #answer(route: Route, request: ApiRequest): Answer | Promise<Answer> {
    if (!this.#app.settings.acl.enabled && isAclPath(route.path))
      throw new Refusal('disabled', 'ACL support disabled')
    if (!request.query.isSound)
      throw new Refusal('invalid', 'Bad request: the query string cannot be decoded')
    const dc = request.query.filled('dc')
    if (dc !== undefined && dc !== this.#app.settings.datacenter)
      throw new Refusal('invalid', `No path to datacenter: "${dc}" is not known`)
    return route.handle(request)
  }

  #incoming(raw: FastifyRequest, reply: FastifyReply): Incoming {
    const { body, params } = raw
    const { closing } = this.#app
    let signal: AbortSignal | undefined
    return {
      method: raw.method,
      url: raw.raw.url ?? '',
      headers: raw.headers,
      params: isParams(params) ? params : {},
      body: Buffer.isBuffer(body) ? body : undefined,
      address: raw.socket.remoteAddress ?? '',
      id: `${process.pid}-${++this.#requests}`,
      signal: () => {
        if (!signal) {
          const gone = new AbortController()
          reply.raw.once('close', () => gone.abort())
          signal = AbortSignal.any([closing, gone.signal])
        }
        return signal
      }
    }
  }

  /** Errors before a route is reached: a body that is too large, or broken off. */
  #broken(error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
    const { code, statusCode, message } = isHttpError(error)
      ? error
      : { code: '', statusCode: 500, message: '' }
    if (statusCode >= 500) this.#app.logger.error({ err: error }, 'a request failed before its route')
    const { bodyLimit } = this.#fastify.initialConfig
    const text =
      code === 'FST_ERR_CTP_BODY_TOO_LARGE'
        ? `Request body is too large: the limit is ${bodyLimit} bytes (limits.http_body_bytes)`
        : `Bad request: ${message}`
    reply.hijack()
    this.#writer.write(reply.raw, plain(statusCode, text), false)
  }
}

const isParams = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' && value !== null

const isHttpError = (
  value: unknown
): value is { readonly code: string; readonly statusCode: number; readonly message: string } =>
  value instanceof Error && 'statusCode' in value && typeof value.statusCode === 'number'
