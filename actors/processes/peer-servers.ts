import type { Retention } from '../../events/retention.js'
import type { Timers } from '../timers.js'

/** The other servers of a cluster, as pruning uses them. */
export interface PeerServers {
  /** True while this server decides. */
  readonly decides: () => boolean
  /** Fetches an announced base snapshot from the server that created it. */
  readonly fetchBase: (retention: Retention, signal: AbortSignal) => Promise<void>
  readonly timers: Pick<Timers, 'setTimeout'>
}
