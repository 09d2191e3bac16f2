// Parsing of the selection and the range of an audit.
import { isIP } from 'node:net'
import { isUuid } from '../../actors/uuid.js'
import { invalid } from '../../actors/refusal.js'
import { newlineDelimited, type Subscription } from '../../projections/stream/subscription.js'
import { EVENT_FORMATS } from '../../projections/stream/formats/event-format.js'
import { ALL_TENANCIES } from '../../projections/stream/required-permissions.js'
import type { RequestContext } from '../wire/request-context.js'
import { firstValueOf, flag, quoteValue, SELECTION, type NamedValues } from './parameter-values.js'
import { parameterSourceOf, checkWait, subscriptionOf, type StreamRequest } from './subscription-parsing.js'
import { auditRangeOf } from './range-parameters.js'

/** Parameters that select the events of an audit. */
export const AUDIT_SELECTION = {
  accessor: 'Only commits of the token with this AccessorID',
  address: 'Only commits of requests from this source address',
  topic: SELECTION.topic,
  type: SELECTION.type,
  filter: SELECTION.filter,
  ns: 'Namespace of the events; default: all',
  namespace: 'The same as ns',
  partition: 'Partition of the events; default: all'
}

export const AUDIT_RANGE = {
  since: 'First index, or an RFC 3339 time: the first commit at or after it; default: the oldest retained',
  until: 'Last index, `now`, or an RFC 3339 time: the newest commit at that time; default: now'
}

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

/** @throws Refusal `invalid` */
const checkFormat = (values: NamedValues, format: Subscription['format']): void => {
  if (format === undefined) return
  // A limit counts commits, which have several lines.
  if (firstValueOf(values, 'limit') !== undefined)
    throw invalid('stream.invalid', 'Invalid limit: it cannot be given with format; give until')
  if (format === 'cef' && flag(values, 'payload'))
    throw invalid('stream.invalid', 'Invalid payload: the format cef has no field for it')
}

const isUnfiltered = ({ filter, tenancy, expression }: Subscription): boolean =>
  filter.resources.every(({ topic, key }) => topic === undefined && key === undefined) &&
  filter.types.length === 0 &&
  tenancy.namespace === ALL_TENANCIES &&
  tenancy.partition === ALL_TENANCIES &&
  expression === undefined

/** Parses the request; by default it selects all readable events of all tenancies. @throws Refusal `invalid` */
export const auditOf = (request: RequestContext): StreamRequest => {
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
  const subscription = subscriptionOf({ values, tenancy: everywhere }, newlineDelimited, EVENT_FORMATS)
  checkFormat(values, subscription.format)
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
