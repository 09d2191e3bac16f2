// The event stream as polls: each response has the commits after an index (docs/reference/event-stream.md).
import * as Type from 'typebox'
import { Lifecycle, scoped } from 'tsyringe'
import { invalid } from '../../actors/refusal.js'
import type { RefusalCode } from '../../actors/refusal-codes.js'
import { newlineDelimited } from '../../projections/stream/subscription.js'
import { streamedCommit } from '../schemas/events.js'
import { refusedWith, jsonText, type RouteResponse } from '../wire/response.js'
import { jittered, requestedWait } from '../wire/reads/blocking.js'
import type { RequestContext } from '../wire/request-context.js'
import { anyToken, route, type Route } from '../wire/route.js'
import { SubscriptionRequests, type GrantedStream } from './subscription-requests.js'
import { EventStreams } from './event-streams.js'
import { jsonArrayOf } from './control-lines.js'
import { firstValueOf, integer, namedValues, SELECTION } from './parameter-values.js'
import { parameterSourceOf, type ParameterSource } from './subscription-parsing.js'
import { PollSink, type PollOutcome } from './wires/poll-sink.js'

const SHUTTING_DOWN = 503

/** The codes of the ends of a stream, by status. */
const CODE_BY_STATUS: Partial<Readonly<Record<number, RefusalCode>>> = {
  403: 'acl.permission.denied',
  404: 'cursor.not-found',
  409: 'cursor.conflict',
  410: 'history.pruned'
}

/**
 * Parses a poll. `index` is the last index seen, as in a blocking query; 0 or none requests an immediate response.
 * @throws Refusal `invalid`
 */
const pollRequestOf = (
  request: RequestContext
): { readonly source: ParameterSource; readonly waits: boolean } => {
  const source = parameterSourceOf(request)
  const { values } = source
  const index = firstValueOf(values, 'index')
  const after = firstValueOf(values, 'after')
  const waits = source.seen !== undefined || after !== undefined || index === 'now'
  if (index === undefined || index === 'now' || index === 'beginning') return { source, waits }
  if (integer(index, 'index') === 0) return { source, waits }
  if (after !== undefined && after !== index)
    throw invalid(
      'stream.invalid',
      'Invalid after: after and index cannot both be given: here they are one parameter, and differ'
    )
  const afterIndex = new Map([
    ['index', []],
    ['after', [index]]
  ])
  return {
    source: { ...source, values: namedValues(name => afterIndex.get(name) ?? values.all(name)) },
    waits: true
  }
}

@scoped(Lifecycle.ContainerScoped)
export class EventPolls {
  constructor(
    private readonly streams: EventStreams,
    private readonly requests: SubscriptionRequests
  ) {}

  /** @throws Refusal */
  async answer(request: RequestContext): Promise<RouteResponse> {
    const waitMs = requestedWait(request.query)
    const { source, waits } = pollRequestOf(request)
    const stream = await this.requests.ask(request, newlineDelimited, source)
    if (!('opening' in stream)) return this.requests.refuse(request, stream)
    const outcome = await this.#poll(request, stream, waits, waitMs)
    // At shutdown it returns the messages so far, like a blocking query.
    if ('code' in outcome && outcome.code !== SHUTTING_DOWN)
      return refusedWith(CODE_BY_STATUS[outcome.code] ?? 'request.failed', outcome.message)
    const headers = stream.isCut ? ['X-Service-Oldest-Index', String(stream.opening.start)] : []
    const body = jsonArrayOf('lines' in outcome ? outcome.lines : [])
    return { ...jsonText(body, headers), index: Math.max(outcome.index, 1) }
  }

  /** Opens a stream that ends with its first messages, after the wait, or when the client disconnects. */
  async #poll(
    request: RequestContext,
    { opening, authority }: GrantedStream,
    waits: boolean,
    waitMs: number
  ): Promise<PollOutcome> {
    const sink = new PollSink(waits)
    const session = this.streams.open({ ...opening, progress: true, wire: 'poll' }, authority, listener =>
      sink.for(listener)
    )
    const giveUp = (): void => sink.finish({ lines: [], index: session.next - 1 })
    const timer = setTimeout(giveUp, jittered(waitMs))
    const unlisten = request.onGone(giveUp)
    const outcome = await sink.outcome
    clearTimeout(timer)
    unlisten()
    return outcome
  }
}

export const eventPollRoutes = (polls: EventPolls): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/events',
    operationId: 'pollEvents',
    summary: 'Commits after an index, as many as one answer holds; waits for one when there is none',
    access: anyToken('as GET /v1/event/stream'),
    tenancy: 'none',
    blocking: true,
    refusesUnknown: true,
    query: {
      ...SELECTION,
      after: 'The same as index',
      since: 'Start with the first commit at or after this time, RFC 3339',
      until: 'Last index that is sent, `now`, or a time, RFC 3339: behind it nothing is waited for',
      limit: 'Messages that an answer has at most',
      strict: 'Refuse with 410 a start that is no longer retained'
    },
    response: Type.Array(streamedCommit),
    outcomes: { 410: { description: 'With strict: the start is no longer retained' } },
    handle: request => polls.answer(request)
  })
]
