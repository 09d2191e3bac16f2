import type { SelectedBytes } from '../../projections/stream/selection.js'
import type { Framing, Subscription } from '../../projections/stream/subscription.js'
import type { Completion } from './control-lines.js'
import type { StreamEnd } from './opened-stream.js'

const HEAD_BYTES = 64
/** The beginning of a message, also after the fields of a server-sent event. */
const INDEX = /\{"Index":(\d+)/

/** The requested end of a stream: an index or a number of messages. */
export class StreamEndCounter {
  readonly #framing: Framing
  readonly #countsWithheld: boolean
  #withheld = 0
  #last: number
  #left: number

  constructor(end: StreamEnd | undefined, { framing, audit }: Pick<Subscription, 'framing' | 'audit'>) {
    this.#framing = framing
    this.#countsWithheld = audit?.countsWithheld === true
    this.#last = end?.index ?? Infinity
    this.#left = end?.limit ?? Infinity
  }

  get last(): number {
    return this.#last
  }

  get withheld(): number | undefined {
    return this.#countsWithheld ? this.#withheld : undefined
  }

  endAt(index: number): void {
    this.#last = Math.min(this.#last, index)
  }

  /**
   * Cuts a piece to the remaining number of messages. Pieces are shared with unlimited streams, so they are not limited when they are made.
   */
  cut(taken: SelectedBytes): SelectedBytes {
    const { bytes, withheld } = taken
    this.#withheld += withheld
    if (!bytes || this.#left === Infinity) return taken
    let at = 0
    while (at < bytes.length && this.#left > 0) {
      const from = at
      at = bytes.indexOf(this.#framing.end, from) + this.#framing.end.length
      this.#left--
      if (this.#left > 0 || at === bytes.length) continue
      const index = INDEX.exec(bytes.toString('latin1', from, Math.min(at, from + HEAD_BYTES)))?.[1]
      return { ...taken, bytes: bytes.subarray(0, at), next: Number(index) + 1 }
    }
    return taken
  }

  /** Returns why the stream ends before index `next`; undefined while it continues. */
  reachedAt(next: number): Completion | undefined {
    if (this.#left === 0) return 'limit'
    return next > this.#last ? 'until' : undefined
  }
}
