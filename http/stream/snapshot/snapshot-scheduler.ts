// The turns of all snapshots that are being sent: one slice after another, and time between them for those who write.
import { setImmediate } from 'node:timers/promises'
import { CpuShare } from '../catch-up/cpu-share.js'

export class SnapshotScheduler {
  readonly #share: CpuShare
  #last: Promise<unknown> = Promise.resolve()

  /** @param share of the time that all of them take together, above 0; 1 for no rest */
  constructor(share: number) {
    this.#share = new CpuShare(share)
  }

  /** Does a slice of work when it is its turn, in the order of asking. */
  take<T>(slice: () => T): Promise<T> {
    const turn = this.#last.then(async () => {
      await this.#share.rested()
      // Also without a rest, what has arrived comes first.
      await setImmediate()
      return this.#share.work(slice)
    })
    this.#last = turn.catch(() => {})
    return turn
  }
}
