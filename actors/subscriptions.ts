import type { Commit } from '../events/envelope.js'
import type { Committer } from './committer.js'

interface CommitListeners {
  readonly applied?: (commit: Commit) => void
  readonly rebuilt?: () => void
}

/** The subscriptions of a process that can be started and stopped repeatedly. */
export class Subscriptions {
  #ends: (() => void)[] = []

  add(...ends: readonly (() => void)[]): void {
    this.#ends.push(...ends)
  }

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

  end(): void {
    for (const end of this.#ends.splice(0)) end()
  }
}
