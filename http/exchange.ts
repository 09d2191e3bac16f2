// One request on its way to its answer: handled, held until what it reflects is durable, written, counted.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../actors/refusal.js'
import type { Answer } from './answer.js'
import type { App } from './app.js'
import { Incoming } from './incoming.js'
import type { RouteMeter } from './metrics.js'
import { problem, refusal } from './problems.js'
import { readError } from './read-errors.js'
import { ApiRequest } from './request.js'
import type { Route } from './route.js'
import type { AnswerWriter } from './writer.js'

/** Paths that mean nothing without ACLs. */
const isAclPath = (path: string): boolean => /^\/v1\/((internal\/)?acl|agent\/token)\//.test(path)

/** What all requests of one route share. */
export interface RouteContext {
  readonly app: App
  readonly route: Route
  readonly meter: RouteMeter
  readonly writer: AnswerWriter
}

/** The durable rule of the design for everything that leaves by HTTP: nothing does before a crash cannot take it back. */
export class Exchange {
  readonly #context: RouteContext
  readonly #reply: FastifyReply
  readonly #request: ApiRequest
  readonly #started = performance.now()

  constructor(context: RouteContext, raw: FastifyRequest, reply: FastifyReply, body: Buffer | undefined) {
    const { app, route } = context
    this.#context = context
    this.#reply = reply
    this.#request = new ApiRequest(app, new Incoming(raw, reply, body, app.closing), route)
  }

  /** Takes the response over from the framework and sees it through. */
  run(): void {
    this.#reply.hijack()
    const { committer } = this.#context.app
    if (committer.isReadable) this.#handle()
    else
      committer.readable().then(
        () => this.#handle(),
        error => this.#fail(error)
      )
  }

  #handle(): void {
    try {
      const answer = this.#answer()
      if (answer instanceof Promise)
        answer.then(
          made => this.#settle(made),
          error => this.#refuse(error)
        )
      else this.#settle(answer)
    } catch (error) {
      this.#refuse(error)
    }
  }

  #answer(): Answer | Promise<Answer> {
    const { app, route } = this.#context
    const { query } = this.#request
    if (!app.settings.acl.enabled && isAclPath(route.path))
      throw new Refusal('disabled', 'ACL support disabled')
    if (!query.isSound) throw new Refusal('invalid', 'Bad request: the query string cannot be decoded')
    const dc = query.filled('dc') ?? query.filled('datacenter')
    if (dc !== undefined && dc !== app.settings.datacenter)
      throw new Refusal('invalid', `No path to datacenter: "${dc}" is not known`)
    return route.handle(this.#request)
  }

  /** Sends what was read just now as soon as everything it may reflect is durable. */
  #settle(answer: Answer): void {
    if (this.#request.isSettled) this.#send(answer)
    else this.#request.whenSettled(failure => (failure ? this.#fail(failure) : this.#send(answer)))
  }

  /** A refusal reflects the state as an answer does. */
  #refuse(error: unknown): void {
    this.#settle(readError(this.#context.route, refusal(this.#request, error)))
  }

  #fail(error: unknown): void {
    const { app, route } = this.#context
    this.#send(readError(route, problem(error, app.logger)))
  }

  #send(answer: Answer): void {
    const { writer, meter } = this.#context
    const { raw } = this.#reply
    if (!raw.headersSent) writer.write(raw, answer, this.#request)
    meter.observe(answer.status, (performance.now() - this.#started) / 1000)
  }
}
