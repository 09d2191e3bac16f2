// A commit as a line of the stream, cut out of what the log keeps instead of being printed again.
import { eventText } from '../../events/codec.js'
import type { Commit } from '../../events/envelope.js'
import type { StoredEvent } from '../../events/log/stored-event.js'
import type { StoredRecord } from '../../events/log/record.js'
import { lineHead } from './meta.js'
import type { Line } from './selector.js'
import { shown } from './shown.js'

const PAYLOAD = Buffer.from(',"Payload":')
const COMMA = Buffer.from(',')
const BRACE = Buffer.from('}')
const END = Buffer.from(']}\n')

/** The same bytes as `Message` makes of the commit. */
export class StoredMessage implements Line<StoredEvent> {
  readonly index: number
  readonly events: readonly StoredEvent[]
  readonly #record: StoredRecord

  constructor(record: StoredRecord) {
    this.#record = record
    this.index = record.index
    this.events = record.events()
  }

  part(events: readonly StoredEvent[], meta: boolean): Buffer | undefined {
    if (events.length === 0) return undefined
    const pieces: Buffer[] = [Buffer.from(lineHead(this.index, meta ? this.#origin : undefined))]
    for (const [i, event] of events.entries()) {
      if (i > 0) pieces.push(COMMA)
      const asShown = shown(event)
      if (asShown === event) pieces.push(event.headText.subarray(0, -1), PAYLOAD, event.payloadText, BRACE)
      else pieces.push(Buffer.from(eventText(asShown, this.index)))
    }
    pieces.push(END)
    return Buffer.concat(pieces)
  }

  get #origin(): Pick<Commit, 'Time' | 'By'> {
    return { Time: this.#record.time, By: this.#record.by }
  }
}
