// The last observation of the cluster: its leader, and the staleness of this server's state.
import { EventEmitter } from 'eventemitter3'
import type { Leader, SharedLog, SharedState } from '../../events/log/cluster/shared-log.js'
import type { Clock } from '../clock.js'

/** A follower lags when a commit has been missing for longer, ms. */
const BEHIND_MS = 1000
/** Distance between pending proofs, as a fraction of the age of the oldest. */
const APART = 1 / 32

/** A point in time up to which a server is complete once it has applied the commit. */
interface Proof {
  readonly index: number
  /** By `Clock.elapsed`. */
  readonly at: number
}

export class ClusterObservation {
  readonly #signals = new EventEmitter<{ read: [state: SharedState]; leader: [] }>()
  readonly #stop: () => void
  #newest: SharedState | undefined
  /** Pending proofs, oldest first. A server that always lags still has proofs, which are that old. */
  readonly #awaited: Proof[] = []
  #provenAt: number

  /** @param shown returns the index of the newest commit in the read models */
  constructor(
    shared: Pick<SharedLog, 'onRead'>,
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly shown: () => number
  ) {
    this.#provenAt = clock.elapsed()
    this.#stop = shared.onRead(state => this.#note(state))
  }

  get leader(): Leader | undefined {
    return this.#newest?.leader
  }

  get head(): number {
    return this.#newest?.head.index ?? 0
  }

  /** Age of the last proof that this server's state was complete, ms. */
  get age(): number {
    this.#prove()
    return this.clock.elapsed() - this.#provenAt
  }

  get isBehind(): boolean {
    this.#prove()
    const [oldest] = this.#awaited
    return oldest !== undefined && this.clock.elapsed() - oldest.at > BEHIND_MS
  }

  /** Calls `listener` with each observation. Returns a function that removes the listener. */
  onRead(listener: (state: SharedState) => void): () => void {
    this.#signals.on('read', listener)
    return () => void this.#signals.off('read', listener)
  }

  onLeader(listener: () => void): void {
    this.#signals.on('leader', listener)
  }

  stop(): void {
    this.#stop()
  }

  #note(state: SharedState): void {
    // Responses may arrive out of order.
    if (this.#newest && state.askedAt < this.#newest.askedAt) return
    const isOther = state.leader?.nonce !== this.#newest?.leader?.nonce
    this.#newest = state
    this.#await({ index: state.head.index, at: state.askedAt })
    this.#prove()
    this.#signals.emit('read', state)
    if (isOther) this.#signals.emit('leader')
  }

  /** Keeps few proofs, at a distance relative to the age of the oldest. */
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
