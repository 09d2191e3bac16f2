import type { IncomingMessage, ServerResponse } from 'node:http'
import { Lifecycle, scoped } from 'tsyringe'
import { isNotLeader, Refusal } from '../../actors/refusal.js'
import { BodyReceiver } from './bodies/body-receiver.js'
import type { PathParameters } from './bodies/incoming-request.js'
import type { DatacenterRequest, DatacenterRouting } from './datacenter-routing.js'
import { readDenial } from './denial.js'
import { checkpointHeader } from './log-evidence.js'
import { ownerDenial } from './owner-denial.js'
import { PipelineServices } from './pipeline-services.js'
import { checkRequest, PipelinedRequest } from './pipelined-request.js'
import { problem, type RouteResponse } from './response.js'
import { readError } from './reads/blocking.js'
import type { AnswerLocation, RequestRouting } from './request-routing.js'
import { sendContinue } from './bodies/request-body.js'
import { answerTo } from './route.js'
import type { ServedRoute } from './served-routes.js'

/**
 * The result of a stage: undefined to continue with the next one. `complete`: there is no body to receive. `answered`: another server's response
 * was sent. `relocate`: the server that answers must be determined again. `pending`: the stage resumes the request itself.
 */
type StageResult = 'complete' | 'answered' | 'relocate' | 'pending' | undefined

interface Stage {
  run(request: PipelinedRequest): StageResult | Promise<StageResult>
  /** True if an error reflects the state, so that it is sent only when that is durable. */
  readonly reflectsState: boolean
}

const refusing = (run: Stage['run']): Stage => ({ run, reflectsState: true })
const failing = (run: Stage['run']): Stage => ({ run, reflectsState: false })

/** No response leaves before everything that it reflects is durable. */
@scoped(Lifecycle.ContainerScoped)
export class RequestPipeline {
  readonly #stages: readonly Stage[]
  readonly #location: number
  readonly #execution: number
  readonly #durability: number

  constructor(
    private readonly services: PipelineServices,
    bodies: BodyReceiver
  ) {
    const { routing, datacenters } = services
    const locate = routing ? [failing(request => this.#locate(routing, request))] : []
    const awaitReadable = failing(this.#awaitReadable)
    const toNamed = datacenters
      ? [failing(request => this.#forwardToNamed(datacenters, bodies, request))]
      : []
    const toOwner = datacenters ? [refusing(request => this.#forwardToOwner(datacenters, request))] : []
    const checks = [...toNamed, refusing(request => checkRequest(request.served.route, request))]
    const receive = refusing(request => {
      const isReceived = !request.awaitsBody && (!request.served.route.admit || request.file !== undefined)
      if (isReceived) return 'complete'
      return bodies.receive(request, failure => {
        if (failure) this.#onError(request, receive, failure)
        else this.#resume(request, untilBody.length)
      })
    })
    const untilBody = [...checks, ...locate, awaitReadable, receive]
    const arrival = [...untilBody, ...locate, awaitReadable]
    const before = [...arrival, ...toOwner, refusing(this.#execute)]
    this.#location = checks.length
    this.#execution = arrival.length
    this.#durability = before.length
    this.#stages = [...before, failing(this.#awaitDurability), failing(this.#respond)]
  }

  run(served: ServedRoute, message: IncomingMessage, response: ServerResponse, params: PathParameters): void {
    const { tracing, request: services } = this.services
    const span = tracing?.spanOf(message)
    span?.lead(served.route.path)
    this.#resume(new PipelinedRequest(services, served, message, response, span, params), 0)
  }

  #resume(request: PipelinedRequest, from: number): void {
    for (let at = from; at < this.#stages.length; at++) {
      const stage = this.#stages[at]
      if (!stage) return
      try {
        const result = stage.run(request)
        if (result === undefined) continue
        if (result === 'complete') {
          at = this.#execution - 1
          continue
        }
        if (result instanceof Promise) this.#await(request, at, stage, result)
        else if (result !== 'pending') this.#continue(request, at, result)
      } catch (error) {
        this.#onError(request, stage, error)
      }
      return
    }
  }

  #await(request: PipelinedRequest, at: number, stage: Stage, result: Promise<StageResult>): void {
    if (!request.awaitsBody) this.services.arrivals.queue.hold(request.message)
    result.then(
      settled => this.#continue(request, at, settled),
      error => this.#onError(request, stage, error)
    )
  }

  #continue(request: PipelinedRequest, at: number, result: StageResult): void {
    if (result === undefined) this.#resume(request, at + 1)
    else if (result === 'relocate') {
      request.location = undefined
      this.#resume(request, this.#location)
    }
  }

  #onError(request: PipelinedRequest, { reflectsState }: Stage, error: unknown): void {
    if (reflectsState) this.#refuse(request, error)
    else this.#fail(request, error)
  }

  readonly #awaitReadable = (request: PipelinedRequest): Promise<StageResult> | undefined => {
    const { route } = request.served
    const { committer, remoteTokens } = this.services.request
    if (route.isProbe || (committer.isReadable && !remoteTokens)) return undefined
    return request.ready(route.access.resolvesToken)
  }

  #locate(routing: RequestRouting, request: PipelinedRequest): StageResult | Promise<StageResult> {
    if (request.location !== undefined) return undefined
    const { route } = request.served
    // A body is received first, unless the read models are being rebuilt: its cost could then not be charged to a caller.
    if (request.awaitsBody && !route.admit && request.committer.isReadable) return undefined
    const proceed = (location: AnswerLocation): StageResult | Promise<StageResult> => {
      request.location = location
      return location === 'leader' ? this.#forwardToLeader(routing, request) : undefined
    }
    const location = routing.locationOf(route, request)
    return location instanceof Promise ? location.then(proceed) : proceed(location)
  }

  /** @param isRefused true if a presumed leader has just rejected it */
  #forwardToLeader(
    routing: RequestRouting,
    request: PipelinedRequest,
    isRefused = false
  ): Promise<StageResult> {
    const { route } = request.served
    const isStreamed = route.admit !== undefined || request.awaitsBody
    return this.#forward(request, isStreamed, async outgoing => {
      const until = (request.deadline ??= routing.deadline)
      const status = await routing.forward({ ...outgoing, isRefused, until })
      if (status !== 'here' && status < 300) route.afterLeader?.(request)
      return status
    })
  }

  /** Forwards the request if it names another datacenter, known or not. The token is not validated, since only that one may know it. */
  #forwardToNamed(
    datacenters: DatacenterRouting,
    bodies: BodyReceiver,
    request: PipelinedRequest
  ): Promise<StageResult> | undefined {
    const name = datacenters.requestedDatacenterOf(request.served.route, request)
    if (name === undefined) return undefined
    if (request.served.route.admit || !request.awaitsBody)
      return this.#forwardToDatacenter(datacenters, name, request)
    return bodies.collect(request).then(() => this.#forwardToDatacenter(datacenters, name, request))
  }

  #forwardToOwner(
    datacenters: DatacenterRouting,
    request: PipelinedRequest
  ): Promise<StageResult> | undefined {
    const owner = datacenters.owningDatacenterOf(request.served.route, request)
    return owner === undefined
      ? undefined
      : this.#forwardToDatacenter(datacenters, owner, request, (error: unknown) =>
          this.#refuseForOwner(request, owner, error)
        )
  }

  /** The response does not depend on this server's state, so it waits for nothing here. */
  #forwardToDatacenter(
    datacenters: DatacenterRouting,
    name: string,
    request: PipelinedRequest,
    fail?: (error: unknown) => Promise<void>
  ): Promise<StageResult> {
    const isStreamed = request.served.route.admit !== undefined && !request.file
    return this.#forward(request, isStreamed, outgoing => datacenters.forward(name, outgoing), fail)
  }

  /** @param send returns the status of the response, which has been written; or `here` if this process must answer */
  async #forward(
    request: PipelinedRequest,
    isStreamed: boolean,
    send: (outgoing: DatacenterRequest) => Promise<number | 'here'>,
    fail: (error: unknown) => void | Promise<void> = error => this.#fail(request, error)
  ): Promise<StageResult> {
    const { message, response } = request
    const { queue } = this.services.arrivals
    if (request.served.route.method === 'GET') queue.listen(message)
    else if (!isStreamed) queue.holdUntilClosed(message)
    try {
      const body = isStreamed ? message : request.body
      const sending = {
        request,
        message,
        response,
        body,
        sendContinue: () => sendContinue(message, response)
      }
      const status = await send(sending)
      if (status === 'here') return 'relocate'
      request.releaseBody()
      this.#observe(request, status)
    } catch (error) {
      await fail(error)
    }
    return 'answered'
  }

  /** A caller without the permissions is denied also while the datacenter that would deny it cannot be reached. */
  async #refuseForOwner(request: PipelinedRequest, owner: string, error: unknown): Promise<void> {
    const isUnreachable = error instanceof Refusal && error.code === 'datacenter.unreachable'
    const denial = isUnreachable ? await ownerDenial(request.served.route, request, owner) : undefined
    if (denial) this.#refuse(request, denial)
    else this.#fail(request, error)
  }

  readonly #execute = (request: PipelinedRequest): StageResult | Promise<StageResult> => {
    const { route } = request.served
    try {
      if (route.belongsTo) request.checkToken(route.access)
      const { span, idempotencyKey, query } = request
      const isPlain = !span && idempotencyKey === undefined && query.isEmpty
      const answer = isPlain ? route.handle(request) : this.#specialAnswerTo(request)
      if (answer instanceof Promise)
        return answer.then(settled => {
          request.answer = settled
          return undefined
        })
      request.answer = answer
      return undefined
    } catch (error) {
      const { routing } = this.services
      const isForLeader = isNotLeader(error) && !request.sender && !route.admit
      // Nothing was changed yet, and another server leads now.
      if (routing && isForLeader) return this.#forwardToLeader(routing, request, true)
      throw error
    }
  }

  /** Answers a request that is traced, or has an idempotency key or parameters. */
  #specialAnswerTo(request: PipelinedRequest): RouteResponse | Promise<RouteResponse> {
    const { served, idempotencyKey, span } = request
    const answer = () =>
      idempotencyKey === undefined
        ? answerTo(served.route, request)
        : this.services.keyedWrites.handle(served.route, request, idempotencyKey)
    return span ? span.run(answer) : answer()
  }

  readonly #awaitDurability = (request: PipelinedRequest): StageResult => {
    if (request.location === 'leased' && !this.#isStillLeading(request)) return 'relocate'
    if (request.served.route.isProbe || this.services.request.committer.isDurable()) return undefined
    this.services.arrivals.queue.hold(request.message)
    const next = this.#durability + 1
    request.whenDurable(failure => {
      if (failure) this.#fail(request, failureOf(request, failure))
      else this.#resume(request, next)
    })
    return 'pending'
  }

  /** A blocking query that ended has seen a new commit. */
  #isStillLeading({ query }: PipelinedRequest): boolean {
    return this.services.routing?.isLeading() === true || query.has('index')
  }

  readonly #respond = (request: PipelinedRequest): Promise<StageResult> | undefined => {
    const { answer } = request
    if (!answer) throw new Error('the request was not executed')
    if (!request.wantsCheckpoint || answer.status >= 400) {
      this.#send(request, answer)
      return undefined
    }
    return checkpointHeader(this.services.evidence).then(headers => {
      this.#send(request, { ...answer, headers: [...answer.headers, ...headers] })
      return undefined
    })
  }

  /** Answers with a refusal. It reflects the state like a response, except when the outcome is unknown. */
  #refuse(request: PipelinedRequest, error: unknown): void {
    if (error instanceof Refusal && error.kind === 'unknown')
      return this.#fail(request, failureOf(request, error))
    const { authFailures, logger } = this.services
    // Denials that name a permission are recorded where it was missing.
    if (error instanceof Refusal && error.kind === 'denied' && !readDenial(error.message))
      request.noteRefusal(error.message)
    const judged = authFailures.judge(error, request.address)
    request.answer = readError(request.served.route, problem(judged, logger))
    this.#resume(request, this.#durability)
  }

  #fail(request: PipelinedRequest, error: unknown): void {
    this.#send(request, readError(request.served.route, problem(error, this.services.logger)))
  }

  #send(request: PipelinedRequest, answer: RouteResponse): void {
    request.releaseBody()
    const { writer, arrivals } = this.services
    if (answer.stream) arrivals.queue.listen(request.message)
    if (!request.response.headersSent) writer.write(request.response, answer, request)
    this.#observe(request, answer.status)
  }

  #observe({ message, served, started }: PipelinedRequest, status: number): void {
    if (!this.services.routing?.isCountedBySender(message))
      served.meter.observe(status, (performance.now() - started) / 1000)
  }
}

/** A read has no outcome, so it can be repeated. */
const failureOf = ({ served }: PipelinedRequest, failure: Refusal): Refusal => {
  if (failure.kind !== 'unknown' || served.route.method !== 'GET') return failure
  return new Refusal('log.unavailable', 'What was read may not be in the log: try again later')
}
