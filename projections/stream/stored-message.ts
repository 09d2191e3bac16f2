// A commit as a line of the stream, cut out of what the log keeps instead of being printed again.
import { eventText } from '../../events/codec.js'
import type { StoredCommit, StoredEvent } from '../../events/stored.js'
import { lineHead, type CommitOrigin, type LineForm } from './meta.js'
import type { Line } from './line.js'
import { shown } from './shown.js'

const END = ']}\n'

/** The same bytes as `Message` makes of the commit. */
export class StoredMessage implements Line<StoredEvent> {
  readonly index: number
  readonly events: readonly StoredEvent[]
  readonly #record: StoredCommit

  constructor(record: StoredCommit) {
    this.#record = record
    this.index = record.index
    this.events = record.events()
  }

  part(events: readonly StoredEvent[], form: LineForm): Buffer | undefined {
    if (events.length === 0) return undefined
    const others = events.map(event => {
      const asShown = shown(event)
      return asShown === event ? undefined : Buffer.from(eventText(asShown, this.index))
    })
    const start = Buffer.from(lineHead(this.index, () => this.origin, form))
    const length = events.reduce((sum, event, i) => sum + (others[i]?.length ?? event.textLength), 0)
    const line = Buffer.allocUnsafe(start.length + length + events.length - 1 + END.length)
    let at = start.copy(line)
    for (const [i, event] of events.entries()) {
      if (i > 0) at += line.write(',', at, 'latin1')
      at += others[i]?.copy(line, at) ?? event.copyText(line, at)
    }
    line.write(END, at, 'latin1')
    return line
  }

  /** @throws LogUnusable when it is damaged */
  get origin(): CommitOrigin {
    return { Time: this.#record.time, By: this.#record.by }
  }
}
