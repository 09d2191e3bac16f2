// Read model of the restore of a snapshot that is under way.
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

/** A restore that has begun and not ended. */
interface RestoreUnderWay {
  readonly restore: SnapshotRestore
  /** Index of the commit that began it. */
  readonly begun: number
}

/** The restore under way. All costs O(1). */
export class PendingRestore implements Projection {
  readonly topics = [SNAPSHOT_TOPIC]
  readonly memory = {}
  #current: RestoreUnderWay | undefined

  /** Undefined when no snapshot is being restored. */
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
