import { invalid } from '../../../actors/refusal.js'
import { isUuid } from '../../../actors/uuid.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import type { RequestContext } from '../../wire/request-context.js'

/** Facts of reads: without token replication only the primary datacenter has all tokens. */
export const READ_IN_PRIMARY = {
  belongsTo: ({ settings }: RequestContext) =>
    settings.acl.enable_token_replication ? undefined : settings.primary_datacenter
} as const

/** @throws Refusal `invalid` without an accessor in the path */
export const accessorOf = (request: RequestContext): string => {
  const accessor = request.param('AccessorID')
  if (accessor === '') throw invalid('Bad request: Missing token ID')
  return accessor
}

/** Returns the accessor of the presented token; empty without one. */
export const ownAccessor = ({ authority }: RequestContext): string => authority.token?.token.AccessorID ?? ''

/** @throws Refusal `invalid` */
export const checkId = (accessor: string): void => {
  if (!isUuid(accessor))
    throw invalid(`AccessorID "${accessor}" is not a valid UUID: a UUID must be 36 characters`)
}

export const validToken = (row: TokenRow | undefined, { now, past }: RequestContext): TokenRow | undefined =>
  row?.isValid(past?.moment ?? now) ? row : undefined
