import type { Committer } from './committer.js'

/** The subscriptions of a process that can be started and stopped repeatedly. */
export class Subscriptions {
  #ends: (() => void)[] = []

  add(...ends: readonly (() => void)[]): void {
    this.#ends.push(...ends)
  }

  /** Calls the listener after each rebuild of the read models. */
  onRebuilt({ signals }: Committer, listener: () => void): void {
    signals.on('rebuilt', listener)
    this.add(() => signals.off('rebuilt', listener))
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end()
  }
}
