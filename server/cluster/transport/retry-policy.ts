// Decides which requests may be sent again if their outcome is unknown.
import type { Readable } from 'node:stream'
import { IDEMPOTENCY_HEADER } from '../../../http/wire/idempotency/key.js'
import type { RequestContext } from '../../../http/wire/request-context.js'

interface SentOn {
  readonly request: RequestContext
  readonly body: Buffer | Readable | undefined
}

export const isReadRequest = ({ request }: Pick<SentOn, 'request'>): boolean => request.method === 'GET'

/** Returns true for a read, and for a write with an idempotency key whose body is still available. */
export const canRetry = (asked: SentOn): boolean => {
  const { request, body } = asked
  if (isReadRequest(asked)) return true
  return (
    (body === undefined || Buffer.isBuffer(body)) &&
    request.header(IDEMPOTENCY_HEADER.toLowerCase()) !== undefined
  )
}
