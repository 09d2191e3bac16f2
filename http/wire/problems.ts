import type { Logger } from 'pino'
import { Refusal, type RefusalKind } from '../../actors/refusal.js'
import { plain, type RouteResponse } from './response.js'

/** A request that may succeed later (429). */
export class TooManyRequests extends Refusal {
  /** @param retryAfter whole seconds: `Retry-After` */
  constructor(
    text: string,
    readonly retryAfter: number
  ) {
    super('too-many', text)
  }
}

const statuses: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  disabled: 401,
  denied: 403,
  missing: 404,
  gone: 410,
  conflict: 409,
  'too-large': 413,
  mismatch: 422,
  'too-many': 429,
  upstream: 502,
  unreachable: 500,
  unavailable: 503,
  'not-leader': 503,
  unknown: 500
}

export const statusOf = ({ kind }: Refusal): number => statuses[kind]

/** Reports the certainty about a failed write. */
export const OUTCOME_HEADER = 'X-Service-Outcome'

/** Tells another server that the two clocks differ too much. Nothing was changed. */
export const CLOCK_SKEW: readonly [name: string, value: string] = [OUTCOME_HEADER, 'clock-skew']

const OUTCOMES: Partial<Readonly<Record<RefusalKind, readonly string[]>>> = {
  /** The change may or may not have been made. */
  unknown: [OUTCOME_HEADER, 'unknown'],
  /** Nothing was changed, and another server can execute the request. */
  'not-leader': [OUTCOME_HEADER, 'not-leader']
}

export const problem = (error: unknown, logger: Logger): RouteResponse => {
  if (error instanceof TooManyRequests)
    return plain(429, error.message, ['Retry-After', String(error.retryAfter)])
  if (error instanceof Refusal) return plain(statuses[error.kind], error.message, OUTCOMES[error.kind])
  logger.error({ err: error }, 'a request failed by a fault of the server')
  return plain(500, 'Internal error: the server failed to answer; its log says why')
}
