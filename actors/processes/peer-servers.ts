// What a server of a cluster asks of the others when old commits are let go.
import type { Retention } from '../../events/retention.js'
import type { Timers } from '../timers.js'

/** The servers that decide what is let go, one at a time, as one of them sees them. */
export interface PeerServers {
  /** Whether this one decides now. */
  readonly decides: () => boolean
  /** Gets the base that a commit tells of from the server that has made it. */
  readonly fetchBase: (retention: Retention, signal: AbortSignal) => Promise<void>
  readonly timers: Pick<Timers, 'setTimeout'>
}
