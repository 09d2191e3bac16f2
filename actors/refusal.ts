// Why a command or a question was not answered as asked. HTTP makes a status of the kind
// (http/wire/problems.ts).

export type RefusalKind =
  /** The request breaks a rule: 400. */
  | 'invalid'
  /** ACLs are off: 401. */
  | 'disabled'
  /** The token is unknown, deleted or expired, or its right is missing: 403. */
  | 'denied'
  /** What is named does not exist: 404. */
  | 'missing'
  /** What is asked for was, and is not kept any more: 410. */
  | 'gone'
  /** The present state stands against it: 409. */
  | 'conflict'
  /** More than a limit allows: 413. */
  | 'too-large'
  /** It is sound by itself, and does not fit what it says that it repeats: 422. */
  | 'mismatch'
  /** More often than a limit allows: 429. */
  | 'too-many'
  /** Somebody else, such as an identity provider, did not answer as it should: 502. */
  | 'upstream'
  /** No server of another datacenter can be reached, and nothing was changed there: 500. */
  | 'unreachable'
  /** The log cannot be written now: 503. */
  | 'unavailable'
  /** This server of a cluster does not lead it, and only the leader may decide; nothing was changed: 503. */
  | 'not-leader'
  /** The log failed, or another server was lost, while the change was being written, and it may be there or not: 500. */
  | 'unknown'

/**
 * Thrown where a command or question ends without effect. The text is for the caller and names field and
 * rule.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** A machine-readable word for the reason, where there are several of one kind. */
  readonly code: string | undefined

  constructor(
    readonly kind: RefusalKind,
    message: string,
    code?: string
  ) {
    super(message)
    this.code = code
  }
}

/** A rule of the request was broken (400). */
export const invalid = (message: string): Refusal => new Refusal('invalid', message)

/** Who leads the cluster was lost while a change was being stored: it may be stored or not (500). */
export const leaderLost = (): Refusal =>
  new Refusal(
    'unknown',
    'The outcome is not known: the leader was lost while the change was being stored; see whether it is there before you repeat it'
  )

/** Another server of the cluster decides (503). */
export const notLeader = (): Refusal =>
  new Refusal('not-leader', 'This server does not lead the cluster: nothing was changed; ask the leader')

/** Whether something was refused because another server decides. */
export const isNotLeader = (error: unknown): boolean =>
  error instanceof Refusal && error.kind === 'not-leader'

/** A credential that was presented is not valid (403). Many of these from one address look like guessing. */
export class CredentialRefused extends Refusal {
  constructor(
    readonly credential: 'token' | 'login',
    message: string
  ) {
    super('denied', message)
  }
}

/** The secret presented is that of no token (403; spec: decisions.md 5). */
export const unknownToken = (): Refusal => new CredentialRefused('token', 'ACL not found')

/** The token or policy asked for does not exist (403; spec: decisions.md 5). */
export const aclNotFound = (): Refusal => new Refusal('denied', 'ACL not found')
