import type { Identity } from '../../projections/acl/binding-rules.js'

/** Verifies the credentials of one auth method. */
export interface Verifier {
  /** True when it queries no provider, so that there is no wait. */
  readonly isLocal: boolean
  /** Begins the error text of a failure of the provider. */
  readonly failure: string
  /**
   * Returns the identity of a credential. `signal` aborts when the login has ended.
   * @throws Refusal `invalid` for a malformed credential, `denied` (LoginDenied) for one that is not
   *   accepted, `upstream` when the provider fails
   */
  identify(credential: string, signal: AbortSignal): Promise<Identity>
}
