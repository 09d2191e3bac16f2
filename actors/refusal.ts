// Why a command or a question was not answered as asked. HTTP makes a status of the kind (http/problems.ts).

export type RefusalKind =
  /** The request breaks a rule: 400. */
  | 'invalid'
  /** ACLs are off: 401. */
  | 'disabled'
  /** The token is unknown, deleted or expired, or its right is missing: 403. */
  | 'denied'
  /** What is named does not exist: 404. */
  | 'missing'
  /** The present state stands against it: 409. */
  | 'conflict'
  /** More than a limit allows: 413. */
  | 'too-large'
  /** Somebody else, such as an identity provider, did not answer as it should: 502. */
  | 'upstream'
  /** The log cannot be written now: 503. */
  | 'unavailable'
  /** The log failed while the change was being written, and it may be there or not: 500. */
  | 'unknown'

/** Thrown where a command or question ends without effect. The text is for the caller and names field and rule. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly kind: RefusalKind
  /** A machine-readable word for the reason, where there are several of one kind. */
  readonly code: string | undefined

  constructor(kind: RefusalKind, message: string, code?: string) {
    super(message)
    this.kind = kind
    this.code = code
  }
}

/** A rule of the request was broken (400). */
export const invalid = (message: string): Refusal => new Refusal('invalid', message)

/** The token presented, or the token or policy asked for, does not exist (403; spec: decisions.md 5). */
export const aclNotFound = (): Refusal => new Refusal('denied', 'ACL not found')
