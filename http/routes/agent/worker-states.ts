// The states of a server's workers, as its main process knows them.
import type { InjectionToken } from 'tsyringe'

export interface WorkerHeartbeat {
  /** Newest applied commit. */
  readonly index: number
  /** Memory in bytes. */
  readonly bytes: number
}

export interface WorkerState {
  /** From 1 on. */
  readonly number: number
  /** Undefined without a process. */
  readonly pid: number | undefined
  /** `silent`: several heartbeats are missing; the worker is killed if more are. */
  readonly state: 'starting' | 'listening' | 'silent' | 'ended'
  /** Start time of its process in epoch ms. */
  readonly since: number
  /** The last report; undefined before the first. */
  readonly sign: WorkerHeartbeat | undefined
  /** Durable commits that it had not applied at its last heartbeat; while it is silent, also all later ones. */
  readonly behind: number
}

/** Registered only for the main process of a server with workers. */
export const WORKER_STATES: InjectionToken<() => readonly WorkerState[]> = Symbol('WorkerStates')
