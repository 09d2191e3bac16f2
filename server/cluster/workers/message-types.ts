import type { ErasureNotice } from '../../../events/log/cluster/worker-feed.js'
import type { LineLevel } from '../../telemetry/logging/lines.js'
import type { ProcessMetrics } from '../../telemetry/metrics/metrics.js'
import type { CountedAttempt } from '../../../http/audit/denied-attempt.js'
import type { Settings } from '../../settings/settings.js'
import type { ProcessStreams } from '../../../http/stream/stream-registry.js'
import type { UsageReport } from '../../../projections/acl/usage/question-counter.js'
import type { AgentToken } from '../../settings/agent-tokens.js'
import type { AddressCount } from '../../../http/wire/sibling-processes.js'
import type { WorkerHeartbeat } from '../../../http/routes/agent/worker-states.js'

/** File descriptor of the shared position: see `WorkerFeed`. */
export const POSITION_FILE = 4
/** File descriptor of the worker's end of the feed. */
export const FEED_FILE = 5

/** Number of the main process; workers count from 1. */
export const MAIN_PROCESS = 0

export interface WorkerStart {
  /** From 1: see `MAIN_PROCESS`. */
  readonly number: number
  /** With the ports on which the main process listens. */
  readonly settings: Settings
  /** How often the log was swapped, such as by the restore of a snapshot. */
  readonly exchanges: number
  /** Path of the socket of the main process. */
  readonly socket: string
  /** Proves to the main process that a request comes from a worker. */
  readonly secret: Uint8Array
}

export type TokenUseReport = readonly [accessor: string, minute: number]

export interface ClusterRoleUpdate {
  /** The read models are those of the cluster, with a lag. */
  readonly isPlaying: boolean
  readonly isLeaderKnown: boolean
  /** Time since the server was proved up to date, in whole ms. */
  readonly lastContact: number
}

export type ToWorker =
  | { readonly kind: 'start'; readonly start: WorkerStart }
  | { readonly kind: 'report'; readonly number: number }
  /** Answers `newest`: the worker is current after the messages before this one; false if that is unknown. */
  | { readonly kind: 'newest'; readonly number: number; readonly isCertain: boolean }
  | { readonly kind: 'beat' }
  | { readonly kind: 'end' }

/** To all workers, in one order with the records: see `WorkerFeed`. */
export type ToWorkers =
  | ErasureNotice
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'agent-token'; readonly token: AgentToken; readonly secret: string }
  | { readonly kind: 'uses'; readonly uses: readonly TokenUseReport[] }
  | { readonly kind: 'auth-failure'; readonly address: string; readonly by: number }
  | { readonly kind: 'count'; readonly count: AddressCount; readonly by: number }
  | { readonly kind: 'part'; readonly part: ClusterRoleUpdate }
  /** The lowest followed log level; undefined for none. */
  | { readonly kind: 'log-followed'; readonly lowest: LineLevel | undefined }
  /** A process has ended, and its counts with it. */
  | { readonly kind: 'ended'; readonly worker: number }
  /** The log was swapped. */
  | { readonly kind: 'replaced'; readonly exchanges: number }

export interface WorkerReport {
  readonly metrics: ProcessMetrics
  readonly streams: ProcessStreams
}

export type FromWorker =
  /** The read models are built, and the feed may begin. */
  | { readonly kind: 'follow' }
  | { readonly kind: 'listening' }
  /** In a cluster: requests confirmation that all acknowledged writes were sent. */
  | { readonly kind: 'newest'; readonly number: number }
  | { readonly kind: 'beat'; readonly sign: WorkerHeartbeat }
  | { readonly kind: 'report'; readonly number: number; readonly report: WorkerReport }
  | { readonly kind: 'uses'; readonly uses: readonly TokenUseReport[] }
  /** The permission questions of one minute since the epoch. */
  | { readonly kind: 'questions'; readonly report: UsageReport; readonly minute: number }
  /** A batch, and how many more there were. */
  | { readonly kind: 'denials'; readonly attempts: readonly CountedAttempt[]; readonly leftOut: number }
  | { readonly kind: 'auth-failure'; readonly address: string }
  | { readonly kind: 'count'; readonly count: AddressCount }
  /** A batch of log lines, and how many more there were. */
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly leftOut: number }
