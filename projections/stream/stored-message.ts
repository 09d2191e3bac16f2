// A commit as a line of the stream, cut out of what the log keeps instead of being printed again.
import { eventText } from '../../events/codec.js'
import type { Event } from '../../events/envelope.js'
import { isStoredEvent, type StoredCommit, type StoredEvent } from '../../events/stored.js'
import { lineHead, type CommitOrigin, type LineFormat } from './meta.js'
import type { StreamCommit, BufferAllocator } from './line.js'
import { eventViewOf } from './event-view.js'

const END = Buffer.from(']}\n')
const COMMA = ','.charCodeAt(0)

/** Of an event, as the line has it. */
type EventText = Pick<StoredEvent, 'textLength' | 'copyText'>

/** Of an event that is shown as another than it is stored as. */
class PrintedText implements EventText {
  readonly #bytes: Buffer

  constructor(text: string) {
    this.#bytes = Buffer.from(text)
  }

  get textLength(): number {
    return this.#bytes.length
  }

  copyText(target: Buffer, start: number): number {
    return this.#bytes.copy(target, start)
  }
}

/** The same bytes as `Message` makes of the commit. */
export class StoredMessage implements StreamCommit {
  readonly index: number
  readonly events: readonly StoredEvent[]

  constructor(private readonly record: StoredCommit) {
    this.index = record.index
    this.events = record.events()
  }

  part(
    events: readonly Event[],
    form: LineFormat,
    room: BufferAllocator = bytes => Buffer.allocUnsafe(bytes)
  ): Buffer | undefined {
    if (events.length === 0) return undefined
    const texts: EventText[] = []
    const start = lineHead(this.index, () => this.origin, form)
    let length = Buffer.byteLength(start) + events.length - 1 + END.length
    for (const event of events) {
      const asShown = eventViewOf(event)
      const text = isStoredEvent(asShown) ? asShown : new PrintedText(eventText(asShown, this.index))
      length += text.textLength
      texts.push(text)
    }
    const line = room(length)
    let at = line.write(start)
    for (const text of texts) {
      if (text !== texts[0]) line[at++] = COMMA
      at += text.copyText(line, at)
    }
    line.set(END, at)
    return line
  }

  /** @throws LogUnusable when it is damaged */
  get origin(): CommitOrigin {
    return { Time: this.record.time, By: this.record.by }
  }
}
