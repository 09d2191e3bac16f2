// A commit as a line of the stream, cut out of what the log keeps instead of being printed again.
import { eventText } from '../../events/codec.js'
import type { Event, Commit } from '../../events/envelope.js'
import { isStoredEvent } from '../../events/stored.js'
import type { StoredCommit, StoredEvent } from '../../events/stored.js'
import { eventViewOf } from './event-view.js'

/** Where a commit came from. */
export type CommitOrigin = Pick<Commit, 'Time' | 'By'>

/** `plain`: no word of it. `meta`: as the stream tells it. `audit`: as the log has it. */
export type LineFormat = 'plain' | 'meta' | 'audit'

const metaOf = ({ Time, By }: CommitOrigin): string => {
  const { AccessorID, RequestID, Command, Address, Reason, Cause, Erased } = By
  const meta = { Time, AccessorID, RequestID, Command, Address, Reason, Cause, Erased }
  return `"Meta":${JSON.stringify(meta)},`
}

const wholeOrigin = ({ Time, By }: CommitOrigin): string =>
  `"Time":${JSON.stringify(Time)},"By":${JSON.stringify(By)},`

/** A line up to its events. @param origin asked for where the form tells of it */
export const lineHead = (index: number, origin: () => CommitOrigin, form: LineFormat): string => {
  const told = form === 'plain' ? '' : form === 'meta' ? metaOf(origin()) : wholeOrigin(origin())
  return `{"Index":${index},${told}"Events":[`
}

/** Gives memory of so many bytes. */
export type BufferAllocator = (bytes: number) => Buffer

/** A commit that becomes a line of the stream. */
export interface StreamCommit {
  readonly index: number
  readonly events: readonly Event[]
  readonly origin: CommitOrigin
  /**
   * The line with some of its events, in their order; undefined for none. An event may be redacted, and then is not one of `events`.
   * @param room gives memory of so many bytes, where a new line is best written
   */
  part(events: readonly Event[], form: LineFormat, room?: BufferAllocator): Buffer | undefined
}

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

/** What an audit asks for besides what a stream may. */
export interface Audit {
  /** Only commits of the token with this AccessorID. */
  readonly accessor?: string
  /** Whether events have their payloads, as the stream shows them. */
  readonly payload: boolean
  /** Whether the last line tells how many events were withheld (decisions.md 53). */
  readonly countsWithheld?: boolean
}

/** Whether a commit is one that was asked for, whatever its events are. */
export const isAudited = ({ accessor }: Audit, { origin }: Pick<StreamCommit, 'origin'>): boolean =>
  accessor === undefined || origin.By.AccessorID === accessor

const headOf = ({ Topic, Type, Key, Namespace, Partition, FilterKeys, Erased }: Event): object =>
  Partition === 'default'
    ? { Topic, Type, Key, Namespace, FilterKeys, Erased }
    : { Topic, Type, Key, Namespace, Partition, FilterKeys, Erased }

/** The line of a commit with some of its events, without payloads unless they are asked for; undefined for no events. */
export const auditLine = (
  { payload }: Audit,
  line: StreamCommit,
  events: readonly Event[]
): Buffer | undefined => {
  if (payload) return line.part(events, 'audit')
  if (events.length === 0) return undefined
  const heads = events.map(event => JSON.stringify(headOf(event)))
  return Buffer.from(`${lineHead(line.index, () => line.origin, 'audit')}${heads.join(',')}]}\n`)
}
