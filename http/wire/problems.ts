// From a refusal to an answer: the one place where errors become statuses and texts.
import type { Logger } from 'pino'
import { Refusal, type RefusalKind } from '../../actors/refusal.js'
import { plain, type RouteResponse } from './response.js'
import { TooManyRequests } from './too-many.js'

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

/** Tells what became of a change where the status alone does not. */
export const OUTCOME_HEADER = 'X-Service-Outcome'

/** Tells another server that the two clocks differ too much: nothing was changed. */
export const CLOCK_SKEW: readonly [name: string, value: string] = [OUTCOME_HEADER, 'clock-skew']

const OUTCOMES: Partial<Readonly<Record<RefusalKind, readonly string[]>>> = {
  /** A client cannot know whether its change was made, as against a fault that changed nothing. */
  unknown: [OUTCOME_HEADER, 'unknown'],
  /** Nothing was changed, and another server may do what was asked. */
  'not-leader': [OUTCOME_HEADER, 'not-leader']
}

/** Any error as an answer. What is not a Refusal is a fault of ours: logged, and 500 without its text. */
export const problem = (error: unknown, logger: Logger): RouteResponse => {
  if (error instanceof TooManyRequests)
    return plain(429, error.message, ['Retry-After', String(error.retryAfter)])
  if (error instanceof Refusal) return plain(statuses[error.kind], error.message, OUTCOMES[error.kind])
  logger.error({ err: error }, 'a request failed by a fault of the server')
  return plain(500, 'Internal error: the server failed to answer; its log says why')
}
