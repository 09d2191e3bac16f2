// The lifecycle of a restore: it begins, and ends.
import { setup } from 'xstate'
import { SNAPSHOT_TOPIC, type SnapshotEvent } from '../../events/snapshot.js'
import type { Lifecycle } from '../aggregate.js'

interface Happening {
  readonly type: SnapshotEvent['Type']
  readonly event: SnapshotEvent
}

const snapshotMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: SNAPSHOT_TOPIC,
  initial: 'idle',
  states: {
    idle: { on: { SnapshotRestoreBegun: 'restoring' } },
    restoring: { on: { SnapshotRestoreEnded: 'idle' } }
  }
})

export const snapshotLifecycle: Lifecycle = {
  topic: SNAPSHOT_TOPIC,
  machine: snapshotMachine,
  stateOf: views => (views.restore.current ? 'restoring' : 'idle')
}
