// Expected failures of commands and queries.

import { REFUSALS, type RefusalCode, type RefusalKind } from './refusal-codes.js'

/** A failure without effect. The text is for the caller and names field and rule. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly code: RefusalCode,
    message: string,
    /** The `Code` of a failed operation of a transaction (spec: state.md §3). */
    readonly operationCode?: string
  ) {
    super(message)
  }

  get kind(): RefusalKind {
    return REFUSALS[this.code][0]
  }
}

type CodeOf<Kind extends RefusalKind> = {
  [Code in RefusalCode]: (typeof REFUSALS)[Code][0] extends Kind ? Code : never
}[RefusalCode]

/** The request breaks a rule (400). */
export const invalid = (code: CodeOf<'invalid'>, message: string): Refusal => new Refusal(code, message)

/** Returns a function that creates refusals of one code. @param prefix the beginning of their texts */
export const invalidWith =
  (code: CodeOf<'invalid'>, prefix = '') =>
  (fault: string): Refusal =>
    invalid(code, prefix + fault)

/** The leader was lost while a change was being stored: it may be stored or not (500). */
export const leaderLost = (): Refusal =>
  new Refusal(
    'log.leader-lost',
    'The outcome is not known: the leader was lost while the change was being stored; see whether it is there before you repeat it'
  )

export const notLeader = (): Refusal =>
  new Refusal(
    'cluster.not-leader',
    'This server does not lead the cluster: nothing was changed; ask the leader'
  )

export const isNotLeader = (error: unknown): boolean =>
  error instanceof Refusal && error.kind === 'not-leader'

/** An invalid credential (403). Many of these from one address indicate guessing. */
export class CredentialRefused extends Refusal {
  constructor(
    readonly credential: 'token' | 'login',
    code: CodeOf<'denied'>,
    message: string
  ) {
    super(code, message)
  }
}

/** No token has the caller's secret (403; spec: decisions.md 5). */
export const unknownToken = (): Refusal =>
  new CredentialRefused('token', 'acl.token.unknown', 'ACL not found')

/** The requested token or policy does not exist (403; spec: decisions.md 5). */
export const aclNotFound = (): Refusal => new Refusal('acl.not-found', 'ACL not found')

/** The credential or identity is not accepted (403). The reason is for the log only. */
export class LoginDenied extends CredentialRefused {
  constructor(
    readonly reason: string,
    answer = 'Permission denied'
  ) {
    super('login', 'acl.login.denied', answer)
  }
}

/** The auth method does not exist (403). */
export const unknownMethod = (name: string): Refusal =>
  new CredentialRefused(
    'login',
    'acl.auth-method.not-found',
    `ACL not found: auth method "${name}" not found`
  )

/** The provider that a login (502) or the validation of an auth method (400) depends on failed. */
export class ProviderFailed extends Refusal {
  constructor(
    code: 'acl.login.upstream-failed' | 'acl.auth-method.provider-failed',
    message: string,
    /** For the log only. */
    readonly reason: string
  ) {
    super(code, message)
  }
}
