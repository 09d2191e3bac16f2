// What a session needs of those who hold it.
import type { CursorLeases } from '../../actors/processes/cursor-leases.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { RecentMessages } from '../../projections/stream/recent-messages.js'
import type { Selection } from '../../projections/stream/selection.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import type { CatchUpSource } from './catch-up/source.js'
import type { SnapshotHost } from './snapshot/send-snapshot.js'

export interface SessionHost<Session> {
  readonly recent: RecentMessages
  readonly catchUp: CatchUpSource
  readonly snapshots: SnapshotHost
  readonly leases: CursorLeases
  readonly heartbeatMs: number
  /** The shared selection for this authority; undefined when the subscription is not allowed. */
  select(subscription: Subscription, authority: Authority): Selection | undefined
  /** The session no longer uses the selection. */
  unselect(selection: Selection): void
  /** The session has more to send. */
  due(session: Session): void
  onEnd(session: Session): void
  onFault(error: unknown): void
}
