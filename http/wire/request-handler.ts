// One request on its way to its answer: handled, held until what it reflects is durable, written, counted.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isNotLeader, Refusal } from '../../actors/refusal.js'
import type { RouteResponse } from './response.js'
import { BodyAborted, type BodyFile, type StoredBody } from './bodies/body-files.js'
import type { RequestRouting, AnswerLocation } from './request-routing.js'
import { idempotencyKeyOf } from './idempotency/key.js'
import type { PathParameters } from './bodies/incoming-request.js'
import { readDenial } from './denial.js'
import { checkRequest, checkToken } from './check-request.js'
import type { RequestHandlerServices } from './request-handler-services.js'
import { ForwardedRequestHandler } from './forwarded-request-handler.js'
import { asksForCheckpoint, checkpointHeader } from './checkpoint-header.js'
import { problem } from './problems.js'
import { readError } from './read-errors.js'
import type { RequestContext } from './request-context.js'
import {
  exceedsContentLength,
  bodySizeLimitOf,
  collectBody,
  hasBody,
  sendContinue,
  tooLarge,
  type BodySizeLimit
} from './bodies/request-body.js'
import type { ServedRoute } from './served-routes.js'

/** The durable rule of the design for everything that leaves by HTTP: nothing does before a crash cannot take it back. */
export class RequestHandler {
  readonly #started = performance.now()
  readonly #request: RequestContext
  /** Gives back what the body takes. */
  #release: (() => void) | undefined
  /** In a cluster: where the answer is made, once that is known. */
  #place: AnswerLocation | undefined
  /** In a cluster: until when a leader is waited for, once one is. */
  #patience: number | undefined

  constructor(
    private readonly services: RequestHandlerServices,
    private readonly served: ServedRoute,
    private readonly message: IncomingMessage,
    private readonly response: ServerResponse,
    params: PathParameters
  ) {
    this.#request = services.requestOf(served.route, message, response, params)
  }

  /** Sees a request through to its answer. */
  run(): void {
    if (this.#isCollected && this.services.request.committer.isReadable)
      this.#whenReadable(() => this.#collect())
    else this.#placed(() => this.#begin())
  }

  /** Whether it has a body that comes whole into memory. */
  get #isCollected(): boolean {
    return !this.served.route.admit && hasBody(this.message)
  }

  #begin(): void {
    if (this.served.route.isProbe) return this.#handle()
    this.#whenReadable(() => {
      if (this.served.route.admit) this.#receiveFile()
      else if (this.#isCollected && !this.#request.incoming.body) this.#collect()
      else this.#handle()
    })
  }

  /** Goes on here, at once or when what is shown is new enough, or has the leader answer. */
  #placed(here: () => void): void {
    const { whoAnswers } = this.services
    if (whoAnswers === undefined) return here()
    const go = (place: AnswerLocation): void => {
      this.#place = place
      if (place === 'leader') void this.#sendToLeader(whoAnswers)
      else here()
    }
    try {
      const place = whoAnswers.locationOf(this.served.route, this.#request)
      if (place instanceof Promise) {
        if (!hasBody(this.message)) this.#hold()
        place.then(go, error => this.#fail(error))
      } else go(place)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** @param isRefused whether a server that should lead has just refused it */
  async #sendToLeader(whoAnswers: RequestRouting, isRefused = false): Promise<void> {
    const { route } = this.served
    const [message, response, request] = [this.message, this.response, this.#request]
    const { turns } = this.services.arrivals
    // One that has not come goes on as it comes: while the read models are made anew nobody can say here whom it may cost what.
    const isStreamed = route.admit !== undefined || (this.#isCollected && !request.incoming.body)
    if (route.method === 'GET') turns.listen(message)
    else if (!isStreamed) turns.hold(message)
    try {
      const body = isStreamed ? message : request.incoming.body
      const until = (this.#patience ??= whoAnswers.deadline)
      const status = await whoAnswers.forward({
        request,
        message,
        response,
        body,
        sendContinue: () => sendContinue(message, response),
        isRefused,
        until
      })
      if (status === 'here') return this.#placed(() => this.#begin())
      if (status < 300) route.afterLeader?.(request)
      this.#release?.()
      this.#observe(status)
    } catch (error) {
      this.#fail(error)
    }
  }

  #whenReadable(proceed: () => void): void {
    const waiting = this.#request.ready(this.served.route.access.resolvesToken)
    if (!waiting) return proceed()
    if (!hasBody(this.message)) this.#hold()
    waiting.then(proceed, error => this.#fail(error))
  }

  /** Says what can be said of a request before its body costs anything, or has it come. */
  #admit(bound: BodySizeLimit, proceed: () => void, isNewest = false): void {
    const { route } = this.served
    const { admit } = route
    const message = this.message
    try {
      checkRequest(route, this.#request)
      idempotencyKeyOf(route, this.#request)
      // One that is not known here may be known in the datacenter that decides.
      if (!this.services.datacenters || !route.belongsTo) checkToken(route, this.#request)
      admit?.(this.#request)
      if (exceedsContentLength(message, bound)) throw tooLarge(message, bound)
    } catch (error) {
      const { whoAnswers } = this.services
      const isOld = whoAnswers && !whoAnswers.isLeading() && !isNewest
      if (!isOld || !(error instanceof Refusal) || error.kind !== 'denied') return this.#refuse(error)
      // Of a token that is known elsewhere already.
      const again = (): void => this.#admit(bound, proceed, true)
      whoAnswers.untilNewest().then(again, failure => this.#fail(failure))
      return
    }
    sendContinue(message, this.response)
    proceed()
  }

  get #bound(): BodySizeLimit {
    return bodySizeLimitOf(this.#request.settings.limits, this.served.route.bodyLimit)
  }

  #collect(): void {
    const bound = this.#bound
    this.#admit(bound, () =>
      collectBody(this.message, bound, this.services.bodyBudget, {
        take: (body, release) => this.#handleWith(body, release),
        refuse: reason => this.#refuse(reason)
      })
    )
  }

  #receiveFile(): void {
    const bound = this.#bound
    this.#admit(bound, () => {
      this.services.bodyFiles.receive(this.message, bound).then(
        file => this.#handleWith(file, () => this.#remove(file)),
        error => {
          if (!(error instanceof BodyAborted)) this.#refuse(error)
        }
      )
    })
  }

  #remove(file: StoredBody): void {
    file.remove().catch(error => this.services.logger.error({ err: error }, 'a body stayed on disk'))
  }

  #handleWith(body: Buffer | BodyFile, release: () => void): void {
    this.#release = release
    this.#request.receive(body)
    const handle = (): void => this.#whenReadable(() => this.#handle())
    if (this.#place === undefined) this.#placed(handle)
    else handle()
  }

  #handle(): void {
    try {
      const { route } = this.served
      checkRequest(route, this.#request)
      const home = this.services.datacenters?.owningDatacenterOf(route, this.#request)
      if (home !== undefined) return this.#sendTo(home)
      if (route.belongsTo) checkToken(route, this.#request)
      const answer = this.#request.traced(() => this.#answer())
      if (answer instanceof Promise) {
        this.#hold()
        answer.then(
          made => this.#settle(made),
          error => this.#refuse(error)
        )
      } else this.#settle(answer)
    } catch (error) {
      const { whoAnswers } = this.services
      const isForLeader = isNotLeader(error) && !this.#request.incoming.sender && !this.served.route.admit
      // Nothing was done yet, and another server has come to lead.
      if (whoAnswers && isForLeader) void this.#sendToLeader(whoAnswers, true)
      else this.#refuse(error)
    }
  }

  /** Has another datacenter answer. */
  #sendTo(datacenter: string): void {
    const far = new ForwardedRequestHandler(
      this.services,
      this.served,
      this.message,
      this.response,
      this.#request
    )
    void far.send(datacenter, this.#request.incoming.body).finally(() => this.#release?.())
  }

  #answer(): RouteResponse | Promise<RouteResponse> {
    const { route } = this.served
    const request = this.#request
    const key = idempotencyKeyOf(route, request)
    if (key !== undefined) return this.services.keyedWrites.handle(route, request, key)
    return route.handle(request)
  }

  /** Sends what was read just now as soon as everything it may reflect is durable. */
  #settle(answer: RouteResponse): void {
    if (this.#place === 'leased' && !this.#isStillLeading) return this.#placed(() => this.#begin())
    if (this.served.route.isProbe || this.#request.isDurable) this.#answered(answer)
    else {
      this.#hold()
      this.#request.whenDurable(failure =>
        failure ? this.#fail(this.#told(failure)) : this.#answered(answer)
      )
    }
  }

  /** A wait has ended by something that is new. */
  get #isStillLeading(): boolean {
    return this.services.whoAnswers?.isLeading() === true || this.#request.query.has('index')
  }

  /** What it reflects is durable. */
  #answered(answer: RouteResponse): void {
    if (answer.status >= 400 || !asksForCheckpoint(this.#request.incoming)) return this.#send(answer)
    this.#hold()
    checkpointHeader(this.services.evidence).then(
      headers => this.#send({ ...answer, headers: [...answer.headers, ...headers] }),
      error => this.#fail(error)
    )
  }

  #hold(): void {
    this.services.arrivals.turns.hold(this.message)
  }

  /** A refusal reflects the state as an answer does; that nobody knows reflects nothing. */
  #refuse(error: unknown): void {
    if (error instanceof Refusal && error.kind === 'unknown') return this.#fail(this.#told(error))
    const { authFailures, logger } = this.services
    // What names a permission was kept where it was missing.
    if (error instanceof Refusal && error.kind === 'denied' && !readDenial(error.message))
      this.#request.noteRefusal(error.message)
    const judged = authFailures.judge(error, this.#request.incoming.address)
    this.#settle(readError(this.served.route, problem(judged, logger)))
  }

  /** A read has no outcome: asked again, it tells what is there. */
  #told(failure: Refusal): Refusal {
    if (failure.kind !== 'unknown' || this.served.route.method !== 'GET') return failure
    return new Refusal('unavailable', 'What was read may not be in the log: try again later')
  }

  #fail(error: unknown): void {
    this.#send(readError(this.served.route, problem(error, this.services.logger)))
  }

  #send(answer: RouteResponse): void {
    this.#release?.()
    const { writer, arrivals } = this.services
    if (answer.stream) arrivals.turns.listen(this.message)
    if (!this.response.headersSent) writer.write(this.response, answer, this.#request)
    this.#observe(answer.status)
  }

  #observe(status: number): void {
    if (!this.services.whoAnswers?.isCountedBySender(this.message))
      this.served.meter.observe(status, (performance.now() - this.#started) / 1000)
  }
}
