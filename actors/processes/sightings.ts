// What a server has last seen of its cluster: who leads, and how fresh what it shows itself is.
import type { Leader, SharedLog, SharedState } from '../../events/log/cluster/shared-log.js'
import type { Clock } from '../clock.js'

/** What is missing for longer than this makes a follower lag, in milliseconds. */
const BEHIND_MS = 1000

/** A moment up to which a server has everything once it shows a commit. */
interface Proof {
  readonly index: number
  /** By `Clock.elapsed`. */
  readonly at: number
}

export class Sightings {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #shown: () => number
  readonly #readers = new Set<(state: SharedState) => void>()
  readonly #leaderListeners = new Set<() => void>()
  readonly #stop: () => void
  #newest: SharedState | undefined
  /** Kept until it holds, however many come after it: so who is always a little behind has proofs all the same. */
  #awaited: Proof | undefined
  #provenAt: number
  #readAt = -Infinity

  /** @param shown index of the newest commit that the read models show */
  constructor(shared: Pick<SharedLog, 'onRead'>, clock: Pick<Clock, 'elapsed'>, shown: () => number) {
    this.#clock = clock
    this.#shown = shown
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
    return this.#clock.elapsed() - this.#provenAt
  }

  /** How long ago the cluster was last seen, in ms. */
  get sinceRead(): number {
    return this.#clock.elapsed() - this.#readAt
  }

  get isBehind(): boolean {
    this.#prove()
    return this.#awaited !== undefined && this.#clock.elapsed() - this.#awaited.at > BEHIND_MS
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
    this.#readAt = this.#clock.elapsed()
    this.#prove()
    this.#awaited ??= { index: state.head.index, at: state.askedAt }
    this.#prove()
    for (const listener of this.#readers) listener(state)
    if (isOther) for (const listener of this.#leaderListeners) listener()
  }

  #prove(): void {
    for (;;) {
      const awaited = this.#awaited
      const newest = this.#newest
      if (!awaited || !newest || this.#shown() < awaited.index) return
      this.#provenAt = Math.max(this.#provenAt, awaited.at)
      this.#awaited =
        newest.askedAt > awaited.at ? { index: newest.head.index, at: newest.askedAt } : undefined
    }
  }
}
