// One connection to the primary: it ends when nothing is heard, and when what it told of may not be all that is to be known.
import type { Committer } from '../../../actors/committer.js'
import type { Timers } from '../../../actors/timers.js'
import type { Commit } from '../../../events/envelope.js'
import { SNAPSHOT_TOPIC } from '../../../events/snapshot.js'

/** The primary tells something each second. */
const SILENCE_MS = 3000
/** What was in the way may be gone by then. */
const FULL_TRANSFER_INTERVAL_MS = 30_000

export class ReplicationConnection {
  readonly #ended = new AbortController()
  /** Ends it from outside, or from here. */
  readonly signal: AbortSignal
  #timer = ''
  /** Ends it so that everything is told anew; undefined while that is not needed. */
  #anew: string | undefined

  /** @param outer ends it, for a reason of its own */
  constructor(
    private readonly timers: Timers,
    private readonly committer: Committer,
    outer: AbortSignal
  ) {
    this.signal = AbortSignal.any([outer, this.#ended.signal])
    // Commits may have gone, or others come in their place: what is here is to be looked at anew.
    committer.signals.on('rebuilt', this.#end)
    committer.signals.on('applied', this.#lookAt)
    this.#await()
  }

  /** Whether it was ended because nothing was heard. */
  get wasSilent(): boolean {
    return this.#ended.signal.reason === 'silence'
  }

  /** The same ones: each counts as heard, and silence only while the next one is waited for. */
  async *listen<T>(coming: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const one of coming) {
      this.timers.clearTimeout(this.#timer)
      yield one
      this.#await()
    }
    this.timers.clearTimeout(this.#timer)
  }

  /** Ends it after a while, counted from the first call. */
  endLater(): void {
    this.#anew ??= this.timers.setTimeout(this.#end, FULL_TRANSFER_INTERVAL_MS)
  }

  close(): void {
    this.timers.clearTimeout(this.#timer)
    if (this.#anew !== undefined) this.timers.clearTimeout(this.#anew)
    this.committer.signals.off('rebuilt', this.#end)
    this.committer.signals.off('applied', this.#lookAt)
    this.#end()
  }

  readonly #end = (): void => this.#ended.abort()

  readonly #lookAt = ({ Events }: Commit): void => {
    if (Events.some(({ Topic }) => Topic === SNAPSHOT_TOPIC)) this.#end()
  }

  #await(): void {
    this.#timer = this.timers.setTimeout(() => this.#ended.abort('silence'), SILENCE_MS)
  }
}
