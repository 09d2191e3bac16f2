import type { Views } from '../../projections/read-models.js'
import type { Committer } from '../committer.js'
import type { Timers } from '../clock.js'
import { Waiters } from '../durability-barrier.js'

interface Waiter {
  readonly index: number
  readonly shown: () => void
}

export class AppliedCommits {
  readonly #waiters = new Waiters<Waiter>()

  constructor(
    private readonly views: Pick<Views, 'index'>,
    private readonly committer: Pick<Committer, 'isReadable' | 'signals'>,
    private readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  ) {
    committer.signals.on('applied', () => this.#release())
    committer.signals.on('rebuilt', () => this.#release())
  }

  /** Resolves when the read models contain it and are readable. @throws Error after a timeout in ms */
  untilApplied(index: number, ms: number): Promise<void> {
    if (this.#isApplied(index)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const waiter = {
        index,
        shown: () => {
          this.timers.clearTimeout(timer)
          resolve()
        }
      }
      const timer = this.timers.setTimeout(() => {
        this.#waiters.remove(waiter)
        reject(new Error(`commit ${index} has not arrived here in time`))
      }, ms)
      this.#waiters.add(waiter)
    })
  }

  #isApplied(index: number): boolean {
    return this.committer.isReadable && this.views.index >= index
  }

  #release(): void {
    if (!this.committer.isReadable) return
    for (const { shown } of this.#waiters.upTo(this.views.index)) shown()
  }
}
