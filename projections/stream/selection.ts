import { recover } from '../../events/errors.js'
import { getOrCreate } from '../maps.js'
import { FilterTooExpensive } from './event-filter.js'
import type { Message } from './message.js'
import type { RecentMessages } from './recent-messages.js'
import type { Selector } from './subscription.js'

/** Framed messages, if any were selected, and the index after the last one examined. */
export interface SelectedBytes {
  readonly bytes: Buffer | undefined
  readonly next: number
  /** See `Selector.withheldIn`. */
  readonly withheld: number
}

/** Replaces a message for which the expression cannot be evaluated. */
const UNFIT = Symbol('unfit')

/** Examines a message once for all streams that share filter, tenancy, authorizer and position. */
export class Selection {
  readonly #taken = new Map<number, SelectedBytes>()
  #takenAt = 0

  /** @param batchBytes limit of a batch, except for a single larger message */
  constructor(
    readonly selector: Selector,
    private readonly recent: RecentMessages,
    private readonly batchBytes: number
  ) {}

  /** Selects from the recent messages `from` up to `to`, in one batch. The first must be present. @throws FilterTooExpensive for the first message */
  take(from: number, to: number): SelectedBytes {
    if (to !== this.recent.newest) return this.#collect(from, to)
    if (this.#takenAt !== to) {
      this.#taken.clear()
      this.#takenAt = to
    }
    return getOrCreate(this.#taken, from, () => this.#collect(from, to))
  }

  /** True for a message that another thread should examine, because it takes too long. */
  isHeavy(message: Message): boolean {
    return this.selector.costOf(message) > 1
  }

  /** @param isLater true if the batch has earlier messages, which can be sent without this one */
  #frame(message: Message, isLater: boolean): Buffer | typeof UNFIT | undefined {
    const frame = (): Buffer | undefined => this.selector.frame(message)
    return isLater ? recover(frame, FilterTooExpensive, () => UNFIT) : frame()
  }

  #collect(from: number, to: number): SelectedBytes {
    const parts: Buffer[] = []
    let bytes = 0
    let next = from
    let cost = 0
    let withheld = 0
    for (; next <= to; next++) {
      const message = this.recent.get(next)
      if (!message) break
      cost += this.selector.costOf(message)
      if (cost > 1 && next > from) break
      const framed = this.#frame(message, next > from)
      if (framed === UNFIT) break
      if (framed && bytes > 0 && bytes + framed.length > this.batchBytes) break
      withheld += this.selector.withheldIn(message)
      if (!framed) continue
      parts.push(framed)
      bytes += framed.length
    }
    return { bytes: parts.length > 1 ? Buffer.concat(parts) : parts[0], next, withheld }
  }
}
