// The event stream: from any index ever written to now, and on (spec: stream.md).
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Refusal } from '../../actors/refusal.js'
import type { EventLog } from '../../events/log/log.js'
import { ANONYMOUS_ACCESSOR } from '../../events/token.js'
import type { Authority } from '../../projections/acl/resolve.js'
import { newlineDelimited, serverSentEvents, type Framing } from '../../projections/stream/framing.js'
import type { Need } from '../../projections/stream/needs.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import { Metrics } from '../metrics/metrics.js'
import { EVENT_LOG } from '../program/ports.js'
import { JSON_TYPE, plain, type Answer } from '../wire/answer.js'
import { codingFor } from '../wire/compression.js'
import { denial } from '../wire/denial.js'
import { anyToken, route, type OpenWebSocket, type Route } from '../wire/route.js'
import type { ApiRequest } from '../wire/request.js'
import { EventStreams } from './event-streams.js'
import { CompressedSink } from './compressed-sink.js'
import { streamedCommit } from '../schemas/events.js'
import { checkWait, flag, requestedStart, startOf, topicFilter } from './parameters.js'
import { missingNeed } from './selections.js'
import type { Opening } from './session.js'
import { ResponseSink, type OpenSink } from './sink.js'
import { WebSocketSink } from './websocket-sink.js'
import { asksForWebSocket } from '../wire/sockets/request-form.js'

const EVENT_STREAM_TYPE = 'text/event-stream'

const denied = ({ token }: Authority, { permission, on, where }: Need, { tenancy }: Subscription): Refusal =>
  denial({
    accessor: token?.token.AccessorID ?? ANONYMOUS_ACCESSOR,
    permission,
    on,
    tenancy: where(tenancy)
  })

const framingOf = (request: ApiRequest): Framing =>
  request.header('accept')?.includes(EVENT_STREAM_TYPE) ? serverSentEvents : newlineDelimited

/** A subscription that may be opened, or the answer that says why not. */
type Asked =
  | { readonly opening: Opening; readonly authority: Authority; readonly isCut: boolean }
  | { readonly refusal: Answer }
  | { readonly missing: Need; readonly denial: Refusal }

@scoped(Lifecycle.ContainerScoped)
export class EventStreamEndpoint {
  readonly #log: EventLog
  readonly #streams: EventStreams
  readonly #metrics: Metrics

  constructor(@inject(EVENT_LOG) log: EventLog, streams: EventStreams, metrics: Metrics) {
    this.#log = log
    this.#streams = streams
    this.#metrics = metrics
  }

  /** Answers in lines or server-sent events; a request for a WebSocket that comes here is refused. @throws Refusal */
  answer(request: ApiRequest): Answer {
    return asksForWebSocket(request.incoming.headers) ? this.#noWebSocket(request) : this.#overHttp(request)
  }

  /** Reads and checks the request for a stream: parameters first, then the token. @throws Refusal */
  #ask(request: ApiRequest, framing: Framing): Asked {
    const { settings, query, incoming } = request
    const requested = requestedStart(request)
    const filter = topicFilter(query)
    checkWait(query)
    const [strict, progress] = [flag(query, 'strict'), flag(query, 'progress')]
    const namespace = (query.filled('namespace') ?? 'default').toLowerCase()
    const partition = (query.filled('partition') ?? 'default').toLowerCase()
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
    if (this.#streams.isFull(incoming.address))
      return {
        refusal: plain(
          429,
          `Too many streams from ${incoming.address}: the limit is ${settings.stream.max_connections_per_address} (stream.max_connections_per_address)`
        )
      }
    const { address } = incoming
    const { secret } = request
    return {
      opening: { subscription, start, snapshot: false, progress, secret, address, requestId: incoming.id },
      authority,
      isCut
    }
  }

  /** What is said to whoever asked in vain. @throws Refusal */
  #refuse(asked: Exclude<Asked, { opening: Opening }>): Answer {
    if ('refusal' in asked) return asked.refusal
    this.#metrics.countDenial(asked.missing.permission)
    throw asked.denial
  }

  /** Messages in WebSocket frames. Undefined when the request is refused. */
  webSocket(request: ApiRequest): OpenWebSocket | undefined {
    const asked = this.#ask(request, newlineDelimited)
    if (!('opening' in asked)) return undefined
    const { opening, authority } = asked
    const stuckMs = request.settings.stream.write_timeout
    return (socket, connection) =>
      this.#streams.open(
        opening,
        authority,
        listener => new WebSocketSink(socket, connection, stuckMs, listener)
      )
  }

  /** Why a request is no WebSocket. @throws Refusal */
  #noWebSocket(request: ApiRequest): Answer {
    const asked = this.#ask(request, newlineDelimited)
    if (!('opening' in asked)) return this.#refuse(asked)
    return plain(503, 'The connection cannot become a WebSocket just now. Try again on another one')
  }

  #overHttp(request: ApiRequest): Answer {
    const framing = framingOf(request)
    const asked = this.#ask(request, framing)
    if (!('opening' in asked)) return this.#refuse(asked)
    const { opening, authority, isCut } = asked
    const coding = codingFor(request.header('accept-encoding'))
    const stuckMs = request.settings.stream.write_timeout
    return {
      status: 200,
      body: '',
      // A body that `pretty` must not touch, so its type stands among the headers.
      type: '',
      headers: [
        'Content-Type',
        framing === serverSentEvents ? EVENT_STREAM_TYPE : JSON_TYPE,
        'Cache-Control',
        'no-cache',
        // Or nginx would keep what comes until it fills a buffer.
        'X-Accel-Buffering',
        'no',
        'Connection',
        'close',
        ...(coding ? ['Content-Encoding', coding] : []),
        ...(isCut ? ['X-Service-Oldest-Index', String(opening.start)] : [])
      ],
      stream: response => {
        const openSink: OpenSink = listener =>
          coding
            ? new CompressedSink(response, coding, stuckMs, listener)
            : new ResponseSink(response, stuckMs, listener)
        this.#streams.open(opening, authority, openSink)
      }
    }
  }
}

export const eventStreamRoutes = (endpoint: EventStreamEndpoint): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/stream',
    operationId: 'streamEvents',
    summary:
      'What happened and what happens: commits as newline-delimited JSON, server-sent events or WebSocket',
    access: anyToken(
      'by topic: ACL topics and * management; Node node:read; Job, Allocation, Deployment, Evaluation and Service namespace:read-job; every event by the right to read what it is about'
    ),
    tenancy: 'none',
    blocking: false,
    consistency: 'none',
    caching: 'none',
    query: {
      index: 'First index to send; 0 or none: the newest commits, as many as stream.event_backlog says',
      topic: 'Topic or Topic:key; repeatable, the union counts; none: everything',
      namespace: 'Namespace of the events, * for all; default when absent',
      partition: 'Partition of the events, * for all; default when absent',
      progress: 'Heartbeats tell up to which index everything was sent',
      strict: 'Refuse with 410 an index that is no longer retained'
    },
    response: streamedCommit,
    rawResponse: {
      type: EVENT_STREAM_TYPE,
      description: 'The same lines as server-sent events',
      example: 'data: {"Index":42,"Events":[]}\n\n'
    },
    outcomes: { 410: { description: 'With strict: the index is no longer retained' } },
    webSocket: request => endpoint.webSocket(request),
    handle: request => endpoint.answer(request)
  })
]
