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
  /** Returns the shared selection of an authority; undefined if the subscription is denied. */
  select(subscription: Subscription, authority: Authority): Selection | undefined
  unselect(selection: Selection): void
  /** Schedules the session, which has more to send. */
  due(session: Session): void
  onEnd(session: Session): void
  onFault(error: unknown): void
}
