// What the main process of a server knows of each of its workers.
import type { InjectionToken } from 'tsyringe'

/** What a worker tells of itself. */
export interface WorkerHeartbeat {
  /** Newest commit that it shows. */
  readonly index: number
  /** Memory that it has, in bytes. */
  readonly bytes: number
}

export interface WorkerState {
  /** From 1 on. */
  readonly number: number
  /** Undefined between two lives. */
  readonly pid: number | undefined
  /** `silent`: several heartbeats are missing; the worker is killed if more are. */
  readonly state: 'starting' | 'listening' | 'silent' | 'ended'
  /** When its process was started, in epoch ms. */
  readonly since: number
  /** The last report; undefined before the first. */
  readonly sign: WorkerHeartbeat | undefined
  /** Commits that were on disk when it was last asked, and that it did not show; while it is silent, all that have come since too. */
  readonly behind: number
}

/** Registered only for the main process of a server with workers. */
export const WORKER_STATES: InjectionToken<() => readonly WorkerState[]> = Symbol('WorkerStates')
