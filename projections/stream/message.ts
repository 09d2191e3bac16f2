import { eventText, eventTexts } from '../../events/codec.js'
import type { Commit, Event } from '../../events/envelope.js'
import { lineHead, type LineFormat, type StreamCommit } from './stored-message.js'
import type { WorkEstimate } from './subscription.js'
import { eventViewOf } from './event-view.js'

const headSizeOf = ({ Topic, Type, Key, Namespace, Partition, FilterKeys }: Event): number =>
  [Topic, Type, Key, Namespace, Partition, ...(FilterKeys ?? [])].join('').length

/**
 * A commit is exactly one message, so that the last index plus one is a position to resume without loss (spec: stream.md
 * §14 row 4). The line `{"Index":N,"Events":[…]}` is created on first use, for all subscribers.
 */
export class Message implements StreamCommit, WorkEstimate {
  readonly index: number
  readonly events: readonly Event[]
  /** Characters of its stored events, about the size of the line. */
  readonly size: number
  readonly #stored: readonly string[]
  #headSize: number | undefined
  #shown: readonly string[] | undefined
  #whole: Buffer | undefined
  #wholeWithMeta: Buffer | undefined

  constructor(readonly origin: Commit) {
    this.index = origin.Index
    this.events = origin.Events
    this.#stored = eventTexts(origin)
    this.size = this.#stored.reduce((size, text) => size + text.length, 0)
  }

  get headSize(): number {
    this.#headSize ??= this.events.reduce((size, event) => size + headSizeOf(event), 0)
    return this.#headSize
  }

  /** The line with all events, newline included. */
  whole(): Buffer {
    this.#whole ??= this.#line(this.#texts(), 'plain')
    return this.#whole
  }

  part(events: readonly Event[], form: LineFormat): Buffer | undefined {
    if (events.length === 0) return undefined
    const isWhole =
      events.length === this.events.length && events.every((event, i) => event === this.events[i])
    if (isWhole && form !== 'audit')
      return form === 'meta' ? (this.#wholeWithMeta ??= this.#line(this.#texts(), form)) : this.whole()
    const texts = this.#texts()
    const own = new Map(this.events.map((event, i) => [event, texts[i]]))
    return this.#line(
      events.map(event => own.get(event) ?? eventText(eventViewOf(event), this.index)),
      form
    )
  }

  #line(texts: readonly string[], form: LineFormat): Buffer {
    return Buffer.from(`${lineHead(this.index, () => this.origin, form)}${texts.join(',')}]}\n`)
  }

  #texts(): readonly string[] {
    this.#shown ??= this.#stored.map((text, i) => {
      const event = this.events[i]
      if (event === undefined) return text
      const asShown = eventViewOf(event)
      return asShown === event ? text : eventText(asShown, this.index)
    })
    return this.#shown
  }
}
