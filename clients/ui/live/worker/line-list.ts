// Events as they come, of which the page gets the lines in view: not more of them are kept than there is room for.
import type { EventMessage } from '../../../typescript/events.js'
import { EventFormatter } from '../../resources/format-event.js'
import type { StreamGap } from '../follow.js'
import type { LineRow, LinesView, Span } from './protocol.js'

/** The newest of many, in a room that does not grow: each that comes beyond it takes the place of the oldest. */
class RingBuffer<T> {
  #items: T[] = []
  /** Where the oldest stands once the room is full. */
  #start = 0

  constructor(private readonly room: number) {}

  get size(): number {
    return this.#items.length
  }

  get isFull(): boolean {
    return this.size === this.room
  }

  /** @returns the one that had to go */
  put(item: T): T | undefined {
    if (!this.isFull) {
      this.#items.push(item)
      return undefined
    }
    const gone = this.#items[this.#start]
    this.#items[this.#start] = item
    this.#start = (this.#start + 1) % this.room
    return gone
  }

  /** From the newest on. @param first how many newer ones are passed over @param last the one before it is the last */
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

/** Older lines leave the list, which says how many did. */
const MOST = 20_000
/** So many types are offered to choose from. */
const OFFERED = 500

const linesOf = ({ Events, Meta }: EventMessage, narrator: EventFormatter): readonly LineRow[] =>
  Events.map((event, at) => ({
    event,
    origin: Meta,
    words: narrator.tell(event),
    id: `${event.Index}-${at}`
  }))

export class LineList {
  readonly #narrator = new EventFormatter(MOST)
  readonly #lines = new RingBuffer<LineRow>(MOST)
  /** What came while the list was held. */
  readonly #waiting = new RingBuffer<LineRow>(MOST)
  readonly #types = new Set<string>()
  readonly #gaps: StreamGap[] = []
  #dropped = 0
  /** Of those that waited. */
  #missed = 0
  #isHeld = false
  #goOn: (() => void) | undefined

  /**
   * @param isFromPast the list begins with what was, and stops when it is full; else it has the newest events
   * @param show is called when the list shows something else
   */
  constructor(
    private readonly isFromPast: boolean,
    private readonly show: () => void
  ) {}

  /** Resolves when there is room for more. */
  async take(messages: readonly EventMessage[]): Promise<void> {
    for (const message of messages)
      for (const line of linesOf(message, this.#narrator)) {
        if (this.isFromPast && this.#lines.isFull) await this.#room()
        this.#put(line)
      }
    this.show()
  }

  #put(line: LineRow): void {
    if (this.#types.size < OFFERED) this.#types.add(line.event.Type)
    if (this.#isHeld) this.#missed += this.#waiting.put(line) ? 1 : 0
    else this.#dropped += this.#lines.put(line) ? 1 : 0
  }

  /** Waits until the lines that are there may go. */
  async #room(): Promise<void> {
    const gone = new Promise<void>(resolve => void (this.#goOn = resolve))
    this.show()
    await gone
  }

  /** Lets the lines of a full list go for those that come next. */
  more(): void {
    if (!this.#goOn) return
    this.#dropped += this.#lines.size
    this.#lines.clear()
    this.#goOn()
    this.#goOn = undefined
  }

  /** What comes while the list is held waits. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) return this.show()
    this.#dropped += this.#missed
    for (const line of this.#waiting) this.#dropped += this.#lines.put(line) ? 1 : 0
    this.#waiting.clear()
    this.#missed = 0
    this.show()
  }

  miss(gap: StreamGap): void {
    this.#gaps.push(gap)
    this.show()
  }

  /** Nothing of it may be seen any more. */
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
      isFull: this.#goOn !== undefined,
      gaps: this.#gaps,
      types: [...this.#types].toSorted()
    }
  }
}
