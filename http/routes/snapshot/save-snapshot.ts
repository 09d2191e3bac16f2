// The limit of concurrent snapshots and log copies.
import pLimit from 'p-limit'
import { Lifecycle, scoped } from 'tsyringe'
import { Refusal } from '../../../actors/refusal.js'

@scoped(Lifecycle.ContainerScoped)
export class SnapshotSave {
  readonly #turns = pLimit(1)

  /**
   * @param most `limits.snapshots_at_once`
   * @throws Refusal `too-many` if this number of snapshots is running
   */
  requireRoom(most: number): void {
    if (this.#turns.activeCount + this.#turns.pendingCount >= most)
      throw new Refusal(
        'snapshot.too-many',
        `Too many snapshots are being saved: ${most} at a time (limits.snapshots_at_once); try again later`
      )
    this.#turns.concurrency = most
  }

  run<Result>(save: () => Promise<Result>): Promise<Result> {
    return this.#turns(save)
  }
}
