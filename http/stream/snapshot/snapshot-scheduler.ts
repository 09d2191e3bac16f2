// Runs the slices of all snapshots one after another, with rests in between.
import { setImmediate } from 'node:timers/promises'
import { CpuShare } from '../catch-up/cpu-share.js'

export class SnapshotScheduler {
  readonly #share: CpuShare
  #last: Promise<unknown> = Promise.resolve()

  /** @param share of CPU time for all snapshots, above 0; 1 for no rest */
  constructor(share: number) {
    this.#share = new CpuShare(share)
  }

  /** Runs a slice of work in the order of the calls. */
  take<T>(slice: () => T): Promise<T> {
    const turn = this.#last.then(async () => {
      await this.#share.rested()
      // Pending I/O is handled between slices even without a rest.
      await setImmediate()
      return this.#share.work(slice)
    })
    this.#last = turn.catch(() => {})
    return turn
  }
}
