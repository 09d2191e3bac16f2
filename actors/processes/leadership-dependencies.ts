import type { ClusterLink } from '../../events/log/cluster/cluster-link.js'
import type { SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Clock, Timers } from '../clock.js'
import type { Committer } from '../committer.js'
import type { LeaderProcesses } from './leader-processes.js'
import type { MembershipKeeper } from './membership-keeper.js'
import type { ClusterObservation } from './cluster-observation.js'

export interface ClusteredLog {
  readonly durableIndex: number
  readonly firstIndex: number
  hashAt(index: number): Promise<string>
  /** See `StoredLog.settled`. */
  settled(): Promise<void>
  onDurable(listener: () => void): () => void
}

export interface LeadershipDependencies {
  readonly log: ClusteredLog
  readonly shared: SharedLog
  readonly link: ClusterLink
  readonly committer: Committer
  readonly processes: LeaderProcesses
  readonly membership: MembershipKeeper
  readonly clusterObservation: ClusterObservation
  readonly clock: Clock
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  readonly id: string
  /** Age of the last proof of completeness after which the state counts as stale, ms. */
  readonly maxStale: number
  /** Verifies that the log belongs to the cluster. Rejects when it does not, or when that is unknown. */
  readonly admit: () => Promise<void>
  /** Appends shared commits to the log until the signal aborts. Rejects when that has become impossible. */
  readonly follow: (signal: AbortSignal) => Promise<void>
  /** False when a condition other than the log prevents this server from leading. */
  readonly isFit: () => boolean
  readonly onJoinFailed: (error: unknown) => void
  /** Reports every change of the state, with the error that stopped the server. */
  readonly onState: (state: LeadershipState, error?: unknown) => void
}

export type LeadershipState =
  | 'starting'
  | 'joining'
  | 'following'
  | 'lagging'
  | 'cut'
  | 'campaigning'
  | 'catchingUp'
  | 'leading'
  | 'steppingDown'
  | 'broken'
