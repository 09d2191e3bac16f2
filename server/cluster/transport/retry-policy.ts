// Which requests may be sent again when nobody knows what became of them.
import type { Readable } from 'node:stream'
import { IDEMPOTENCY_HEADER } from '../../../http/wire/idempotency/key.js'
import type { RequestContext } from '../../../http/wire/request-context.js'

/** A request that is sent on. */
interface SentOn {
  readonly request: RequestContext
  readonly body: Buffer | Readable | undefined
}

export const isReadRequest = ({ request: { incoming } }: Pick<SentOn, 'request'>): boolean =>
  incoming.method === 'GET'

/** Whether it is a read, or a write that says by its key that it is the same, and whose body is still there. */
export const canRetry = (asked: SentOn): boolean => {
  const { request, body } = asked
  if (isReadRequest(asked)) return true
  return (
    (body === undefined || Buffer.isBuffer(body)) &&
    request.header(IDEMPOTENCY_HEADER.toLowerCase()) !== undefined
  )
}
