// The cluster port of a worker: the leader is the main process, and a read waits until the worker has applied all acknowledged writes.
import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock, Timers } from '../../../actors/clock.js'
import type { ClusterPort, ClusterRole, LeaderAddress } from '../members/cluster-port.js'
import type { FeedFollower } from './feed-follower.js'
import { MAIN_PROCESS, type ClusterRoleUpdate, type WorkerStart, type ToWorkers } from './message-types.js'
import type { Committer } from '../../../actors/committer.js'
import { Coalescer } from '../../../events/coalescer.js'
import type { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'

/** How often the main process sends the role. */
const ROLE_UPDATE_MS = 200

/** Sends the role until the returned function is called. */
export const sendClusterRole = (
  cluster: ClusterPort,
  feed: WorkerFeed<ToWorkers>,
  { committer, timers }: { readonly committer: Committer; readonly timers: Timers }
): (() => void) => {
  let timer: string | undefined
  const role = (): ClusterRoleUpdate => ({
    isPlaying: ['following', 'leading'].includes(cluster.role()) && committer.isReadable,
    isLeaderKnown: cluster.leader() !== undefined,
    lastContact: cluster.lastContact()
  })
  const send = (): void => feed.sendRetained('part', { kind: 'part', part: role() })
  const sendRepeatedly = (): void => {
    send()
    timer = timers.setTimeout(sendRepeatedly, ROLE_UPDATE_MS)
  }
  const unlisten = cluster.onChange(send)
  sendRepeatedly()
  return () => {
    unlisten()
    if (timer !== undefined) timers.clearTimeout(timer)
  }
}

/** The main process may hold a request, and then wait as long for the leader. */
const HOLDS = 2

interface WorkerPortOptions {
  readonly follower: Pick<FeedFollower, 'isCurrent' | 'current'>
  /** See `MainLink`. */
  readonly newest: () => Promise<void>
  readonly clock: Pick<Clock, 'elapsed'>
}

export class WorkerPort implements ClusterPort {
  readonly secret: KeyObject
  readonly hold: number
  readonly #maxStale: number
  readonly isInCluster: boolean
  readonly #main: LeaderAddress
  readonly #newest: Coalescer<void>
  #isRetired = false
  #role: ClusterRoleUpdate
  /** When the role was received, by `Clock.elapsed`. */
  #updatedAt: number

  constructor(
    { settings, socket, secret }: WorkerStart,
    private readonly options: WorkerPortOptions
  ) {
    const { enabled, hold, max_stale } = settings.cluster
    this.secret = createSecretKey(secret)
    this.hold = enabled ? HOLDS * hold : hold
    this.#maxStale = max_stale
    this.#main = { id: String(MAIN_PROCESS), address: `unix:${socket}` }
    this.isInCluster = enabled
    this.#newest = new Coalescer(options.newest)
    this.#role = { isPlaying: !enabled, isLeaderKnown: !enabled, lastContact: 0 }
    this.#updatedAt = options.clock.elapsed()
  }

  role(): ClusterRole {
    return this.#role.isPlaying && !this.#isRetired ? 'following' : 'joining'
  }

  updateRole(role: ClusterRoleUpdate): void {
    this.#role = role
    this.#updatedAt = this.options.clock.elapsed()
  }

  /** Call when the log was swapped and this worker is outdated. */
  retire(): void {
    this.#isRetired = true
  }

  leader(): LeaderAddress {
    return this.#main
  }

  /** Returns true if this worker is current. In a cluster only the main process knows. */
  mayAnswer(): boolean {
    return !this.isInCluster && this.options.follower.isCurrent
  }

  async fence(): Promise<void> {
    if (this.isInCluster) await this.#newest.ask()
    await this.options.follower.current(this.hold)
  }

  /** The server, not only this worker, knows the leader of its cluster. */
  isLeaderKnown(): boolean {
    return this.#role.isLeaderKnown && this.lastContact() <= this.#maxStale
  }

  /** The value of the main process, plus the time by which its update is late. */
  lastContact(): number {
    if (!this.isInCluster) return 0
    const silent = this.options.clock.elapsed() - this.#updatedAt - ROLE_UPDATE_MS
    return this.#role.lastContact + Math.max(Math.round(silent), 0)
  }

  member(): undefined {
    return undefined
  }

  /** The role never changes from the view of requests. */
  onChange(): () => void {
    return () => {}
  }
}
