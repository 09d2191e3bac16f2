// Stands in a worker where servers of a cluster have the cluster: the leader is the main process, and a read waits until the worker shows
// all that was acknowledged.
import type { Clock } from '../../../actors/clock.js'
import type { ClusterPort, ClusterRole, LeaderAddress } from '../members/cluster-port.js'
import type { FeedFollower } from './feed-follower.js'
import { MAIN_PROCESS } from './message-types.js'
import type { ClusterRoleUpdate, WorkerStart, ToWorkers } from './message-types.js'
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import { Timers } from '../../../actors/timers.js'
import type { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'

/** As often as a server hears from its cluster by itself. */
const ROLE_UPDATE_MS = 200

/** Tells it until the function that it returns is called. */
export const sendClusterRole = (
  scope: DependencyContainer,
  cluster: ClusterPort,
  feed: WorkerFeed<ToWorkers>
): (() => void) => {
  const committer = scope.resolve(Committer)
  const timers = scope.resolve(Timers)
  let timer: string | undefined
  const part = (): ClusterRoleUpdate => ({
    isPlaying: ['following', 'leading'].includes(cluster.role()) && committer.isReadable,
    isLeaderKnown: cluster.leader() !== undefined,
    lastContact: cluster.lastContact()
  })
  const tell = (): void => feed.sendRetained('part', { kind: 'part', part: part() })
  const tellOn = (): void => {
    tell()
    timer = timers.setTimeout(tellOn, ROLE_UPDATE_MS)
  }
  const unlisten = cluster.onChange(tell)
  tellOn()
  return () => {
    unlisten()
    if (timer !== undefined) timers.clearTimeout(timer)
  }
}

/** A question whose answer is for all who asked before it was put. */
class RequestCoalescer {
  /** The one that was put, and the one that those share who have asked since. */
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(private readonly put: () => Promise<void>) {}

  /** Resolves when it was answered after this was called; rejects when it could not be. */
  ask(): Promise<void> {
    if (!this.#running) return this.#begin()
    const begin = (): Promise<void> => this.#begin()
    return (this.#next ??= this.#running.then(begin, begin))
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const running = this.put().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    return (this.#running = running)
  }
}

/** The main process may wait for as long as the cluster holds a request, and then as long again for the answer of the leader. */
const HOLDS = 2

interface PortParts {
  readonly follower: Pick<FeedFollower, 'isCurrent' | 'current'>
  /** See `MainLink`. */
  readonly newest: () => Promise<void>
  readonly clock: Pick<Clock, 'elapsed'>
}

export class WorkerPort implements ClusterPort {
  readonly secret: Uint8Array
  readonly hold: number
  readonly maxStale: number
  readonly isInCluster: boolean
  readonly #main: LeaderAddress
  readonly #follower: PortParts['follower']
  readonly #clock: PortParts['clock']
  readonly #newest: RequestCoalescer
  #isRetired = false
  #part: ClusterRoleUpdate
  /** When that was told, by `Clock.elapsed`. */
  #toldAt: number

  constructor({ settings, socket, secret }: WorkerStart, { follower, newest, clock }: PortParts) {
    const { enabled, hold, max_stale } = settings.cluster
    this.secret = secret
    this.hold = enabled ? HOLDS * hold : hold
    this.maxStale = max_stale
    this.#main = { id: String(MAIN_PROCESS), address: `unix:${socket}` }
    this.#follower = follower
    this.#clock = clock
    this.isInCluster = enabled
    this.#newest = new RequestCoalescer(newest)
    this.#part = { isPlaying: !enabled, isLeaderKnown: !enabled, lastContact: 0 }
    this.#toldAt = clock.elapsed()
  }

  role(): ClusterRole {
    return this.#part.isPlaying && !this.#isRetired ? 'following' : 'joining'
  }

  /** Takes what part the server plays in its cluster from now on. */
  play(part: ClusterRoleUpdate): void {
    this.#part = part
    this.#toldAt = this.#clock.elapsed()
  }

  /** From now on nothing that this worker shows is that of the server. */
  retire(): void {
    this.#isRetired = true
  }

  leader(): LeaderAddress {
    return this.#main
  }

  /** Nothing newer than what this worker shows was acknowledged. Of a cluster only the main process can say so. */
  mayAnswer(): boolean {
    return !this.isInCluster && this.#follower.isCurrent
  }

  async fence(): Promise<void> {
    if (this.isInCluster) await this.#newest.ask()
    await this.#follower.current(this.hold)
  }

  /** Whether the server, not only this worker, knows who leads its cluster. */
  get isLeaderKnown(): boolean {
    return this.#part.isLeaderKnown && this.lastContact() <= this.maxStale
  }

  /** As the main process last told, and since then if that should have told again. */
  lastContact(): number {
    if (!this.isInCluster) return 0
    const silent = this.#clock.elapsed() - this.#toldAt - ROLE_UPDATE_MS
    return this.#part.lastContact + Math.max(Math.round(silent), 0)
  }

  member(): undefined {
    return undefined
  }

  /** Nothing ever does. */
  onChange(): () => void {
    return () => {}
  }
}
