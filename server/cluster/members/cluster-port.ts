import type { KeyObject } from 'node:crypto'
import type { InjectionToken } from 'tsyringe'
import type { Member } from '../../../events/log/cluster/shared-log.js'

/** Undefined for a listener that is off. */
export interface ListeningPorts {
  readonly port: number | undefined
  readonly httpsPort: number | undefined
}

/**
 * `joining`: the read models are not those of the cluster yet. `following`: they are, with a lag. `leading`: this server executes
 * commands. `broken`: the log is not that of the cluster, and an operator must act.
 */
export type ClusterRole = 'joining' | 'following' | 'leading' | 'broken'

/** The leader, as far as this server knows. */
export interface LeaderAddress {
  readonly id: string
  /** HTTP address: `http://10.0.0.1:8500`. */
  readonly address: string
}

export interface ClusterPort {
  /** Signs requests between the servers (`cluster.secret`); undefined if they use certificates only. */
  readonly secret: KeyObject | undefined
  /** Time a request waits for a leader, in ms (`cluster.hold`). */
  readonly hold: number

  role(): ClusterRole

  /** The leader, which may be this server. Undefined if there is none or it is unknown. */
  leader(): LeaderAddress | undefined

  /** Returns true if this server leads for certain: no newer write was acknowledged elsewhere. Runs for each read, so it may only compare clocks. */
  mayAnswer(): boolean

  /** Resolves when all writes acknowledged before are in the read models. Needs no leader. @throws Error without the shared log, or after `hold` */
  fence(): Promise<void>

  /** The leader is known, and this server was proved up to date within `cluster.max_stale`. */
  isLeaderKnown(): boolean

  /** Time since this server was last proved up to date, in whole ms; 0 for the leader. */
  lastContact(): number

  /** The last announcement of a server, by node ID. */
  member(id: string): Member | undefined

  /** Subscribes to changes of the role or the leader. Returns an unsubscribe function. */
  onChange(listener: () => void): () => void
}

/** Registered only for cluster members, before anything that listens is resolved. */
export const CLUSTER: InjectionToken<ClusterPort> = Symbol('Cluster')
