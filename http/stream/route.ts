// The event stream endpoint (spec: stream.md).
import Negotiator from 'negotiator'
import { Lifecycle, scoped } from 'tsyringe'
import { newlineDelimited, serverSentEvents, type Framing } from '../../projections/stream/subscription.js'
import { JSON_TYPE, plain, type RouteResponse } from '../wire/response.js'
import { anyToken, route, type OpenWebSocket, type Route } from '../wire/route.js'
import type { RequestContext } from '../wire/request-context.js'
import { SELECTION } from './parameter-values.js'
import { SubscriptionRequests, type PermittedStream } from './subscription-requests.js'
import { EventStreams } from './event-streams.js'
import { streamedCommit } from '../schemas/events.js'
import { lastLine, UNREADABLE, type StreamEnding } from './control-lines.js'
import type { OpenSink } from './sink.js'
import { LINES_TYPE, streamedResponse } from './streamed-response.js'
import { asksForWebSocket } from '../wire/sockets/browser-guard.js'
import { SUBPROTOCOL } from './wires/client-message.js'
import { LineSink, SocketOutput } from './wires/socket-output.js'
import { Subscriber, SubscriberServices } from './wires/subscriber.js'

const EVENT_STREAM_TYPE = 'text/event-stream'

/** Selects server-sent events for clients that prefer them, such as EventSource. */
const framingOf = (request: RequestContext): Framing => {
  const negotiator = new Negotiator({ headers: { accept: request.header('accept') } })
  const preferred = negotiator.mediaType([JSON_TYPE, LINES_TYPE, EVENT_STREAM_TYPE])
  return preferred === EVENT_STREAM_TYPE ? serverSentEvents : newlineDelimited
}

/** The close code of every end; the last line has the reason. */
const NORMAL_CLOSURE = 1000

const offersSubscriptions = (request: RequestContext): boolean =>
  (request.header('sec-websocket-protocol') ?? '').split(',').some(name => name.trim() === SUBPROTOCOL)

const isForSubscriptions = (request: RequestContext): boolean =>
  asksForWebSocket(request.headers) && offersSubscriptions(request)

const refuseLate = (openSink: OpenSink, ending: StreamEnding): void =>
  openSink({ onIdle: () => {}, onStuck: () => {}, onClosed: () => {} }).end(lastLine(ending, 0))

@scoped(Lifecycle.ContainerScoped)
export class EventStreamEndpoint {
  constructor(
    private readonly streams: EventStreams,
    private readonly requests: SubscriptionRequests,
    private readonly subscribers: SubscriberServices
  ) {}

  /** Responds with lines or server-sent events, or rejects a WebSocket request. @throws Refusal */
  answer(request: RequestContext): Promise<RouteResponse> {
    return asksForWebSocket(request.headers) ? this.#noWebSocket(request) : this.#overHttp(request)
  }

  /** Accepts a request as a WebSocket with one message per line; undefined if it is rejected. */
  webSocket(request: RequestContext): OpenWebSocket | undefined {
    if (offersSubscriptions(request))
      return this.requests.refusalOfSubscriber(request)
        ? undefined
        : socket => void new Subscriber(this.subscribers, request, socket)
    const allowed = this.requests.check(request, newlineDelimited)
    if (!('request' in allowed)) return undefined
    const stuckMs = request.settings.stream.write_timeout
    return socket => {
      const output = new SocketOutput(socket, stuckMs)
      const form = { wrap: (line: Buffer) => line, onEnd: () => output.close(NORMAL_CLOSURE) }
      void this.#openPlaced(request, allowed, listener => new LineSink(output, form, listener))
    }
  }

  /** Opens a permitted stream at its start. Reports failures in a last line, and never rejects. */
  async #openPlaced(request: RequestContext, allowed: PermittedStream, openSink: OpenSink): Promise<void> {
    try {
      const placed = await this.requests.place(request, allowed)
      if ('opening' in placed) {
        this.streams.open({ ...placed.opening, wire: 'websocket' }, placed.authority, openSink)
        return
      }
      const { status, body } = this.requests.refuse(request, placed)
      refuseLate(openSink, { code: status, message: body.toString() })
    } catch (error) {
      this.streams.onFault(error)
      refuseLate(openSink, UNREADABLE)
    }
  }

  /** Returns why a request cannot become a WebSocket. @throws Refusal */
  async #noWebSocket(request: RequestContext): Promise<RouteResponse> {
    const unavailable = plain(
      503,
      'The connection cannot become a WebSocket just now. Try again on another one'
    )
    if (offersSubscriptions(request)) return this.requests.refusalOfSubscriber(request) ?? unavailable
    const stream = await this.requests.ask(request, newlineDelimited)
    return 'opening' in stream ? unavailable : this.requests.refuse(request, stream)
  }

  async #overHttp(request: RequestContext): Promise<RouteResponse> {
    const framing = framingOf(request)
    const stream = await this.requests.ask(request, framing)
    if (!('opening' in stream)) return this.requests.refuse(request, stream)
    const type = framing === serverSentEvents ? EVENT_STREAM_TYPE : JSON_TYPE
    return streamedResponse(request, stream, this.streams, type)
  }
}

export const eventStreamRoutes = (endpoint: EventStreamEndpoint): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/stream',
    dc: 'or region',
    operationId: 'streamEvents',
    summary:
      'What happened and what happens: commits as newline-delimited JSON, server-sent events or WebSocket',
    access: anyToken(
      'by topic: ACL topics and * management; Node node:read; Job, Allocation, Deployment, Evaluation and Service namespace:read-job; every event by the right to read what it is about'
    ),
    tenancy: 'none',
    refusesUnknown: true,
    // A reader moves its cursor, which only the leader can do; subscriptions over `annals.v1` may name cursors.
    runs: request => (request.query.has('cursor') || isForSubscriptions(request) ? 'leader' : 'anywhere'),
    query: {
      ...SELECTION,
      index:
        'First index to send, `beginning` or `now`; 0 or none: the newest commits, as many as stream.event_backlog says',
      after: 'Last index that is not sent',
      since: 'Start with the first commit at or after this time, RFC 3339',
      cursor:
        'Cursor to read by, which says what is sent and where the stream starts; it waits while another reader has it',
      snapshot: 'Begin with what is true now, as the last events of everything that exists',
      until:
        'Last index that is sent, `now`, or a time, RFC 3339: the newest commit at that time is the last',
      limit: 'End after so many messages; those of a snapshot do not count',
      progress:
        'Heartbeats tell up to which index everything was sent, and so does a line when the stream has caught up',
      strict: 'Refuse with 410 a start that is no longer retained'
    },
    response: streamedCommit,
    rawResponse: {
      type: EVENT_STREAM_TYPE,
      description: 'The same lines as server-sent events',
      example: 'data: {"Index":42,"Events":[]}\n\n'
    },
    outcomes: {
      404: { description: 'There is no cursor of this name' },
      410: { description: 'With strict, or a cursor: the start is no longer retained' }
    },
    webSocket: request => endpoint.webSocket(request),
    subprotocols: [SUBPROTOCOL],
    handle: request => endpoint.answer(request)
  })
]
