// From what a request says to a stream that may be opened, whichever wire it came by (spec: stream.md §14).
import { inject, Lifecycle, scoped } from 'tsyringe'
import { checkCursorName } from '../../actors/cursor.js'
import { CursorPositions } from '../../actors/processes/cursor-positions.js'
import { Refusal } from '../../actors/refusal.js'
import type { Cursor } from '../../events/cursor.js'
import type { EventLog } from '../../events/log/log.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { newlineDelimited, type Framing } from '../../projections/stream/framing.js'
import type { RequiredPermission } from '../../projections/stream/required-permissions.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import { plain, type RouteResponse } from '../wire/response.js'
import type { Denied } from '../wire/denial.js'
import type { RequestContext } from '../wire/request-context.js'
import { EventStreams } from './event-streams.js'
import { requireCursorOwner, requireIdentified } from './cursor-access.js'
import { cursorParameters } from './cursor-values.js'
import { firstValueOf } from './parameter-values.js'
import {
  parameterSourceOf,
  checkWait,
  parseStreamRequest,
  type ParameterSource,
  type StreamRequest
} from './subscription-parsing.js'
import { rangeOf } from './range-parameters.js'
import { missingPermission } from './selections.js'
import type { StreamOpening, StreamEnd } from './opened-stream.js'
import { checkQuery } from './wires/client-message.js'
import { justAfter } from '../../events/time.js'
import type { StreamRange, StreamStart, StreamStop } from './range-parameters.js'

/** Where in the log a stream starts and ends that was asked for by index, time or word. */
type Log = Pick<EventLog, 'firstIndex' | 'durableIndex' | 'indexAt'>

/** What else a place follows from. */
interface PlacementContext {
  /** Newest commits that a stream begins with which names no start; 0 for all. */
  readonly backlog: number
  /** Epoch ms. */
  readonly now: number
}

export interface Placement {
  /** The first index that is sent. */
  readonly start: number
  readonly end: StreamEnd | undefined
  /** Whether what was asked for begins before the oldest commit that is kept, which is `start` then. */
  readonly isCut: boolean
}

/** The first index, which may be one that is no longer kept. */
const startOf = async (start: StreamStart, log: Log, { backlog }: PlacementContext): Promise<number> => {
  switch (start.kind) {
    case 'beginning':
      return log.firstIndex
    case 'now':
      return log.durableIndex + 1
    case 'index':
      return start.index
    case 'backlog':
      return backlog === 0 ? log.firstIndex : Math.max(log.firstIndex, log.durableIndex - backlog + 1)
    case 'time': {
      const found = await log.indexAt(start.time)
      // Those before the oldest may have been of this time as well.
      return found === log.firstIndex ? found - 1 : found
    }
  }
}

const endOf = async (
  until: StreamStop | undefined,
  log: Log,
  { now }: PlacementContext
): Promise<Omit<StreamEnd, 'limit'>> => {
  switch (until?.kind) {
    case undefined:
      return {}
    case 'now':
      return { index: log.durableIndex }
    case 'index':
      return { index: until.index }
    case 'time':
      return until.time > now
        ? { time: until.time }
        : { index: (await log.indexAt(justAfter(until.time))) - 1 }
  }
}

/** @throws LogDamage when a time must be found where the log is damaged */
export const placementOf = async (
  { start, until, limit }: StreamRange,
  log: Log,
  moment: PlacementContext
): Promise<Placement> => {
  const end = until || limit !== undefined ? { ...(await endOf(until, log, moment)), limit } : undefined
  const wanted = await startOf(start, log, moment)
  // Nothing came before the first commit of all.
  const oldest = log.firstIndex
  const isCut = wanted < oldest && oldest > 1
  return { start: Math.max(wanted, oldest), end, isCut }
}

/** What the refusal of a subscription names. */
const lacking = ({ permission, on, where }: RequiredPermission, { tenancy }: Subscription): Lacking => ({
  permission,
  on,
  tenancy: where(tenancy)
})

/** The cursor that a stream is to read by. @throws Refusal `missing`; `denied` to who may not move it */
const cursorOf = (request: RequestContext, { values }: ParameterSource): Cursor | undefined => {
  const name = firstValueOf(values, 'cursor')
  if (name === undefined) return undefined
  // Where it cannot start is said before whether there is such a cursor.
  rangeOf(values, undefined)
  checkCursorName(name)
  requireIdentified(request)
  const cursor = request.views.cursors.get(name)
  if (!cursor) throw new Refusal('missing', `Cursor "${name}" does not exist`)
  requireCursorOwner(request, cursor)
  return cursor
}

/** A stream that its caller may have, as it was asked for. */
export interface PermittedStream {
  readonly wish: StreamRequest
  readonly authority: Authority
  /** The cursor that it reads by. */
  readonly cursor: Cursor | undefined
}

/** A stream that may be opened. */
export interface GrantedStream {
  readonly opening: StreamOpening
  readonly authority: Authority
  /** Whether what was asked for begins before the oldest retained index. */
  readonly isCut: boolean
}

/** Why there is no stream. */
type Lacking = Omit<Denied, 'accessor'>
type RefusedStream = { readonly refusal: RouteResponse } | { readonly lacking: Lacking }

@scoped(Lifecycle.ContainerScoped)
export class SubscriptionRequests {
  constructor(
    @inject(EVENT_LOG) private readonly log: EventLog,
    private readonly streams: EventStreams,
    private readonly positions: CursorPositions
  ) {}

  /**
   * Reads and checks what a stream is asked for: parameters first, then the token. Does not wait.
   * @param asking what it is asked for by, where that is not the request itself
   * @throws Refusal
   */
  check(
    request: RequestContext,
    framing: Framing,
    asking: ParameterSource = parameterSourceOf(request)
  ): PermittedStream | RefusedStream {
    const cursor = cursorOf(request, asking)
    return this.allow(
      request,
      parseStreamRequest(cursor ? cursorParameters(asking, cursor) : asking, framing),
      cursor
    )
  }

  /** Whether the caller may have a stream, and one more of them. Does not wait. @throws Refusal for an unknown token */
  allow(request: RequestContext, wish: StreamRequest, cursor?: Cursor): PermittedStream | RefusedStream {
    const { authority } = request
    const missing = missingPermission(wish.subscription, authority.authorizer)
    if (missing) return { lacking: lacking(missing, wish.subscription) }
    const { start } = wish.range
    // Said before a WebSocket is open, where that can be.
    if (wish.strict && start.kind === 'index' && start.index < this.log.firstIndex)
      return this.#gone(`Index ${start.index}`)
    const refusal = this.#refusalOfMany(request)
    return refusal ? { refusal } : { wish, authority, cursor }
  }

  /** Finds where in the log an allowed stream starts and ends. */
  async place(
    request: RequestContext,
    { wish, authority, cursor }: PermittedStream
  ): Promise<GrantedStream | RefusedStream> {
    const { subscription, range, strict, progress, snapshot } = wish
    const { secret, incoming, settings, now } = request
    const backlog = settings.stream.event_backlog
    const placed = await placementOf(range, this.log, { backlog, now })
    const { end } = placed
    const { start, isCut } = cursor ? this.#behind(cursor) : placed
    if (isCut && cursor) return this.#gone(`What cursor ${cursor.Name} stands before`)
    if (isCut && strict) return this.#gone('What the stream was to start with')
    const { address, id: requestId } = incoming
    const opening = {
      subscription,
      start,
      end,
      snapshot,
      progress,
      secret,
      address,
      requestId,
      wire: subscription.framing.name,
      cursor
    }
    return { opening, authority, isCut }
  }

  /** `check`, and `place` for what is allowed. @throws Refusal */
  async ask(
    request: RequestContext,
    framing: Framing,
    asking?: ParameterSource
  ): Promise<GrantedStream | RefusedStream> {
    const checked = this.check(request, framing, asking)
    return 'wish' in checked ? this.place(request, checked) : checked
  }

  /** Where the stream of a cursor starts, which is found anew when it is its turn. */
  #behind({ Name, Index }: Cursor): Pick<GrantedStream, 'isCut'> & Pick<StreamOpening, 'start'> {
    const start = (this.positions.of(Name) ?? Index) + 1
    return { start, isCut: start < this.log.firstIndex }
  }

  #gone(what: string): RefusedStream {
    const oldest = String(this.log.firstIndex)
    return {
      refusal: plain(410, `${what} is no longer retained: the oldest index is ${oldest}`, [
        'X-Service-Oldest-Index',
        oldest
      ])
    }
  }

  /** Why a stream may not be opened, where it may not. @throws Refusal */
  async refusalOf(request: RequestContext): Promise<RouteResponse | undefined> {
    const asked = await this.ask(request, newlineDelimited)
    return 'opening' in asked ? undefined : this.refuse(request, asked)
  }

  /** Why a connection that will say later what it subscribes to may not be made, where it may not. @throws Refusal */
  refusalOfSubscriber(request: RequestContext): RouteResponse | undefined {
    checkWait(request.query)
    checkQuery(request.query)
    request.requireToken()
    return this.#refusalOfMany(request)
  }

  /**
   * @param further needs besides those of a stream
   * @throws Refusal `denied` to who may not have a stream of this
   */
  requireRights(
    request: RequestContext,
    subscription: Subscription,
    further: readonly RequiredPermission[] = []
  ): void {
    const { authorizer } = request.authority
    const missing =
      missingPermission(subscription, authorizer) ??
      further.find(need => !need.isMet(authorizer, subscription.tenancy))
    if (missing) throw request.denied(lacking(missing, subscription))
  }

  /** What is said to whoever asked in vain. @throws Refusal */
  refuse(request: RequestContext, asked: RefusedStream): RouteResponse {
    if ('refusal' in asked) return asked.refusal
    throw request.denied(asked.lacking)
  }

  #refusalOfMany({ settings, incoming: { address } }: RequestContext): RouteResponse | undefined {
    if (!this.streams.isFull(address)) return undefined
    const most = settings.stream.max_connections_per_address
    return plain(
      429,
      `Too many streams from ${address}: the limit is ${most} (stream.max_connections_per_address)`
    )
  }
}
