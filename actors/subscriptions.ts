// What a process listens to from its start to its end.
import type { Commit } from '../events/envelope.js'
import type { Committer } from './committer.js'

interface CommitListeners {
  /** See `Committer.signals`. */
  readonly applied?: (commit: Commit) => void
  readonly rebuilt?: () => void
}

/** Held by a process that can be started, stopped, and started again. */
export class Subscriptions {
  #ends: (() => void)[] = []

  /** @param ends how to stop listening, each */
  add(...ends: readonly (() => void)[]): void {
    this.#ends.push(...ends)
  }

  /** Hears of commits, and that the read models were made anew. */
  follow({ signals }: Committer, { applied, rebuilt }: CommitListeners): void {
    if (applied) {
      signals.on('applied', applied)
      this.add(() => signals.off('applied', applied))
    }
    if (rebuilt) {
      signals.on('rebuilt', rebuilt)
      this.add(() => signals.off('rebuilt', rebuilt))
    }
  }

  /** Listens to nothing any more. */
  end(): void {
    for (const end of this.#ends.splice(0)) end()
  }
}
