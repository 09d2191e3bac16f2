import type { Logger } from 'pino'
import { Refusal } from '../../actors/refusal.js'
import { LogUnusable } from '../../events/log/log.js'
import { REFUSALS, STATUSES, type RefusalCode, type RefusalKind } from '../../actors/refusal-codes.js'
import { plain, type RouteResponse } from './response.js'

/** A request that may succeed later (429). */
export class TooManyRequests extends Refusal {
  /** @param retryAfter whole seconds: `Retry-After` */
  constructor(
    code: 'acl.login.too-many' | 'history.too-many' | 'request.too-many-failures',
    text: string,
    readonly retryAfter: number
  ) {
    super(code, text)
  }
}

export const statusOf = ({ kind }: Refusal): number => STATUSES[kind]

/** The code of a refusal, for programs. */
export const CODE_HEADER = 'X-Service-Error-Code'

/** Returns a response with the status and code of a refusal. */
export const refusedWith = (
  code: RefusalCode,
  message: string,
  headers: readonly string[] = []
): RouteResponse => plain(STATUSES[REFUSALS[code][0]], message, [CODE_HEADER, code, ...headers])

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
    return refusedWith(error.code, error.message, ['Retry-After', String(error.retryAfter)])
  if (error instanceof Refusal) return refusedWith(error.code, error.message, OUTCOMES[error.kind])
  logger.error({ err: error }, 'a request failed by a fault of the server')
  return error instanceof LogUnusable
    ? refusedWith(
        'log.damaged',
        'Internal error: a file of the log is damaged; the messages of the server name it'
      )
    : refusedWith('request.failed', 'Internal error: the server failed to answer; its log says why')
}
