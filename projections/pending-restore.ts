import type { Commit, Event } from '../events/envelope.js'
import {
  isSnapshotEvent,
  RESTORE_KEY,
  SNAPSHOT_TOPIC,
  type SnapshotRestore,
  type SnapshotRestoreBegun
} from '../events/snapshot.js'
import type { Projection } from './projection.js'
import { fact, type Fact } from './saved-form.js'

interface RestoreUnderWay {
  readonly restore: SnapshotRestore
  readonly begun: number
}

export class PendingRestore implements Projection {
  readonly topics = [SNAPSHOT_TOPIC]
  readonly memory = {}
  #current: RestoreUnderWay | undefined

  /** Undefined without a current restore run. */
  get current(): RestoreUnderWay | undefined {
    return this.#current
  }

  apply(event: Event, { Index }: Commit): void {
    if (!isSnapshotEvent(event)) return
    if (event.Type === 'SnapshotRestoreBegun')
      this.#current = { restore: event.Payload.Restore, begun: Index }
    else this.#current = undefined
  }

  reset(): void {
    this.#current = undefined
  }

  *facts(): Iterable<Fact> {
    if (this.#current)
      yield fact<SnapshotRestoreBegun>({
        Topic: SNAPSHOT_TOPIC,
        Type: 'SnapshotRestoreBegun',
        Key: RESTORE_KEY,
        Index: this.#current.begun,
        Payload: { Restore: this.#current.restore }
      })
  }
}
