// What one filter, tenancy and authorizer let through: worked out once and shared by all streams that have them.
import { FilterTooExpensive } from './event-filter.js'
import type { Message } from './message.js'
import type { RecentMessages } from './recent-messages.js'
import type { Selector } from './selector.js'

/** Bytes for the wire, if any message was selected, and the index after the last one looked at. */
export interface SelectedBytes {
  readonly bytes: Buffer | undefined
  readonly next: number
  /** See `Selector.withheldIn`. */
  readonly withheld: number
}

/** In place of a message for which the expression cannot be evaluated. */
const UNFIT = Symbol('unfit')

/** A message is looked at once for all streams that stand at the same place. */
export class Selection {
  readonly #taken = new Map<number, SelectedBytes>()
  #takenAt = 0

  /** @param batchBytes how many bytes are taken at once, but for a single message that is larger */
  constructor(
    readonly selector: Selector,
    private readonly recent: RecentMessages,
    private readonly batchBytes: number
  ) {}

  /**
   * What is selected from the recent messages from `from` on, up to the index `to`, in one piece of bounded size.
   * The first of them must be there.
   * @throws UnfitFilter for the first of them
   */
  take(from: number, to: number): SelectedBytes {
    if (to !== this.recent.newest) return this.#collect(from, to)
    if (this.#takenAt !== to) {
      this.#taken.clear()
      this.#takenAt = to
    }
    let taken = this.#taken.get(from)
    if (!taken) this.#taken.set(from, (taken = this.#collect(from, to)))
    return taken
  }

  /** Whether a message takes so long to be looked at that another thread should. */
  isHeavy(message: Message): boolean {
    return this.selector.costOf(message) > 1
  }

  /** @param isLater whether there are messages before it, which go without it where it cannot be looked at */
  #frame(message: Message, isLater: boolean): Buffer | typeof UNFIT | undefined {
    try {
      return this.selector.frame(message)
    } catch (error) {
      if (isLater && error instanceof FilterTooExpensive) return UNFIT
      throw error
    }
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
