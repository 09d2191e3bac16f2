import type { Event } from '../events/envelope.js'
import {
  isReplicationEnded,
  isReplicationMoved,
  REPLICATION_KEY,
  REPLICATION_TOPIC,
  type ReplicationMoved,
  type ReplicationPosition
} from '../events/replication.js'
import { SNAPSHOT_TOPIC } from '../events/snapshot.js'
import type { Projection } from './projection.js'
import { fact, type Fact } from './saved-form.js'

export class Replication implements Projection {
  readonly topics = [REPLICATION_TOPIC, SNAPSHOT_TOPIC]
  readonly memory = {}
  #position: ReplicationPosition | undefined

  /** Undefined before the first reconciliation, in the primary datacenter, and after the restore of a snapshot. */
  get position(): ReplicationPosition | undefined {
    return this.#position
  }

  apply(event: Event): void {
    if (isReplicationMoved(event)) this.#position = event.Payload.Replication
    else if (isReplicationEnded(event) || event.Topic === SNAPSHOT_TOPIC) this.#position = undefined
  }

  reset(): void {
    this.#position = undefined
  }

  *facts(): Iterable<Fact> {
    if (this.#position)
      yield fact<ReplicationMoved>({
        Topic: REPLICATION_TOPIC,
        Type: 'ReplicationMoved',
        Key: REPLICATION_KEY,
        Index: 0,
        Payload: { Replication: this.#position }
      })
  }
}
