// The pipeline of one request: route, validate, authorize, receive the body, execute, wait for durability, respond.
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
import { asksForCheckpoint, checkpointHeader } from './log-evidence.js'
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

/** No response leaves before everything that it reflects is durable. */
export class RequestHandler {
  readonly #started = performance.now()
  readonly #request: RequestContext
  #release: (() => void) | undefined
  /** In a cluster: where the request is answered, once known. */
  #location: AnswerLocation | undefined
  /** In a cluster: the deadline for finding a leader, once one is being awaited. */
  #deadline: number | undefined

  constructor(
    private readonly services: RequestHandlerServices,
    private readonly served: ServedRoute,
    private readonly message: IncomingMessage,
    private readonly response: ServerResponse,
    params: PathParameters
  ) {
    this.#request = services.requestOf(served.route, message, response, params)
  }

  run(): void {
    if (this.#isCollected && this.services.request.committer.isReadable)
      this.#whenReadable(() => this.#collect())
    else this.#placed(() => this.#begin())
  }

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

  /** Calls `here` as soon as this server is up to date enough for the request, or forwards it to the leader. */
  #placed(here: () => void): void {
    const { routing } = this.services
    if (routing === undefined) return here()
    const proceed = (location: AnswerLocation): void => {
      this.#location = location
      if (location === 'leader') void this.#sendToLeader(routing)
      else here()
    }
    try {
      const location = routing.locationOf(this.served.route, this.#request)
      if (location instanceof Promise) {
        if (!hasBody(this.message)) this.#hold()
        location.then(proceed, error => this.#fail(error))
      } else proceed(location)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** @param isRefused true if a presumed leader has just rejected it */
  async #sendToLeader(routing: RequestRouting, isRefused = false): Promise<void> {
    const { route } = this.served
    const [message, response, request] = [this.message, this.response, this.#request]
    const { queue } = this.services.arrivals
    // A body that has not arrived is streamed: during a rebuild of the read models its cost cannot be charged to a caller.
    const isStreamed = route.admit !== undefined || (this.#isCollected && !request.incoming.body)
    if (route.method === 'GET') queue.listen(message)
    else if (!isStreamed) queue.hold(message)
    try {
      const body = isStreamed ? message : request.incoming.body
      const until = (this.#deadline ??= routing.deadline)
      const status = await routing.forward({
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

  #admit(bound: BodySizeLimit, proceed: () => void, isNewest = false): void {
    const { route } = this.served
    const { admit } = route
    const message = this.message
    try {
      checkRequest(route, this.#request)
      idempotencyKeyOf(route, this.#request)
      // An unknown token may be known in the datacenter that decides.
      if (!this.services.datacenters || !route.belongsTo) checkToken(route, this.#request)
      admit?.(this.#request)
      if (exceedsContentLength(message, bound)) throw tooLarge(message, bound)
    } catch (error) {
      const { routing } = this.services
      const isOld = routing && !routing.isLeading() && !isNewest
      if (!isOld || !(error instanceof Refusal) || error.kind !== 'denied') return this.#refuse(error)
      // The token may be newer than this server's state.
      const again = (): void => this.#admit(bound, proceed, true)
      routing.untilNewest().then(again, failure => this.#fail(failure))
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
    if (this.#location === undefined) this.#placed(handle)
    else handle()
  }

  #handle(): void {
    try {
      const { route } = this.served
      checkRequest(route, this.#request)
      const owner = this.services.datacenters?.owningDatacenterOf(route, this.#request)
      if (owner !== undefined) return this.#sendTo(owner)
      if (route.belongsTo) checkToken(route, this.#request)
      const answer = this.#request.traced(() => this.#answer())
      if (answer instanceof Promise) {
        this.#hold()
        answer.then(
          settled => this.#settle(settled),
          error => this.#refuse(error)
        )
      } else this.#settle(answer)
    } catch (error) {
      const { routing } = this.services
      const isForLeader = isNotLeader(error) && !this.#request.incoming.sender && !this.served.route.admit
      // Nothing was changed yet, and another server leads now.
      if (routing && isForLeader) void this.#sendToLeader(routing, true)
      else this.#refuse(error)
    }
  }

  #sendTo(datacenter: string): void {
    const handler = new ForwardedRequestHandler(
      this.services,
      this.served,
      this.message,
      this.response,
      this.#request
    )
    void handler.send(datacenter, this.#request.incoming.body).finally(() => this.#release?.())
  }

  #answer(): RouteResponse | Promise<RouteResponse> {
    const { route } = this.served
    const request = this.#request
    const key = idempotencyKeyOf(route, request)
    if (key !== undefined) return this.services.keyedWrites.handle(route, request, key)
    return route.handle(request)
  }

  /** Sends a response as soon as everything it may reflect is durable. */
  #settle(answer: RouteResponse): void {
    if (this.#location === 'leased' && !this.#isStillLeading) return this.#placed(() => this.#begin())
    if (this.served.route.isProbe || this.#request.isDurable) this.#answered(answer)
    else {
      this.#hold()
      this.#request.whenDurable(failure =>
        failure ? this.#fail(this.#failureOf(failure)) : this.#answered(answer)
      )
    }
  }

  /** A blocking query that ended has seen a new commit. */
  get #isStillLeading(): boolean {
    return this.services.routing?.isLeading() === true || this.#request.query.has('index')
  }

  #answered(answer: RouteResponse): void {
    if (answer.status >= 400 || !asksForCheckpoint(this.#request.incoming)) return this.#send(answer)
    this.#hold()
    checkpointHeader(this.services.evidence).then(
      headers => this.#send({ ...answer, headers: [...answer.headers, ...headers] }),
      error => this.#fail(error)
    )
  }

  #hold(): void {
    this.services.arrivals.queue.hold(this.message)
  }

  /** Sends a refusal. It reflects the state like a response, except when the outcome is unknown. */
  #refuse(error: unknown): void {
    if (error instanceof Refusal && error.kind === 'unknown') return this.#fail(this.#failureOf(error))
    const { authFailures, logger } = this.services
    // Denials that name a permission are recorded where it was missing.
    if (error instanceof Refusal && error.kind === 'denied' && !readDenial(error.message))
      this.#request.noteRefusal(error.message)
    const judged = authFailures.judge(error, this.#request.incoming.address)
    this.#settle(readError(this.served.route, problem(judged, logger)))
  }

  /** A read has no outcome, so it can be repeated. */
  #failureOf(failure: Refusal): Refusal {
    if (failure.kind !== 'unknown' || this.served.route.method !== 'GET') return failure
    return new Refusal('unavailable', 'What was read may not be in the log: try again later')
  }

  #fail(error: unknown): void {
    this.#send(readError(this.served.route, problem(error, this.services.logger)))
  }

  #send(answer: RouteResponse): void {
    this.#release?.()
    const { writer, arrivals } = this.services
    if (answer.stream) arrivals.queue.listen(this.message)
    if (!this.response.headersSent) writer.write(this.response, answer, this.#request)
    this.#observe(answer.status)
  }

  #observe(status: number): void {
    if (!this.services.routing?.isCountedBySender(this.message))
      this.served.meter.observe(status, (performance.now() - this.#started) / 1000)
  }
}
