import type { EventMessage } from '../../../typescript/events.js'
import { EventFormatter } from '../../resources/format-event.js'
import type { StreamGap } from '../follow.js'
import type { LineRow, LinesView, Span } from './protocol.js'

/** The newest items, up to a capacity. Each further item replaces the oldest. */
class RingBuffer<T> {
  #items: T[] = []
  /** Index of the oldest item once the buffer is full. */
  #start = 0

  constructor(private readonly capacity: number) {}

  get size(): number {
    return this.#items.length
  }

  get isFull(): boolean {
    return this.size === this.capacity
  }

  /** @returns the replaced item */
  put(item: T): T | undefined {
    if (!this.isFull) {
      this.#items.push(item)
      return undefined
    }
    const replaced = this.#items[this.#start]
    this.#items[this.#start] = item
    this.#start = (this.#start + 1) % this.capacity
    return replaced
  }

  /** Returns items from the newest on. @param first number of skipped items @param last exclusive end */
  newest(first: number, last: number): readonly T[] {
    const found: T[] = []
    for (let at = Math.max(0, first); at < Math.min(last, this.size); at++) {
      const item = this.#items[(this.#start + this.size - 1 - at) % this.size]
      if (item !== undefined) found.push(item)
    }
    return found
  }

  clear(): void {
    this.#items = []
    this.#start = 0
  }

  *[Symbol.iterator](): Generator<T> {
    for (let at = 0; at < this.size; at++) {
      const item = this.#items[(this.#start + at) % this.size]
      if (item !== undefined) yield item
    }
  }
}

const CAPACITY = 20_000
/** The maximum number of event types that are offered as filters. */
const MAX_TYPES = 500

const linesOf = ({ Events, Meta }: EventMessage, formatter: EventFormatter): readonly LineRow[] =>
  Events.map((event, at) => ({
    event,
    origin: Meta,
    words: formatter.describe(event),
    id: `${event.Index}-${at}`
  }))

export class LineList {
  readonly #formatter = new EventFormatter(CAPACITY)
  readonly #lines = new RingBuffer<LineRow>(CAPACITY)
  /** Lines that arrived while the list was held. */
  readonly #waiting = new RingBuffer<LineRow>(CAPACITY)
  readonly #types = new Set<string>()
  readonly #gaps: StreamGap[] = []
  #dropped = 0
  /** Number of lines dropped from `waiting`. */
  #missed = 0
  #isHeld = false
  #resume: (() => void) | undefined

  /** @param isFromPast fills the list from a start index and then pauses @param show called after each change */
  constructor(
    private readonly isFromPast: boolean,
    private readonly show: () => void
  ) {}

  /** Resolves when the list accepts more messages. */
  async take(messages: readonly EventMessage[]): Promise<void> {
    for (const message of messages)
      for (const line of linesOf(message, this.#formatter)) {
        if (this.isFromPast && this.#lines.isFull) await this.#waitForMore()
        this.#put(line)
      }
    this.show()
  }

  #put(line: LineRow): void {
    if (this.#types.size < MAX_TYPES) this.#types.add(line.event.Type)
    if (this.#isHeld) this.#missed += this.#waiting.put(line) ? 1 : 0
    else this.#dropped += this.#lines.put(line) ? 1 : 0
  }

  async #waitForMore(): Promise<void> {
    const resumed = new Promise<void>(resolve => void (this.#resume = resolve))
    this.show()
    await resumed
  }

  /** Replaces the lines of a full list with the next ones. */
  more(): void {
    if (!this.#resume) return
    this.#dropped += this.#lines.size
    this.#lines.clear()
    this.#resume()
    this.#resume = undefined
  }

  /** While the list is held, new lines wait. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) return this.show()
    this.#dropped += this.#missed
    for (const line of this.#waiting) this.#dropped += this.#lines.put(line) ? 1 : 0
    this.#waiting.clear()
    this.#missed = 0
    this.show()
  }

  addGap(gap: StreamGap): void {
    this.#gaps.push(gap)
    this.show()
  }

  /** Removes all lines after the loss of the permission. */
  clear(): void {
    this.#lines.clear()
    this.#waiting.clear()
    this.show()
  }

  view({ first, last }: Span): LinesView {
    return {
      count: this.#lines.size,
      first,
      rows: this.#lines.newest(first, last),
      dropped: this.#dropped,
      waiting: this.#waiting.size + this.#missed,
      isFull: this.#resume !== undefined,
      gaps: this.#gaps,
      types: [...this.#types].toSorted()
    }
  }
}
