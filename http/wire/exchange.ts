// One request on its way to its answer: handled, held until what it reflects is durable, written, counted.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Refusal } from '../../actors/refusal.js'
import type { Answer } from './answer.js'
import { BodyBudget } from './bodies/body-budget.js'
import { BrokenOff, BodyFiles, type BodyFile, type StoredBody } from './bodies/body-files.js'
import { LogEvidence } from '../program/log-evidence.js'
import { LOGGER } from '../program/ports.js'
import { KeyedWrites } from './idempotency/keyed-writes.js'
import { keyGivenIn } from './idempotency/key.js'
import { Arrivals, Incoming, type PathParameters } from './bodies/incoming.js'
import { readDenial } from './denial.js'
import { checkEveryRequest } from './every-request.js'
import { asksForCheckpoint, checkpointHeader } from './asked-checkpoint.js'
import { problem } from './problems.js'
import { readError } from './read-errors.js'
import { ApiRequest } from './request.js'
import { RequestServices } from './request-services.js'
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
import type { ServedRoute } from './served-routes.js'
import { AuthFailures } from './sockets/auth-failures.js'
import { AnswerWriter } from './writer.js'

/** What the exchanges of a server work with. */
@scoped(Lifecycle.ContainerScoped)
export class ExchangeServices {
  constructor(
    readonly request: RequestServices,
    readonly arrivals: Arrivals,
    readonly writer: AnswerWriter,
    readonly bodyBudget: BodyBudget,
    readonly bodyFiles: BodyFiles,
    readonly authFailures: AuthFailures,
    readonly keyedWrites: KeyedWrites,
    readonly evidence: LogEvidence,
    @inject(LOGGER) readonly logger: Logger
  ) {}
}

/** The durable rule of the design for everything that leaves by HTTP: nothing does before a crash cannot take it back. */
export class Exchange {
  readonly #services: ExchangeServices
  readonly #served: ServedRoute
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #started = performance.now()
  readonly #request: ApiRequest
  /** Gives back what the body takes. */
  #release: (() => void) | undefined

  constructor(
    services: ExchangeServices,
    served: ServedRoute,
    message: IncomingMessage,
    response: ServerResponse,
    params: PathParameters
  ) {
    this.#services = services
    this.#served = served
    this.#message = message
    this.#response = response
    const incoming = new Incoming(services.arrivals, message, response, params)
    this.#request = new ApiRequest(services.request, incoming, served.route)
  }

  /** Sees a request through to its answer. */
  run(): void {
    const { route } = this.#served
    if (route.admit) this.#whenReadable(() => this.#receiveFile())
    else if (hasBody(this.#message)) this.#whenReadable(() => this.#collect())
    else this.#whenReadable(() => this.#handle())
  }

  #whenReadable(proceed: () => void): void {
    const { committer } = this.#services.request
    if (committer.isReadable) proceed()
    else committer.readable().then(proceed, error => this.#fail(error))
  }

  /** What can be said of a request before its body costs anything. False when it is refused. */
  #isAdmitted(bound: BodyBound): boolean {
    const { route } = this.#served
    const { access, admit } = route
    const message = this.#message
    try {
      checkEveryRequest(route, this.#request)
      keyGivenIn(route, this.#request)
      if (access.resolvesToken && !access.isByContent) this.#request.requireToken()
      admit?.(this.#request)
      if (announcesTooMuch(message, bound)) throw tooLarge(message, bound)
    } catch (error) {
      this.#refuse(error)
      return false
    }
    invite(message, this.#response)
    return true
  }

  get #bound(): BodyBound {
    const { bodyLimit } = this.#served.route
    return boundOf(this.#request.settings.limits, bodyLimit ?? GENERAL_BODY_LIMIT)
  }

  #collect(): void {
    const bound = this.#bound
    if (!this.#isAdmitted(bound)) return
    collectBody(this.#message, bound, this.#services.bodyBudget, {
      take: (body, release) => this.#handleWith(body, release),
      refuse: reason => this.#refuse(reason)
    })
  }

  #receiveFile(): void {
    const bound = this.#bound
    if (!this.#isAdmitted(bound)) return
    this.#services.bodyFiles.receive(this.#message, bound).then(
      file => this.#handleWith(file, () => this.#remove(file)),
      error => {
        if (!(error instanceof BrokenOff)) this.#refuse(error)
      }
    )
  }

  #remove(file: StoredBody): void {
    file.remove().catch(error => this.#services.logger.error({ err: error }, 'a body stayed on disk'))
  }

  #handleWith(body: Buffer | BodyFile, release: () => void): void {
    this.#release = release
    this.#request.receive(body)
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
    const { route } = this.#served
    const request = this.#request
    checkEveryRequest(route, request)
    const key = keyGivenIn(route, request)
    if (key !== undefined) return this.#services.keyedWrites.handle(route, request, key)
    return route.handle(request)
  }

  /** Sends what was read just now as soon as everything it may reflect is durable. */
  #settle(answer: Answer): void {
    if (this.#request.isSettled) this.#answered(answer)
    else {
      this.#hold()
      this.#request.whenSettled(failure =>
        failure ? this.#fail(this.#told(failure)) : this.#answered(answer)
      )
    }
  }

  /** What it reflects is durable. */
  #answered(answer: Answer): void {
    if (answer.status >= 400 || !asksForCheckpoint(this.#request.incoming)) return this.#send(answer)
    this.#hold()
    checkpointHeader(this.#services.evidence).then(
      headers => this.#send({ ...answer, headers: [...answer.headers, ...headers] }),
      error => this.#fail(error)
    )
  }

  #hold(): void {
    this.#services.arrivals.turns.hold(this.#message)
  }

  /** A refusal reflects the state as an answer does; that nobody knows reflects nothing. */
  #refuse(error: unknown): void {
    if (error instanceof Refusal && error.kind === 'unknown') return this.#fail(this.#told(error))
    const { authFailures, logger } = this.#services
    // What names a permission was kept where it was missing.
    if (error instanceof Refusal && error.kind === 'denied' && !readDenial(error.message))
      this.#request.noteRefusal(error.message)
    const judged = authFailures.judge(error, this.#request.incoming.address)
    this.#settle(readError(this.#served.route, problem(judged, logger)))
  }

  /** A read has no outcome: asked again, it tells what is there. */
  #told(failure: Refusal): Refusal {
    if (failure.kind !== 'unknown' || this.#served.route.method !== 'GET') return failure
    return new Refusal('unavailable', 'What was read may not be in the log: try again later')
  }

  #fail(error: unknown): void {
    this.#send(readError(this.#served.route, problem(error, this.#services.logger)))
  }

  #send(answer: Answer): void {
    this.#release?.()
    const { writer, arrivals } = this.#services
    if (answer.stream) arrivals.turns.listen(this.#message)
    if (!this.#response.headersSent) writer.write(this.#response, answer, this.#request)
    this.#served.meter.observe(answer.status, (performance.now() - this.#started) / 1000)
  }
}
