// One request on its way to its answer: handled, held until what it reflects is durable, written, counted.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../actors/refusal.js'
import type { Answer } from './answer.js'
import type { App } from '../program/app.js'
import type { BodyBudget } from './bodies/body-budget.js'
import { BrokenOff, type BodyFile, type BodyFiles, type StoredBody } from './bodies/body-files.js'
import { Incoming } from './bodies/incoming.js'
import type { RouteMeter } from '../metrics/route-meter.js'
import { problem, refusal } from './problems.js'
import { readError } from './read-errors.js'
import { ApiRequest } from './request.js'
import {
  announcesTooMuch,
  boundOf,
  collectBody,
  GENERAL_BODY_LIMIT,
  hasBody,
  invite,
  tooLarge,
  type BodyBound
} from './bodies/request-body.js'
import type { RequestTurns } from './sockets/request-turns.js'
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
  readonly bodyBudget: BodyBudget
  readonly bodyFiles: BodyFiles
  readonly turns: RequestTurns
}

/** What comes before every route. @throws Refusal */
export const checkEveryRequest = (
  { app, route }: Pick<RouteContext, 'app' | 'route'>,
  { query }: ApiRequest
): void => {
  if (!app.settings.acl.enabled && isAclPath(route.path))
    throw new Refusal('disabled', 'ACL support disabled')
  if (!query.isSound) throw new Refusal('invalid', 'Bad request: the query string cannot be decoded')
  const dc = query.filled('dc') ?? query.filled('datacenter')
  if (dc !== undefined && dc !== app.settings.datacenter)
    throw new Refusal('invalid', `No path to datacenter: "${dc}" is not known`)
}

/** The durable rule of the design for everything that leaves by HTTP: nothing does before a crash cannot take it back. */
export class Exchange {
  readonly #context: RouteContext
  readonly #raw: FastifyRequest
  readonly #reply: FastifyReply
  readonly #started = performance.now()
  #request: ApiRequest
  /** Gives back what the body takes. */
  #release: (() => void) | undefined

  constructor(context: RouteContext, raw: FastifyRequest, reply: FastifyReply) {
    this.#context = context
    this.#raw = raw
    this.#reply = reply
    this.#request = this.#requestWith(undefined)
  }

  /** Takes the response over from the framework and sees it through. */
  run(): void {
    this.#reply.hijack()
    const { route } = this.#context
    if (route.admit) this.#whenReadable(() => this.#receiveFile())
    else if (hasBody(this.#raw.raw)) this.#whenReadable(() => this.#collect())
    else this.#whenReadable(() => this.#handle())
  }

  #requestWith(body: Buffer | BodyFile | undefined): ApiRequest {
    const { app, route, turns } = this.#context
    const listen = (): void => turns.listen(this.#raw.raw)
    return new ApiRequest(app, new Incoming(this.#raw, this.#reply, body, app.closing, listen), route)
  }

  #whenReadable(proceed: () => void): void {
    const { committer } = this.#context.app
    if (committer.isReadable) proceed()
    else committer.readable().then(proceed, error => this.#fail(error))
  }

  /** What can be said of a request before its body costs anything. False when it is refused. */
  #isAdmitted(bound: BodyBound): boolean {
    const { access, admit } = this.#context.route
    const { raw } = this.#raw
    try {
      checkEveryRequest(this.#context, this.#request)
      if (access.resolvesToken && !access.isByContent) this.#request.requireToken()
      admit?.(this.#request)
      if (announcesTooMuch(raw, bound)) throw tooLarge(raw, bound)
    } catch (error) {
      this.#refuse(error)
      return false
    }
    invite(raw, this.#reply.raw)
    return true
  }

  get #bound(): BodyBound {
    const { app, route } = this.#context
    return boundOf(app.settings.limits, route.bodyLimit ?? GENERAL_BODY_LIMIT)
  }

  #collect(): void {
    const bound = this.#bound
    if (!this.#isAdmitted(bound)) return
    collectBody(this.#raw.raw, bound, this.#context.bodyBudget, {
      take: (body, release) => this.#handleWith(body, release),
      refuse: reason => this.#refuse(reason)
    })
  }

  #receiveFile(): void {
    const bound = this.#bound
    if (!this.#isAdmitted(bound)) return
    this.#context.bodyFiles.receive(this.#raw.raw, bound).then(
      file => this.#handleWith(file, () => this.#remove(file)),
      error => {
        if (!(error instanceof BrokenOff)) this.#refuse(error)
      }
    )
  }

  #remove(file: StoredBody): void {
    file.remove().catch(error => this.#context.app.logger.error({ err: error }, 'a body stayed on disk'))
  }

  /** Who asks, and with which rights, is asked anew: the body may have taken its time. */
  #handleWith(body: Buffer | BodyFile, release: () => void): void {
    this.#release = release
    this.#request = this.#requestWith(body)
    this.#whenReadable(() => this.#handle())
  }

  #handle(): void {
    try {
      const answer = this.#answer()
      if (answer instanceof Promise) {
        this.#hold()
        answer.then(
          made => this.#settle(made),
          error => this.#refuse(error)
        )
      } else this.#settle(answer)
    } catch (error) {
      this.#refuse(error)
    }
  }

  #answer(): Answer | Promise<Answer> {
    checkEveryRequest(this.#context, this.#request)
    return this.#context.route.handle(this.#request)
  }

  /** Sends what was read just now as soon as everything it may reflect is durable. */
  #settle(answer: Answer): void {
    if (this.#request.isSettled) this.#send(answer)
    else {
      this.#hold()
      this.#request.whenSettled(failure => (failure ? this.#fail(this.#told(failure)) : this.#send(answer)))
    }
  }

  #hold(): void {
    this.#context.turns.hold(this.#raw.raw)
  }

  /** A refusal reflects the state as an answer does. */
  #refuse(error: unknown): void {
    this.#settle(readError(this.#context.route, refusal(this.#request, error)))
  }

  /** A read has no outcome: asked again, it tells what is there. */
  #told(failure: Refusal): Refusal {
    if (failure.kind !== 'unknown' || this.#context.route.method !== 'GET') return failure
    return new Refusal('unavailable', 'What was read may not be in the log: try again later')
  }

  #fail(error: unknown): void {
    const { app, route } = this.#context
    this.#send(readError(route, problem(error, app.logger)))
  }

  #send(answer: Answer): void {
    this.#release?.()
    const { writer, meter, turns } = this.#context
    const { raw } = this.#reply
    if (answer.stream) turns.listen(this.#raw.raw)
    if (!raw.headersSent) writer.write(raw, answer, this.#request)
    meter.observe(answer.status, (performance.now() - this.#started) / 1000)
  }
}
