// What every read model is: a fold over the events of its topics.
import type { Commit, Event } from '../events/envelope.js'
import type { Fact, DerivedState } from './saved-form.js'

/**
 * A read model. It changes only in `apply`, one event after another in log order, the same way live and on
 * replay: no clock, no randomness, no I/O.
 */
export interface Projection {
  /** The topics whose events it folds. */
  readonly topics: readonly string[]
  /** What it knows that does not follow from `facts`, by names that are part of the saved form. */
  readonly memory: Readonly<Record<string, DerivedState>>
  apply(event: Event, commit: Commit): void
  /**
   * The events that make its rows anew, in an order that depends on the state alone. None where the rows
   * follow from the facts of others. Cost: all rows, and those of a tenancy before its first one.
   */
  facts(): Iterable<Fact>
  /** Forgets everything, for a rebuild from the log. */
  reset(): void
}
