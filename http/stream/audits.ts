// Audits: streams of past commits, which end with the newest one.
import { isIP } from 'node:net'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { isUuid } from '../../actors/uuid.js'
import { invalid } from '../../actors/refusal.js'
import type { LogReader } from '../../events/log/log.js'
import { newlineDelimited, type Subscription } from '../../projections/stream/subscription.js'
import { ALL_TENANCIES } from '../../projections/stream/required-permissions.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import type { RouteResponse } from '../wire/response.js'
import type { RequestContext } from '../wire/request-context.js'
import { SubscriptionRequests } from './subscription-requests.js'
import { EventStreams } from './event-streams.js'
import { firstValueOf, flag, quoteValue, type NamedValues } from './parameter-values.js'
import { parameterSourceOf, checkWait, subscriptionOf, type StreamRequest } from './subscription-parsing.js'
import { auditRangeOf } from './range-parameters.js'
import { LINES_TYPE, streamedResponse } from './streamed-response.js'

/** Returns the accessor whose commits are requested. @throws Refusal `invalid` */
export const accessorOf = (values: NamedValues): string | undefined => {
  const accessor = firstValueOf(values, 'accessor')
  if (accessor !== undefined && !isUuid(accessor))
    throw invalid(
      'stream.invalid',
      `Invalid accessor: ${quoteValue(accessor)} must be the AccessorID of a token`
    )
  return accessor
}

/** @throws Refusal `invalid` */
const addressOf = (values: NamedValues): string | undefined => {
  const address = firstValueOf(values, 'address')
  if (address !== undefined && isIP(address) === 0)
    throw invalid('stream.invalid', `Invalid address: ${quoteValue(address)} must be an IP address`)
  return address
}

const isUnfiltered = ({ filter, tenancy, expression }: Subscription): boolean =>
  filter.resources.every(({ topic, key }) => topic === undefined && key === undefined) &&
  filter.types.length === 0 &&
  tenancy.namespace === ALL_TENANCIES &&
  tenancy.partition === ALL_TENANCIES &&
  expression === undefined

/** Parses the request; by default it selects all readable events of all tenancies. @throws Refusal `invalid` */
const auditOf = (request: RequestContext): StreamRequest => {
  const { values, tenancy } = parameterSourceOf(request)
  const everywhere = {
    namespace: tenancy?.namespace ?? ALL_TENANCIES,
    partition: tenancy?.partition ?? ALL_TENANCIES
  }
  const requested = accessorOf(values)
  // The letter case of the log.
  const accessor =
    requested === undefined ? undefined : (request.views.tokens.get(requested)?.token.AccessorID ?? requested)
  const address = addressOf(values)
  checkWait(values)
  const subscription = subscriptionOf({ values, tenancy: everywhere }, newlineDelimited)
  const range = auditRangeOf(values)
  const origin = { ...(accessor !== undefined && { accessor }), ...(address !== undefined && { address }) }
  const audit = { payload: flag(values, 'payload'), ...origin }
  const isOfAll = accessor === undefined && address === undefined
  const countsWithheld = isOfAll && range.limit === undefined && isUnfiltered(subscription)
  return {
    subscription: { ...subscription, sees: 'resource', audit: { ...audit, countsWithheld } },
    range,
    strict: flag(values, 'strict'),
    progress: false,
    snapshot: false
  }
}

@scoped(Lifecycle.ContainerScoped)
export class EventAudits {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly streams: EventStreams,
    private readonly requests: SubscriptionRequests
  ) {}

  /** @throws Refusal */
  async answer(request: RequestContext): Promise<RouteResponse> {
    const allowed = this.requests.allow(request, auditOf(request))
    const placed = 'request' in allowed ? await this.requests.place(request, allowed) : allowed
    if (!('opening' in placed)) return this.requests.refuse(request, placed)
    const { start, end } = placed.opening
    // Commits after the request are excluded, even if its end is later.
    const last = Math.min(end?.index ?? Infinity, this.log.durableIndex)
    const opening = {
      ...placed.opening,
      start: Math.min(start, last + 1),
      end: { index: last, limit: end?.limit },
      wire: 'audit' as const
    }
    return streamedResponse(request, { ...placed, opening }, this.streams, LINES_TYPE)
  }
}
