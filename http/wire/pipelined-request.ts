import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../../actors/refusal.js'
import type { RequestSpan } from '../../server/telemetry/tracing/tracing.js'
import { hasBody, type BodyFile } from './bodies/request-body.js'
import type { PathParameters } from './bodies/incoming-request.js'
import { checkDatacenter } from './datacenter-routing.js'
import { IDEMPOTENCY, idempotencyKeyOf } from './idempotency/key.js'
import { CHECKPOINT, requestsCheckpoint } from './log-evidence.js'
import { refuseUnknown } from './query-parameters.js'
import { requireOneConsistency } from './reads/blocking.js'
import { REASON, reasonOf } from './reason.js'
import { RequestContext } from './request-context.js'
import type { AnswerLocation } from './request-routing.js'
import type { RequestServices } from './request-services.js'
import type { RouteResponse } from './response.js'
import type { Route } from './route.js'
import type { ServedRoute } from './served-routes.js'

/** A request on its way through the pipeline, with what the stages found. */
export class PipelinedRequest extends RequestContext {
  readonly started = performance.now()
  /** True if the body is still to be received. */
  awaitsBody: boolean
  /** In a cluster: where the request is answered, once known. */
  location: AnswerLocation | undefined
  /** In a cluster: the deadline for finding a leader, once one is being awaited. */
  deadline: number | undefined
  answer: RouteResponse | undefined
  #release: (() => void) | undefined

  constructor(
    services: RequestServices,
    readonly served: ServedRoute,
    message: IncomingMessage,
    readonly response: ServerResponse,
    span: RequestSpan | undefined,
    params: PathParameters
  ) {
    super(services, served.route, message, response, span, params)
    this.awaitsBody = served.route.method !== 'GET' && hasBody(message)
  }

  /** @param release frees the memory or the file of the body */
  receive(body: Buffer | BodyFile, release: () => void): void {
    this.#release = release
    this.awaitsBody = false
    if (Buffer.isBuffer(body)) this.body = body
    else this.file = body
    this.resume()
  }

  releaseBody(): void {
    const release = this.#release
    this.#release = undefined
    release?.()
  }
}

const isAclPath = (path: string): boolean => /^\/v1\/((internal\/)?acl|agent\/token)\//.test(path)

/** Validates what every request has in common, and sets the facts of a write that its headers state. @throws Refusal */
export const checkRequest = (route: Route, request: RequestContext): undefined => {
  const { query, settings } = request
  if (!settings.acl.enabled && isAclPath(route.path))
    throw new Refusal('acl.disabled', 'ACL support disabled')
  if (!query.isEmpty) {
    if (!query.isSound)
      throw new Refusal('request.invalid', 'Bad request: the query string cannot be decoded')
    checkDatacenter(route, request)
    if (route.method === 'GET' && (route.consistency ?? 'none') !== 'none') requireOneConsistency(query)
    if (route.refusesUnknown) refuseUnknown(route, query)
  }
  if (request.method === 'GET') return undefined
  const { headers } = request
  if (headers[REASON] !== undefined) request.reason = reasonOf(request)
  if (headers[CHECKPOINT] !== undefined) request.wantsCheckpoint = requestsCheckpoint(request)
  if (headers[IDEMPOTENCY] !== undefined) request.idempotencyKey = idempotencyKeyOf(route, request)
  return undefined
}
