// One connection to the primary. It ends after silence, and when a complete transfer becomes necessary.
import type { Committer } from '../../../actors/committer.js'
import type { Timers } from '../../../actors/clock.js'
import type { Commit } from '../../../events/envelope.js'
import { SNAPSHOT_TOPIC } from '../../../events/snapshot.js'

/** The primary sends a heartbeat each second. */
const SILENCE_MS = 3000
/** Delay before a complete transfer is tried again. */
const FULL_TRANSFER_INTERVAL_MS = 30_000

export class ReplicationConnection {
  readonly #ended = new AbortController()
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal
  #timer = ''
  /** Timer of the next complete transfer. */
  #restart: string | undefined

  /** @param outer ends the connection from outside */
  constructor(
    private readonly timers: Timers,
    private readonly committer: Committer,
    outer: AbortSignal
  ) {
    this.signal = AbortSignal.any([outer, this.#ended.signal])
    // Commits may have been removed or replaced, so a comparison is necessary.
    committer.signals.on('rebuilt', this.#end)
    committer.signals.on('applied', this.#lookAt)
    this.#await()
  }

  /** The connection was ended because the primary was silent. */
  get wasSilent(): boolean {
    return this.#ended.signal.reason === 'silence'
  }

  /** Passes messages on, and measures silence only while it waits for the next one. */
  async *listen<T>(coming: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const one of coming) {
      this.timers.clearTimeout(this.#timer)
      yield one
      this.#await()
    }
    this.timers.clearTimeout(this.#timer)
  }

  /** Ends the connection after a delay, counted from the first call. */
  endLater(): void {
    this.#restart ??= this.timers.setTimeout(this.#end, FULL_TRANSFER_INTERVAL_MS)
  }

  close(): void {
    this.timers.clearTimeout(this.#timer)
    if (this.#restart !== undefined) this.timers.clearTimeout(this.#restart)
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
