// What a server asks of the cluster that it is one of, from its start to its end.
import type { DependencyContainer } from 'tsyringe'

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
