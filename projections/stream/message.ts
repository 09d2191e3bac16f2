// A commit as a line of the stream: `{"Index":N,"Events":[…]}`, made once and shared by all who get it.
import { eventText } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'

const COMMA = Buffer.from(',')
const END = Buffer.from(']}\n')

/**
 * Exactly one message stands for a commit, so that the last index seen plus one is a place to resume without loss
 * (spec: stream.md §14 row 4). The line is made when it is first asked for.
 */
export class Message {
  readonly index: number
  readonly events: readonly Event[]
  /** Characters of all its events. */
  readonly size: number
  #whole: Buffer | undefined

  constructor({ Index, Events }: Commit) {
    this.index = Index
    this.events = Events
    let size = 0
    for (const event of Events) size += eventText(event, Index).length
    this.size = size
  }

  /** The line with all events, newline included. */
  whole(): Buffer {
    this.#whole ??= Buffer.from(
      `${this.#head}${this.events.map(event => eventText(event, this.index)).join(',')}]}\n`
    )
    return this.#whole
  }

  /** The line with some of the events, in their order; undefined for none. */
  part(events: readonly Event[]): Buffer | undefined {
    if (events.length === this.events.length) return this.whole()
    if (events.length === 0) return undefined
    const parts = events.flatMap((event, i) => [
      ...(i > 0 ? [COMMA] : []),
      Buffer.from(eventText(event, this.index))
    ])
    return Buffer.concat([Buffer.from(this.#head), ...parts, END])
  }

  get #head(): string {
    return `{"Index":${this.index},"Events":[`
  }
}
