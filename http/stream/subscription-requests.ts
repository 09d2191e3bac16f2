// Validation, authorization and placement of stream requests from all wires (spec: stream.md §14).
import { plain, type RouteResponse } from '../wire/response.js'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { checkCursorName } from '../../actors/cursor-rules.js'
import { CursorPositions } from '../../actors/processes/cursor-positions.js'
import { Refusal } from '../../actors/refusal.js'
import type { Cursor } from '../../events/cursor.js'
import type { LogReader } from '../../events/log/log.js'
import { indexAt } from '../../events/log/lookups.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { Framing, Subscription } from '../../projections/stream/subscription.js'
import { readsSome, type RequiredPermission } from '../../projections/stream/required-permissions.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import type { Denied } from '../wire/denial.js'
import type { RequestContext } from '../wire/request-context.js'
import { EventStreams } from './event-streams.js'
import { ownedCursor, prunedResponse } from './cursor-access.js'
import { cursorParameters, subscriptionOfCursor, type CursorSelection } from './cursor-values.js'
import { firstValueOf } from './parameter-values.js'
import {
  parameterSourceOf,
  checkWait,
  parseStreamRequest,
  type ParameterSource,
  type StreamRequest
} from './subscription-parsing.js'
import { rangeOf, type StreamRange, type StreamStart, type StreamStop } from './range-parameters.js'
import { missingPermission } from './selections.js'
import type { StreamOpening, StreamEnd } from './opened-stream.js'
import { checkQuery } from './wires/client-message.js'
import { justAfter } from '../../events/time.js'

type Log = Pick<LogReader, 'firstIndex' | 'durableIndex' | 'records'>

interface PlacementContext {
  /** Number of newest commits sent without a requested start; 0 for all. */
  readonly backlog: number
  /** Epoch ms. */
  readonly now: number
}

export interface Placement {
  readonly start: number
  readonly end: StreamEnd | undefined
  /** True if the requested start is no longer retained, so that `start` is the oldest index. */
  readonly isCut: boolean
}

const startOf = async (start: StreamStart, log: Log, backlog: number): Promise<number> => {
  const { firstIndex, durableIndex } = log
  if (start.kind === 'beginning') return firstIndex
  if (start.kind === 'now') return durableIndex + 1
  if (start.kind === 'index') return start.index
  if (start.kind === 'backlog')
    return backlog === 0 ? firstIndex : Math.max(firstIndex, durableIndex - backlog + 1)
  const found = await indexAt(log, start.time)
  // Pruned commits may have the same time.
  return found === firstIndex ? found - 1 : found
}

const endOf = async (until: StreamStop | undefined, log: Log, now: number): Promise<StreamEnd> => {
  if (!until) return {}
  if (until.kind === 'now') return { index: log.durableIndex }
  if (until.kind === 'index') return { index: until.index }
  if (until.time > now) return { time: until.time }
  return { index: (await indexAt(log, justAfter(until.time))) - 1 }
}

/** Resolves a range to indexes. @throws LogDamage when a time must be found in a damaged part of the log */
export const placementOf = async (
  { start, until, limit }: StreamRange,
  log: Log,
  { backlog, now }: PlacementContext
): Promise<Placement> => {
  const end = until || limit !== undefined ? { ...(await endOf(until, log, now)), limit } : undefined
  const requested = await startOf(start, log, backlog)
  // The first commit of all has no predecessors to prune.
  const oldest = log.firstIndex
  const isCut = requested < oldest && oldest > 1
  return { start: Math.max(requested, oldest), end, isCut }
}

const lacking = ({ permission, on, where }: RequiredPermission, { tenancy }: Subscription): Lacking => ({
  permission,
  on,
  tenancy: where(tenancy)
})

/** Returns the cursor of a stream. @throws Refusal `missing`; `denied` to callers who may not move it */
const cursorOf = (request: RequestContext, { values }: ParameterSource): Cursor | undefined => {
  const name = firstValueOf(values, 'cursor')
  if (name === undefined) return undefined
  // An invalid range is reported before a missing cursor.
  rangeOf(values, undefined)
  checkCursorName(name)
  const cursor = ownedCursor(request, name, 'stream.not-found')
  if (cursor.Group)
    throw new Refusal(
      'cursor.conflict',
      `Cursor "${name}" is shared by a consumer group: receive its units by POST /v1/event/cursor/${name}/receive`
    )
  return cursor
}

export interface PermittedStream {
  readonly request: StreamRequest
  readonly authority: Authority
  readonly cursor: Cursor | undefined
}

export interface GrantedStream {
  readonly opening: StreamOpening
  readonly authority: Authority
  /** True if the requested start is no longer retained. */
  readonly isCut: boolean
}

type Lacking = Omit<Denied, 'accessor'>
type RefusedStream = { readonly refusal: RouteResponse } | { readonly lacking: Lacking }

@scoped(Lifecycle.ContainerScoped)
export class SubscriptionRequests {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly streams: EventStreams,
    private readonly positions: CursorPositions
  ) {}

  /**
   * Parses and authorizes a stream request synchronously: parameters first, then the token.
   * @param source default: the request itself
   * @throws Refusal
   */
  check(
    request: RequestContext,
    framing: Framing,
    source: ParameterSource = parameterSourceOf(request)
  ): PermittedStream | RefusedStream {
    const cursor = cursorOf(request, source)
    return this.allow(
      request,
      parseStreamRequest(cursor ? cursorParameters(source, cursor) : source, framing),
      cursor
    )
  }

  /** Authorizes a stream synchronously, including the limit per address. @throws Refusal for an unknown token */
  allow(request: RequestContext, stream: StreamRequest, cursor?: Cursor): PermittedStream | RefusedStream {
    const { authority } = request
    const missing = missingPermission(stream.subscription, request.usage.credited)
    if (missing) return { lacking: lacking(missing, stream.subscription) }
    const { start } = stream.range
    // A WebSocket request can only be rejected before it is upgraded.
    if (stream.strict && start.kind === 'index' && start.index < this.log.firstIndex)
      return this.#gone(`Index ${start.index}`)
    const refusal = this.#refusalOfMany(request)
    return refusal ? { refusal } : { request: stream, authority, cursor }
  }

  async place(
    request: RequestContext,
    { request: stream, authority, cursor }: PermittedStream
  ): Promise<GrantedStream | RefusedStream> {
    const { range, strict, ...selected } = stream
    const { secret, settings, now, address, id: requestId } = request
    const backlog = settings.stream.event_backlog
    const placed = await placementOf(range, this.log, { backlog, now })
    const { end } = placed
    const { start, isCut } = cursor ? this.#startOf(cursor) : placed
    if (isCut && cursor) return this.#gone(`What cursor ${cursor.Name} stands before`)
    if (isCut && strict) return this.#gone('What the stream was to start with')
    const wire = stream.subscription.framing.name
    const opening = { ...selected, start, end, secret, address, requestId, wire, cursor }
    return { opening, authority, isCut }
  }

  /** Calls `check`, and `place` for a permitted stream. @throws Refusal */
  async ask(
    request: RequestContext,
    framing: Framing,
    source?: ParameterSource
  ): Promise<GrantedStream | RefusedStream> {
    const checked = this.check(request, framing, source)
    return 'request' in checked ? this.place(request, checked) : checked
  }

  /** Returns the preliminary start of a cursor's stream, which is determined again with its lease. */
  #startOf({ Name, Index }: Cursor): Pick<GrantedStream, 'isCut'> & Pick<StreamOpening, 'start'> {
    const start = (this.positions.of(Name) ?? Index) + 1
    return { start, isCut: start < this.log.firstIndex }
  }

  #gone(what: string): RefusedStream {
    const oldest = this.log.firstIndex
    return {
      refusal: prunedResponse(`${what} is no longer retained: the oldest index is ${oldest}`, oldest)
    }
  }

  /** Returns why a connection for subscriptions cannot be opened; undefined if it can. @throws Refusal */
  refusalOfSubscriber(request: RequestContext): RouteResponse | undefined {
    checkWait(request.query)
    checkQuery(request.query)
    request.requireToken()
    return this.#refusalOfMany(request)
  }

  /** @throws Refusal `denied` if the caller may not stream the subscription */
  requireRights(request: RequestContext, subscription: Subscription): void {
    const missing = missingPermission(subscription, request.usage.credited)
    if (missing) throw request.denied(lacking(missing, subscription))
  }

  /** @throws Refusal `invalid` for a selection that no stream can have; `denied` if the caller may not stream it, or would see none of it */
  requireCursorRights(request: RequestContext, selection: CursorSelection): void {
    const subscription = subscriptionOfCursor(selection)
    this.requireRights(request, subscription)
    if (!readsSome.isMet(request.authority.authorizer, subscription.tenancy))
      throw request.denied(lacking(readsSome, subscription))
  }

  /** Returns the cursor that a request names in its path. @throws Refusal `invalid`; `missing`; `denied` to callers who may not use it */
  cursorOf(request: RequestContext): Cursor {
    const name = request.param('name')
    checkCursorName(name)
    const cursor = ownedCursor(request, name, 'cursor.not-found')
    this.requireCursorRights(request, cursor)
    return cursor
  }

  /** Returns the response to a refused stream. @throws Refusal */
  refuse(request: RequestContext, refused: RefusedStream): RouteResponse {
    if ('refusal' in refused) return refused.refusal
    throw request.denied(refused.lacking)
  }

  #refusalOfMany({ settings, address }: RequestContext): RouteResponse | undefined {
    if (!this.streams.isFull(address)) return undefined
    const most = settings.stream.max_connections_per_address
    return plain(
      429,
      `Too many streams from ${address}: the limit is ${most} (stream.max_connections_per_address)`
    )
  }
}
