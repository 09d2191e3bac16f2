// What every kind of login by a credential has in common.
import type { Identity } from '../../projections/acl/binding-rules.js'

/** Tells who presents a credential. */
export interface Verifier {
  /** True when nobody else is asked, so that there is nothing to wait for. */
  readonly isLocal: boolean
  /** Begins the text of the refusal when somebody else does not answer as he should. */
  readonly failure: string
  /**
   * `signal` aborts when nobody waits for the answer any more.
   * @throws Refusal `invalid` for what is no credential, `denied` (LoginDenied) for one that is not
   *   accepted, `upstream` when somebody else does not answer as he should
   */
  identify(credential: string, signal: AbortSignal): Promise<Identity>
}
