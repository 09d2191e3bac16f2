import type { EventMessage } from '../../../typescript/events.js'
import { EventFormatter } from '../../resources/format-event.js'
import type { StreamGap } from '../follow.js'
import type { LineRow, LinesView, Span } from './protocol.js'

/** The newest items, up to a capacity. */
class NewestItems<T> {
  /** Oldest first, with up to as many dropped ones as the capacity. */
  #items: T[] = []
  /** Number of items since the last `clear`, with the dropped ones. */
  total = 0

  constructor(private readonly capacity: number) {}

  get size(): number {
    return Math.min(this.#items.length, this.capacity)
  }

  get isFull(): boolean {
    return this.size === this.capacity
  }

  put(item: T): void {
    this.total++
    this.#items.push(item)
    if (this.#items.length >= 2 * this.capacity) this.#items = this.#items.slice(-this.capacity)
  }

  /** Returns items from the newest on. @param first number of skipped items @param last exclusive end */
  newest(first: number, last: number): readonly T[] {
    const { length } = this.#items
    return this.#items.slice(length - Math.min(last, this.size), Math.max(0, length - first)).toReversed()
  }

  clear(): void {
    this.#items = []
    this.total = 0
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
  readonly #lines = new NewestItems<LineRow>(CAPACITY)
  /** Lines that arrived while the list was held. */
  readonly #waiting = new NewestItems<LineRow>(CAPACITY)
  readonly #types = new Set<string>()
  readonly #gaps: StreamGap[] = []
  /** Number of lines that the list has had. */
  #seen = 0
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
    if (this.#isHeld) return this.#waiting.put(line)
    this.#lines.put(line)
    this.#seen++
  }

  async #waitForMore(): Promise<void> {
    const resumed = new Promise<void>(resolve => void (this.#resume = resolve))
    this.show()
    await resumed
  }

  /** Replaces the lines of a full list with the next ones. */
  more(): void {
    if (!this.#resume) return
    this.#lines.clear()
    this.#resume()
    this.#resume = undefined
  }

  /** While the list is held, new lines wait. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) return this.show()
    this.#seen += this.#waiting.total
    for (const line of this.#waiting.newest(0, CAPACITY).toReversed()) this.#lines.put(line)
    this.#waiting.clear()
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
    this.#seen = 0
    this.show()
  }

  view({ first, last }: Span): LinesView {
    return {
      count: this.#lines.size,
      first,
      rows: this.#lines.newest(first, last),
      dropped: this.#seen - this.#lines.size,
      waiting: this.#waiting.total,
      isFull: this.#resume !== undefined,
      gaps: this.#gaps,
      types: [...this.#types].toSorted()
    }
  }
}
