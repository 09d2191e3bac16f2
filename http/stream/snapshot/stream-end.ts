// Where a stream ends by itself, because it was asked to: behind an index, or after a number of messages.
import type { Framing } from '../../../projections/stream/framing.js'
import type { SelectedBytes } from '../../../projections/stream/selection.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import { LIMIT, UNTIL, type Completion } from '../control-lines.js'
import type { StreamEnd } from '../opened-stream.js'

/** Of the bytes that the index of a message is among. */
const HEAD_BYTES = 64
/** What a message begins with, also behind the fields of a server-sent event. */
const INDEX = /\{"Index":(\d+)/

/** Counts what a stream sends until it is enough. */
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

  /** The last index that is sent. */
  get last(): number {
    return this.#last
  }

  /** How many events of the pieces were withheld; undefined where the stream does not count them. */
  get withheld(): number | undefined {
    return this.#countsWithheld ? this.#withheld : undefined
  }

  /** Nothing behind this index is sent. */
  endAt(index: number): void {
    this.#last = Math.min(this.#last, index)
  }

  /**
   * As many messages of a piece as may still be sent. Pieces are shared with streams that have no limit, and so it is theirs
   * that is cut.
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

  /** Why nothing from the index `next` on is sent; undefined as long as something is. */
  reachedAt(next: number): Completion | undefined {
    if (this.#left === 0) return LIMIT
    return next > this.#last ? UNTIL : undefined
  }
}
