import { IDEMPOTENCY_HEADER } from '../../../http/wire/idempotency/key.js'
import type { LeaderRequest } from '../../../http/wire/request-routing.js'

export const isReadRequest = ({ request }: Pick<LeaderRequest, 'request'>): boolean =>
  request.method === 'GET'

/** Returns true for a read, and for a write with an idempotency key whose body is still available. */
export const canRetry = (asked: Pick<LeaderRequest, 'request' | 'body'>): boolean => {
  const { request, body } = asked
  const isWhole = body === undefined || Buffer.isBuffer(body)
  return isReadRequest(asked) || (isWhole && request.header(IDEMPOTENCY_HEADER.toLowerCase()) !== undefined)
}
