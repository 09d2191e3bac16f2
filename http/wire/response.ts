// Responses of routes, before the headers that every response has.
import type { ServerResponse } from 'node:http'
import { stringify } from 'lossless-json'
import type { BytePieces } from '../../projections/byte-pieces.js'
import type { Logger } from 'pino'
import { Refusal } from '../../actors/refusal.js'
import { CommitsPruned, LogUnusable } from '../../events/log/log.js'
import { REFUSALS, STATUSES, type RefusalCode, type RefusalKind } from '../../actors/refusal-codes.js'

export const JSON_TYPE = 'application/json'
export const JSON_PATCH_TYPE = 'application/json-patch+json'
export const TEXT_TYPE = 'text/plain; charset=utf-8'

export type Body = string | Buffer | BytePieces

export interface RouteResponse {
  readonly status: number
  readonly body: Body
  /** Empty if there is no body. */
  readonly type: string
  /** Names and values in turn, names in the `X-Service-` family where there are two. */
  readonly headers: readonly string[]
  /** The index of a read, which also adds the headers of a read. */
  readonly index?: number | bigint
  /** How a read watches for changes of its result; `blocking-query` unless given. */
  readonly backend?: 'streaming' | undefined
  /** For endless bodies: called after the headers are written; writes and ends the response itself. */
  readonly stream?: (response: ServerResponse) => void
}

export type Responding = RouteResponse | Promise<RouteResponse>

const NO_HEADERS: readonly string[] = []

export const jsonText = (body: Body, headers: readonly string[] = NO_HEADERS): RouteResponse => ({
  status: 200,
  body,
  type: JSON_TYPE,
  headers
})

export const json = (value: unknown, headers?: readonly string[]): RouteResponse =>
  jsonText(JSON.stringify(value), headers)

/** Returns JSON of a value with bigints, which are written as numbers. */
export const exactJson = (value: unknown, headers?: readonly string[]): RouteResponse =>
  jsonText(stringify(value) ?? 'null', headers)

export const plain = (
  status: number,
  body: string,
  headers: readonly string[] = NO_HEADERS
): RouteResponse => ({ status, body, type: TEXT_TYPE, headers })

export const empty = (status: number, headers: readonly string[] = NO_HEADERS): RouteResponse => ({
  status,
  body: '',
  type: '',
  headers
})

/** Maximum characters of the header; omitted warnings are counted. */
const LONGEST = 1000
const NOT_PLAIN = /[^ -~]/g

const plainText = (text: string): string =>
  text.replace(NOT_PLAIN, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

export const warningHeaders = (warnings: readonly string[]): readonly string[] => {
  if (warnings.length === 0) return []
  const shown: string[] = []
  let length = 0
  for (const warning of warnings) {
    const text = plainText(warning.slice(0, LONGEST))
    length += text.length
    if (length > LONGEST) break
    shown.push(text)
  }
  const left = warnings.length - shown.length
  if (left > 0) shown.push(`and ${left} more`)
  return ['X-Service-Warning', shown.join('; ')]
}

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
  // What is retained was checked before the read began.
  if (error instanceof CommitsPruned)
    return refusedWith('read.unavailable', 'Commits were pruned during the read: repeat it')
  logger.error({ err: error }, 'a request failed because of a defect of the server')
  return error instanceof LogUnusable
    ? refusedWith(
        'log.damaged',
        'Internal error: a file of the log is damaged; the messages of the server name it'
      )
    : refusedWith('request.failed', 'Internal error: the server failed to answer; its log says why')
}
