/** The reason for a permission or its lack, the response of `POST /v1/acl/explain`. */
export interface Explanation {
  readonly Allowed: boolean
  /** `rule`, `default policy`, or `ACLs are disabled`. */
  readonly DecidedBy: string
  /** A sentence. */
  readonly Reason: string
  readonly AccessorID: string
  readonly Resource: string
  readonly Access: string
  readonly Segment?: string
  readonly [field: string]: unknown
}

/** A request and its failed response. */
export interface Refused {
  readonly status: number
  /** The body without a trailing newline. */
  readonly text: string
  readonly method: string
  readonly path: string
  readonly headers: Headers
}

/** Explains a 403. @param token replaces the connection's token */
type Explain = (denial: string, token?: string) => Promise<Explanation>

/** A response with another status than 2xx. `message` is its body. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly status: number
  readonly text: string
  readonly method: string
  readonly path: string
  readonly headers: Headers

  constructor(
    { status, text, method, path, headers }: Refused,
    private readonly explainer: Explain
  ) {
    super(text || `${method} ${path} returned status ${status} without a message`)
    this.status = status
    this.text = text
    this.method = method
    this.path = path
    this.headers = headers
  }

  /** The stable code, such as `acl.policy.name-taken` (docs/reference/errors.md); undefined if a proxy answered. */
  get code(): string | undefined {
    return this.headers.get('X-Service-Error-Code') ?? undefined
  }

  /** The write may have been applied. */
  get isOutcomeUnknown(): boolean {
    return this.headers.get('X-Service-Outcome') === 'unknown'
  }

  /**
   * Asks the server for the rule behind a 403.
   * @param options.token secret of a token with `acl:read`; the connection's by default
   * @throws RequestRefused without permission, or if this is no 403
   */
  explain({ token }: { readonly token?: string } = {}): Promise<Explanation> {
    return this.explainer(this.text, token)
  }
}

/** There is no response, because the server cannot be reached or the connection broke. A write may have been applied. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'

  constructor(
    readonly address: string,
    cause: unknown
  ) {
    super(`${address} cannot be reached: ${reasonOf(cause)}`, { cause })
  }
}

/** `fetch` wraps the cause in one or two errors without information. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'its port does not speak TLS'
  return error.message || code || error.name
}

const PASSING: readonly number[] = [408, 429, 500, 502, 503, 504]

/** Detects failures for which a retry may succeed. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof RequestRefused && PASSING.includes(error.status))
