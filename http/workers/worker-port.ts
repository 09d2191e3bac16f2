// How requests see the server from one of its workers: the main process decides, and what it has acknowledged is seen here at once.
import type { ClusterPort, ClusterRole, LeaderPlace } from '../cluster/cluster-port.js'
import type { FeedFollower } from './feed-follower.js'
import type { WorkerStart } from './messages.js'

/** The main process in place of a node of its own, which it has in common with its workers. */
const MAIN = 'main'

export class WorkerPort implements ClusterPort {
  readonly secret: Uint8Array
  readonly hold: number
  readonly maxStale: number
  readonly #main: LeaderPlace
  readonly #follower: FeedFollower
  #isRetired = false

  constructor({ settings, socket, secret }: WorkerStart, follower: FeedFollower) {
    this.secret = secret
    this.hold = settings.cluster.hold
    this.maxStale = settings.cluster.max_stale
    this.#main = { id: MAIN, address: `unix:${socket}` }
    this.#follower = follower
  }

  role(): ClusterRole {
    return this.#isRetired ? 'joining' : 'following'
  }

  /** From now on nothing that this worker shows is that of the server. */
  retire(): void {
    this.#isRetired = true
  }

  leader(): LeaderPlace {
    return this.#main
  }

  /** Nothing newer than what this worker shows was acknowledged. */
  mayAnswer(): boolean {
    return this.#follower.isCurrent
  }

  fence(): Promise<void> {
    return this.#follower.current(this.hold)
  }

  lastContact(): number {
    return 0
  }

  member(): undefined {
    return undefined
  }

  /** Nothing ever does. */
  onChange(): () => void {
    return () => {}
  }
}
