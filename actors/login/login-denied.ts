// How a login ends without a token (spec: decisions.md 14).
import { CredentialRefused, Refusal } from '../refusal.js'

/**
 * The credential or identity is not accepted (403). The reason is for the log; the answer says no more than
 * it must.
 */
export class LoginDenied extends CredentialRefused {
  constructor(
    readonly reason: string,
    answer = 'Permission denied'
  ) {
    super('login', answer)
  }
}

/** The method that a login names does not exist (403). */
export const unknownMethod = (name: string): Refusal =>
  new CredentialRefused('login', `ACL not found: auth method "${name}" not found`)

/**
 * Somebody whom a login (502) or the check of an auth method (400) depends on did not answer, or not as it
 * should.
 */
export class ProviderFailed extends Refusal {
  constructor(
    kind: 'upstream' | 'invalid',
    message: string /** Why, for the log; the answer says no more than it must. */,
    readonly reason: string
  ) {
    super(kind, message)
  }
}
