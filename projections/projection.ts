// What every read model is: a fold over the events of its topics.
import type { Commit, Event } from '../events/envelope.js'

/**
 * A read model. It changes only in `apply`, one event after another in log order, the same way live and on replay:
 * no clock, no randomness, no I/O.
 */
export interface Projection {
  /** The topics whose events it folds. */
  readonly topics: readonly string[]
  apply(event: Event, commit: Commit): void
  /** Forgets everything, for a rebuild from the log. */
  reset(): void
  /** Everything it knows as JSON values in a fixed order, so that two states can be compared. Cost: all rows. */
  dump(): Iterable<unknown>
}
