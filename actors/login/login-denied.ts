// How a login ends without a token (spec: decisions.md 14).
import { Refusal } from '../refusal.js'

/** The credential or identity is not accepted (403). The reason is for the log; the answer says no more than it must. */
export class LoginDenied extends Refusal {
  readonly reason: string

  constructor(reason: string, answer = 'Permission denied') {
    super('denied', answer)
    this.reason = reason
  }
}

/** The method that a login names does not exist (403). */
export const unknownMethod = (name: string): Refusal =>
  new Refusal('denied', `ACL not found: auth method "${name}" not found`)

/** Somebody whom a login depends on did not answer, or not as it should (502). */
export const providerFailed = (message: string): Refusal => new Refusal('upstream', message)
