import type { Commit, Event } from '../events/envelope.js'
import type { Fact, DerivedState } from './saved-form.js'

/**
 * A read model: a fold over the events of its topics. It changes only in `apply`, in log order, the same way live and on
 * replay: no clock, no randomness, no I/O.
 */
export interface Projection {
  readonly topics: readonly string[]
  /** State that does not follow from `facts`, by names of the saved form. */
  readonly memory: Readonly<Record<string, DerivedState>>
  apply(event: Event, commit: Commit): void
  /**
   * The events that recreate its rows, in an order that depends on the state only. None if the rows follow from the facts
   * of others. Cost: all rows, and those of a tenancy before its first one.
   */
  facts(): Iterable<Fact>
  /** Clears everything, for a rebuild from the log. */
  reset(): void
}
