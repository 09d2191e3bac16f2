// What requests ask of the cluster that their server is part of. A server alone has none, and asks nobody.
import type { InjectionToken, DependencyContainer } from 'tsyringe'
import type { Member } from '../../../events/log/cluster/shared-log.js'

export interface ClusterHost {
  /** Has the parts of the server ask it, before any of them is made. */
  register(scope: DependencyContainer): void
  /** Names what only the leader of the cluster does. */
  nameLeaderWork(scope: DependencyContainer): void
  /** Takes part from now on: the read models are made, and the server listens. */
  start(scope: DependencyContainer, ports: ListeningPorts): void
  /** Takes part no more: another server leads as soon as what is being written is certain. */
  leave(): Promise<void>
  /** Ends what is under way with the cluster: nobody hears what becomes of it. */
  close(): Promise<void>
}

/** On which a server listens; undefined for off. */
export interface ListeningPorts {
  readonly port: number | undefined
  readonly httpsPort: number | undefined
}

/**
 * `joining`: its read models are not those of the cluster yet. `following`: they are, with what it is behind, and it decides
 * nothing. `leading`: it decides. `broken`: its log is not that of the cluster, and only an operator can go on.
 */
export type ClusterRole = 'joining' | 'following' | 'leading' | 'broken'

/** Who decides, as far as this server knows. */
export interface LeaderAddress {
  /** ID of its own node. */
  readonly id: string
  /** Where it is reached over HTTP: `http://10.0.0.1:8500`. */
  readonly address: string
}

export interface ClusterPort {
  /** What the servers of the cluster sign with what they say to each other (`cluster.secret`); undefined where certificates alone prove it. */
  readonly secret: Uint8Array | undefined
  /** How long a request waits for a leader, in ms (`cluster.hold`). */
  readonly hold: number
  /** After how long without proof what this server shows counts as old, in ms (`cluster.max_stale`). */
  readonly maxStale: number

  role(): ClusterRole

  /** Undefined while nobody leads, or nobody can be asked who does. Also this server itself, when it leads. */
  leader(): LeaderAddress | undefined

  /**
   * Whether this server leads for certain at this moment, so that nothing newer than what it shows was acknowledged. False for all
   * that do not lead. Asked for each read of a leader: it must cost no more than a look at the clock.
   */
  mayAnswer(): boolean

  /**
   * Resolves when the read models show everything that any server had acknowledged when this was called. It needs no leader.
   * @throws Error when what is shared cannot be reached, or does not arrive here within `hold`
   */
  fence(): Promise<void>

  /** For how long nothing has proved that what this server shows is the newest, in whole ms; 0 for the leader. */
  lastContact(): number

  /** A server of the cluster by the ID of its own node, as it last announced itself. */
  member(id: string): Member | undefined

  /** Calls after the role or the leader has changed. Returns how to stop. */
  onChange(listener: () => void): () => void
}

/** Registered only where a server is part of a cluster, before anything is resolved that listens. */
export const CLUSTER: InjectionToken<ClusterPort> = Symbol('Cluster')
