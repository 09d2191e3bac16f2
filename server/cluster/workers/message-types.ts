// What the main process of a server and its workers tell each other.
import type { ErasureNotice } from '../../../events/log/cluster/publishing-store.js'
import type { LineLevel } from '../../telemetry/logging/lines.js'
import type { ProcessMetrics } from '../../telemetry/metrics/metrics.js'
import type { CountedAttempt } from '../../../http/audit/aggregated-attempts.js'
import type { Settings } from '../../settings/settings.js'
import type { ProcessStreams } from '../../../http/stream/stream-registry.js'
import type { AgentToken } from '../../settings/agent-tokens.js'
import type { AddressCount } from '../../../http/wire/sibling-processes.js'
import type { WorkerHeartbeat } from '../../../http/routes/agent/worker-states.js'

/** Of the shared number: see `Feed`. */
export const POSITION_FILE = 4
/** The end of the socket that the worker reads. */
export const FEED_FILE = 5

/** Number of the main process; those of its workers count from 1 on. */
export const MAIN_PROCESS = 0

/** What a worker begins with. */
export interface WorkerStart {
  /** From 1 on: see `MAIN_PROCESS`. */
  readonly number: number
  /** As the main process goes by them, with the ports that it listens on. */
  readonly settings: Settings
  /** How often the log of the server had been exchanged for another one, as by the restore of a snapshot. */
  readonly exchanges: number
  /** Path of the socket at which the main process takes requests. */
  readonly socket: string
  /** Proves to the main process, and to none but it, that a request comes from a worker. */
  readonly secret: Uint8Array
}

/** The use of a token: its accessor, and the minute. */
export type TokenUseReport = readonly [accessor: string, minute: number]

/** What part the server plays in its cluster now. */
export interface ClusterRoleUpdate {
  /** Whether what it shows is of the cluster, with what it is behind. */
  readonly isPlaying: boolean
  readonly isLeaderKnown: boolean
  /** For how long nothing had proved that what it shows is the newest, in whole ms. */
  readonly lastContact: number
}

/** To one worker. */
export type ToWorker =
  | { readonly kind: 'start'; readonly start: WorkerStart }
  /** Asked for by number. */
  | { readonly kind: 'report'; readonly number: number }
  /** Who asked by this number shows the newest when it has taken everything that was told; false when nobody can say so. */
  | { readonly kind: 'newest'; readonly number: number; readonly isCertain: boolean }
  /** Asks for a sign of life. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'end' }

/** To all workers, in one order with what is written: see `Feed`. */
export type ToWorkers =
  | ErasureNotice
  | { readonly kind: 'settings'; readonly settings: Settings }
  | { readonly kind: 'agent-token'; readonly token: AgentToken; readonly secret: string }
  | { readonly kind: 'uses'; readonly uses: readonly TokenUseReport[] }
  | { readonly kind: 'auth-failure'; readonly address: string; readonly by: number }
  | { readonly kind: 'count'; readonly count: AddressCount; readonly by: number }
  | { readonly kind: 'part'; readonly part: ClusterRoleUpdate }
  /** The lowest level at which the log of the server is followed; undefined for none. */
  | { readonly kind: 'log-followed'; readonly lowest: LineLevel | undefined }
  /** A process has ended: what it had has gone with it. */
  | { readonly kind: 'ended'; readonly worker: number }
  /** Another log is in the place of the one that was written. */
  | { readonly kind: 'replaced'; readonly exchanges: number }

/** What a worker counts. */
export interface WorkerReport {
  readonly metrics: ProcessMetrics
  readonly streams: ProcessStreams
}

/** From a worker. */
export type FromWorker =
  /** It has made the read models, and wants to be fed. */
  | { readonly kind: 'follow' }
  | { readonly kind: 'listening' }
  /** In a cluster: asks whether everything that any server has acknowledged was told. */
  | { readonly kind: 'newest'; readonly number: number }
  | { readonly kind: 'beat'; readonly sign: WorkerHeartbeat }
  | { readonly kind: 'report'; readonly number: number; readonly report: WorkerReport }
  | { readonly kind: 'uses'; readonly uses: readonly TokenUseReport[] }
  /** Those of a moment, and how many more there were. */
  | { readonly kind: 'denials'; readonly attempts: readonly CountedAttempt[]; readonly leftOut: number }
  | { readonly kind: 'auth-failure'; readonly address: string }
  | { readonly kind: 'count'; readonly count: AddressCount }
  /** Of its log, those of a moment, and how many more there were. */
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly leftOut: number }
