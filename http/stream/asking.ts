// From what a request says to a stream that may be opened, whichever wire it came by (spec: stream.md §14).
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Refusal } from '../../actors/refusal.js'
import type { EventLog } from '../../events/log/log.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import type { Authority } from '../../projections/acl/resolve.js'
import { newlineDelimited, type Framing } from '../../projections/stream/framing.js'
import type { Need } from '../../projections/stream/needs.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import { Metrics } from '../metrics/metrics.js'
import { EVENT_LOG } from '../program/ports.js'
import { plain, type Answer } from '../wire/answer.js'
import { denial } from '../wire/denial.js'
import type { ApiRequest } from '../wire/request.js'
import { EventStreams } from './event-streams.js'
import { checkWait, flag, requestedStart, startOf, topicFilter, type NamedValues } from './parameters.js'
import { missingNeed } from './selections.js'
import type { Opening } from './session.js'
import { checkQuery } from './wires/client-message.js'

const denied = ({ token }: Authority, { permission, on, where }: Need, { tenancy }: Subscription): Refusal =>
  denial({
    accessor: token?.token.AccessorID ?? ANONYMOUS_ACCESSOR,
    permission,
    on,
    tenancy: where(tenancy)
  })

/** The last index that a client says it has seen: `X-Service-Resume-Index`, or else `Last-Event-ID`. */
const seenBy = (request: ApiRequest): string | undefined =>
  request.header('x-service-resume-index') ||
  (request.settings.compat && request.header('x-consul-resume-index')) ||
  request.header('last-event-id') ||
  undefined

/** A stream that may be opened. */
export interface Granted {
  readonly opening: Opening
  readonly authority: Authority
  /** Whether what was asked for begins before the oldest retained index. */
  readonly isCut: boolean
}

/** A stream that may be opened, or the answer that says why not. */
export type Asked =
  Granted | { readonly refusal: Answer } | { readonly missing: Need; readonly denial: Refusal }

@scoped(Lifecycle.ContainerScoped)
export class StreamRequests {
  readonly #log: EventLog
  readonly #streams: EventStreams
  readonly #metrics: Metrics

  constructor(@inject(EVENT_LOG) log: EventLog, streams: EventStreams, metrics: Metrics) {
    this.#log = log
    this.#streams = streams
    this.#metrics = metrics
  }

  /**
   * Reads and checks what a stream is asked for: parameters first, then the token.
   * @param values the parameters: those of the request's query, or of a message over its WebSocket
   * @throws Refusal
   */
  ask(request: ApiRequest, framing: Framing, values: NamedValues = request.query): Asked {
    const { settings, incoming } = request
    const requested = requestedStart(values, seenBy(request))
    const filter = topicFilter(values)
    checkWait(values)
    const [strict, progress] = [flag(values, 'strict'), flag(values, 'progress')]
    const namespace = (values.get('namespace') || 'default').toLowerCase()
    const partition = (values.get('partition') || 'default').toLowerCase()
    const tenancy = { partition, namespace }
    const subscription: Subscription = { filter, tenancy, framing, sees: 'whole', meta: false }

    const { authority } = request
    const missing = missingNeed(subscription, authority.authorizer)
    if (missing) return { missing, denial: denied(authority, missing, subscription) }

    const oldest = this.#log.firstIndex
    const retained = {
      oldest,
      newest: this.#log.durableIndex,
      backlog: settings.stream.event_backlog
    }
    const { start, isCut } = startOf(requested, retained)
    if (isCut && strict)
      return {
        refusal: plain(410, `Index ${requested} is no longer retained: the oldest index is ${oldest}`, [
          'X-Service-Oldest-Index',
          String(oldest)
        ])
      }
    const refusal = this.#refusalOfMany(request)
    if (refusal) return { refusal }
    const { secret } = request
    const { address } = incoming
    return {
      opening: { subscription, start, snapshot: false, progress, secret, address, requestId: incoming.id },
      authority,
      isCut
    }
  }

  /** Why a stream may not be opened, where it may not. @throws Refusal */
  refusalOf(request: ApiRequest): Answer | undefined {
    const asked = this.ask(request, newlineDelimited)
    return 'opening' in asked ? undefined : this.refuse(asked)
  }

  /** Why a connection that will say later what it subscribes to may not be made, where it may not. @throws Refusal */
  refusalOfSubscriber(request: ApiRequest): Answer | undefined {
    checkWait(request.query)
    checkQuery(request.query)
    request.requireToken()
    return this.#refusalOfMany(request)
  }

  /** What is said to whoever asked in vain. @throws Refusal */
  refuse(asked: Exclude<Asked, Granted>): Answer {
    if ('refusal' in asked) return asked.refusal
    this.#metrics.countDenial(asked.missing.permission)
    throw asked.denial
  }

  #refusalOfMany({ settings, incoming: { address } }: ApiRequest): Answer | undefined {
    if (!this.#streams.isFull(address)) return undefined
    const most = settings.stream.max_connections_per_address
    return plain(
      429,
      `Too many streams from ${address}: the limit is ${most} (stream.max_connections_per_address)`
    )
  }
}
