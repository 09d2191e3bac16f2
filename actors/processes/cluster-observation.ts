// What a server has last seen of its cluster: who leads, and how fresh what it shows itself is.
import type { Leader, SharedLog, SharedState } from '../../events/log/cluster/shared-log.js'
import type { Clock } from '../clock.js'

/** What is missing for longer than this makes a follower lag, in milliseconds. */
const BEHIND_MS = 1000
/** How far apart proofs are that are waited for, as a part of the time for which the oldest is. */
const APART = 1 / 32

/** A moment up to which a server has everything once it shows a commit. */
interface Proof {
  readonly index: number
  /** By `Clock.elapsed`. */
  readonly at: number
}

export class ClusterObservation {
  readonly #readers = new Set<(state: SharedState) => void>()
  readonly #leaderListeners = new Set<() => void>()
  readonly #stop: () => void
  #newest: SharedState | undefined
  /** Those that do not hold yet, the oldest first: so who is always behind has proofs all the same, as old as that. */
  readonly #awaited: Proof[] = []
  #provenAt: number
  #readAt = -Infinity

  /** @param shown index of the newest commit that the read models show */
  constructor(
    shared: Pick<SharedLog, 'onRead'>,
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly shown: () => number
  ) {
    this.#provenAt = clock.elapsed()
    this.#stop = shared.onRead(state => this.#note(state))
  }

  /** Who leads, as of the last look. */
  get leader(): Leader | undefined {
    return this.#newest?.leader
  }

  /** Newest commit of the cluster, as of the last look. */
  get head(): number {
    return this.#newest?.head.index ?? 0
  }

  /** How long ago what is shown here was certainly all that there was, in ms. */
  get age(): number {
    this.#prove()
    return this.clock.elapsed() - this.#provenAt
  }

  /** How long ago the cluster was last seen, in ms. */
  get sinceRead(): number {
    return this.clock.elapsed() - this.#readAt
  }

  get isBehind(): boolean {
    this.#prove()
    const [oldest] = this.#awaited
    return oldest !== undefined && this.clock.elapsed() - oldest.at > BEHIND_MS
  }

  /** Calls with each look at what is shared. Returns how to stop. */
  onRead(listener: (state: SharedState) => void): () => void {
    const own = (state: SharedState): void => listener(state)
    this.#readers.add(own)
    return () => void this.#readers.delete(own)
  }

  /** Calls after another one leads, or nobody does. */
  onLeader(listener: () => void): void {
    this.#leaderListeners.add(listener)
  }

  stop(): void {
    this.#stop()
  }

  #note(state: SharedState): void {
    // Answers may overtake each other.
    if (this.#newest && state.askedAt < this.#newest.askedAt) return
    const isOther = state.leader?.nonce !== this.#newest?.leader?.nonce
    this.#newest = state
    this.#readAt = this.clock.elapsed()
    this.#await({ index: state.head.index, at: state.askedAt })
    this.#prove()
    for (const listener of this.#readers) listener(state)
    if (isOther) for (const listener of this.#leaderListeners) listener()
  }

  /** Few are kept, as far apart as little of the time for which the oldest waits. */
  #await(proof: Proof): void {
    const awaited = this.#awaited
    const [oldest = proof] = awaited
    const [beforeLast, last] = awaited.slice(-2)
    if (beforeLast && last && last.at - beforeLast.at < (proof.at - oldest.at) * APART) awaited.pop()
    awaited.push(proof)
  }

  #prove(): void {
    const awaited = this.#awaited
    if (awaited.length === 0) return
    const shown = this.shown()
    const open = awaited.findIndex(({ index }) => index > shown)
    const held = awaited.splice(0, open === -1 ? awaited.length : open).at(-1)
    if (held) this.#provenAt = Math.max(this.#provenAt, held.at)
  }
}
