// What a server of a cluster plays its part with.
import type { ClusterLink } from '../../events/log/cluster/cluster-link.js'
import type { SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Clock } from '../clock.js'
import type { Committer } from '../committer.js'
import type { Timers } from '../timers.js'
import type { LeaderProcesses } from './leader-processes.js'
import type { MembershipKeeper } from './membership-keeper.js'
import type { ClusterObservation } from './cluster-observation.js'

/** The log of a server of a cluster. */
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
  readonly seat: MembershipKeeper
  readonly sightings: ClusterObservation
  readonly clock: Clock
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** ID of the server's own node. */
  readonly id: string
  /** After how long without proof what is shown here counts as old, in ms. */
  readonly maxStale: number
  /** Makes sure that the log is that of the cluster. Rejects when it is not, or nobody can say. */
  readonly admit: () => Promise<void>
  /** Has the log take what is shared, as it is appended, until the signal aborts. Rejects when it never can again. */
  readonly follow: (signal: AbortSignal) => Promise<void>
  /** Whether anything else than the log keeps this server from leading. */
  readonly isFit: () => boolean
  /** Called when a try to take part fails; the next one follows soon. */
  readonly onJoinFailed: (error: unknown) => void
  /** Told of every change of the state, and why it could not go on. */
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
