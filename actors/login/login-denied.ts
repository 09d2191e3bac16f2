// Failures of logins (spec: decisions.md 14).
import { CredentialRefused, Refusal } from '../refusal.js'

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
