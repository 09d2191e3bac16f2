// Expected failures of commands and queries. HTTP maps the kind to a status (http/wire/problems.ts).

export type RefusalKind =
  /** The request breaks a rule: 400. */
  | 'invalid'
  /** ACLs are off: 401. */
  | 'disabled'
  /** The token is unknown, deleted or expired, or a permission is missing: 403. */
  | 'denied'
  /** The resource does not exist: 404. */
  | 'missing'
  /** The requested data was pruned: 410. */
  | 'gone'
  /** The current state forbids it: 409. */
  | 'conflict'
  /** More than a limit allows: 413. */
  | 'too-large'
  /** The request differs from the one that it repeats: 422. */
  | 'mismatch'
  /** More often than a limit allows: 429. */
  | 'too-many'
  /** An upstream such as an identity provider failed: 502. */
  | 'upstream'
  /** The other datacenter is unreachable, and nothing was changed there: 500. */
  | 'unreachable'
  /** The log cannot be written now: 503. */
  | 'unavailable'
  /** This server is not the leader; nothing was changed: 503. */
  | 'not-leader'
  /** The log failed or another server was lost during the write, which may be stored or not: 500. */
  | 'unknown'

/** A failure without effect. The text is for the caller and names field and rule. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly kind: RefusalKind,
    message: string,
    /** Machine-readable reason, for kinds with several. */
    readonly code?: string
  ) {
    super(message)
  }
}

export const invalid = (message: string): Refusal => new Refusal('invalid', message)

/** The leader was lost while a change was being stored: it may be stored or not (500). */
export const leaderLost = (): Refusal =>
  new Refusal(
    'unknown',
    'The outcome is not known: the leader was lost while the change was being stored; see whether it is there before you repeat it'
  )

export const notLeader = (): Refusal =>
  new Refusal('not-leader', 'This server does not lead the cluster: nothing was changed; ask the leader')

export const isNotLeader = (error: unknown): boolean =>
  error instanceof Refusal && error.kind === 'not-leader'

/** An invalid credential (403). Many of these from one address indicate guessing. */
export class CredentialRefused extends Refusal {
  constructor(
    readonly credential: 'token' | 'login',
    message: string
  ) {
    super('denied', message)
  }
}

/** No token has the caller's secret (403; spec: decisions.md 5). */
export const unknownToken = (): Refusal => new CredentialRefused('token', 'ACL not found')

/** The requested token or policy does not exist (403; spec: decisions.md 5). */
export const aclNotFound = (): Refusal => new Refusal('denied', 'ACL not found')

/** The credential or identity is not accepted (403). The reason is for the log only. */
export class LoginDenied extends CredentialRefused {
  constructor(
    readonly reason: string,
    answer = 'Permission denied'
  ) {
    super('login', answer)
  }
}

/** The auth method does not exist (403). */
export const unknownMethod = (name: string): Refusal =>
  new CredentialRefused('login', `ACL not found: auth method "${name}" not found`)

/** The provider that a login (502) or the validation of an auth method (400) depends on failed. */
export class ProviderFailed extends Refusal {
  constructor(
    kind: 'upstream' | 'invalid',
    message: string,
    /** For the log only. */
    readonly reason: string
  ) {
    super(kind, message)
  }
}
