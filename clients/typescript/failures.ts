// What becomes of requests that are not answered with 2xx.

/** Why a token may or may not do something, as `POST /v1/acl/explain` tells it. */
export interface Explanation {
  readonly Allowed: boolean
  /** `rule`, `default policy`, or `ACLs are disabled`. */
  readonly DecidedBy: string
  /** For people. */
  readonly Reason: string
  readonly AccessorID: string
  readonly Resource: string
  readonly Access: string
  readonly Segment?: string
  readonly [field: string]: unknown
}

/** A request and the answer that refuses it. */
export interface Refused {
  readonly status: number
  /** What the server says, without the line's end. */
  readonly text: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
}

/** Asks a server why a 403 was given. @param token secret of a token that may ask; that of the connection when absent */
type Explain = (denial: string, token?: string) => Promise<Explanation>

/** The server refused a request, or failed to do it; `message` is what it said. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly status: number
  readonly text: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly #explain: Explain

  constructor({ status, text, method, path, headers }: Refused, explain: Explain) {
    super(text || `${method} ${path} was answered ${status}, without a word`)
    this.status = status
    this.text = text
    this.method = method
    this.path = path
    this.headers = headers
    this.#explain = explain
  }

  /** Whether the outcome of the write is unknown: it may have been applied. */
  get isOutcomeUnknown(): boolean {
    return this.headers.get('X-Service-Outcome') === 'unknown'
  }

  /**
   * Asks the server for the rule behind a 403.
   * @param options.token secret of a token with `acl:read`; that of the connection when absent
   * @throws RequestRefused when it may not be asked for, or when this was no 403
   */
  explain({ token }: { readonly token?: string } = {}): Promise<Explanation> {
    return this.#explain(this.text, token)
  }
}

/** No answer came: the server cannot be reached, or the connection broke. A write may have been made all the same. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(
    /** Where the server was looked for. */
    readonly address: string,
    cause: unknown
  ) {
    super(`${address} cannot be reached: ${reasonOf(cause)}`, { cause })
  }
}

/** `fetch` hides what happened behind one or two errors that say nothing. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  return error.message || ('code' in error ? String(error.code) : error.name)
}

/** Of answers that may become others when the request is made again. */
const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504]

/** Whether what failed may go well later, without the caller doing anything about it. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof RequestRefused && PASSING.includes(error.status))
