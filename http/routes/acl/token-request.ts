// Which token a request for a token means, and where it is answered.
import { invalid } from '../../../actors/refusal.js'
import { isUuid } from '../../../actors/uuid.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import type { RequestContext } from '../../wire/request-context.js'

/** Of reads: where tokens are not replicated, the primary datacenter has all that there are. */
export const READ_IN_PRIMARY = {
  belongsTo: ({ settings }: RequestContext) =>
    settings.acl.enable_token_replication ? undefined : settings.primary_datacenter
} as const

/** The accessor in the path. @throws Refusal `invalid` without one */
export const accessorOf = (request: RequestContext): string => {
  const accessor = request.param('AccessorID')
  if (accessor === '') throw invalid('Bad request: Missing token ID')
  return accessor
}

/** Of the token presented; empty when there is none. */
export const ownAccessor = ({ authority }: RequestContext): string => authority.token?.token.AccessorID ?? ''

/** @throws Refusal `invalid` */
export const checkId = (accessor: string): void => {
  if (!isUuid(accessor))
    throw invalid(`AccessorID "${accessor}" is not a valid UUID: a UUID must be 36 characters`)
}

/** The token, unless it has expired. */
export const validToken = (row: TokenRow | undefined, { now, past }: RequestContext): TokenRow | undefined =>
  row?.isValid(past?.moment ?? now) ? row : undefined
