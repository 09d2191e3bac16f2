// Paths and methods: which route a request goes to, and what is said to those that go to none.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { empty, plain, TEXT_TYPE, type Answer } from './answer.js'
import type { App } from '../program/app.js'
import { Exchange, type RouteContext } from './exchange.js'
import { announcesTooMuch, boundOf, GENERAL_BODY_LIMIT, hasBody, tooLarge } from './bodies/request-body.js'
import type { Route } from './route.js'
import { routerPath } from './route-path.js'
import { movedTo, originForm, slashlessPaths, strayAnswer } from './stray-paths.js'
import type { AnswerWriter } from './writer.js'

const METHODS: readonly HTTPMethods[] = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'PATCH', 'TRACE', 'OPTIONS']

/** Handles a request when its head has arrived. */
type Handler = (request: FastifyRequest, reply: FastifyReply) => void

/** Leads the requests of a framework to routes. */
export class Routing {
  readonly #app: App
  readonly #writer: AnswerWriter
  readonly #fastify: FastifyInstance

  constructor(app: App, writer: AnswerWriter, fastify: FastifyInstance) {
    this.#app = app
    this.#writer = writer
    this.#fastify = fastify
  }

  /** Registers all routes; to be called once. */
  register(contexts: readonly RouteContext[]): void {
    const fastify = this.#fastify
    const routes = contexts.map(({ route }) => route)
    // Bodies are not the framework's (see `Exchange`).
    for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true })
    fastify.setErrorHandler((error, _request, reply) => this.#broken(error, reply))
    fastify.setNotFoundHandler(
      this.#bodiless(({ method, raw }, reply) => this.#nowhere(method, raw.url, reply))
    )
    for (const context of contexts) this.#lead(context)
    this.#refuseOtherMethods(routes)
    this.#leadToSlashes(routes)
  }

  #lead(context: RouteContext): void {
    const { route } = context
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

  #nowhere(method: string, url: string | undefined, reply: FastifyReply): void {
    const stray = strayAnswer(method, url ?? '')
    if (stray) return this.#reply(reply, stray)
    reply.hijack()
    const text = 'Not found: no endpoint has this path'
    reply.raw.writeHead(404, ['Content-Type', TEXT_TYPE, 'Content-Length', String(text.length)]).end(text)
  }

  /** Every path answers OPTIONS, and the methods that it does not have with 405 (state.md §1). */
  #refuseOtherMethods(routes: readonly Route[]): void {
    const byPath = new Map<string, HTTPMethods[]>()
    for (const { method, path, aliases = [] } of routes)
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

  #leadToSlashes(routes: readonly Route[]): void {
    for (const path of slashlessPaths(routes))
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

/** A route has to have a handler. */
const unreached = (): never => {
  throw new Error('a request was handled twice')
}

const isHttpError = (value: unknown): value is { readonly statusCode: number; readonly message: string } =>
  value instanceof Error && 'statusCode' in value && typeof value.statusCode === 'number'
