import { eventText } from '../../events/codec.js'
import type { Event, Commit } from '../../events/envelope.js'
import { isStoredEvent, type StoredCommit, type StoredEvent } from '../../events/stored.js'
import { eventViewOf } from './event-view.js'

type CommitOrigin = Pick<Commit, 'Time' | 'By'>

/** `plain`: without the origin. `meta`: as the stream shows it. `audit`: as the log stores it. */
export type LineFormat = 'plain' | 'meta' | 'audit'

const metaOf = ({ Time, By }: CommitOrigin): string => {
  const { AccessorID, RequestID, Command, Address, Reason, ChangeSet, Owner, Cause, Erased } = By
  const meta = {
    Time,
    AccessorID,
    RequestID,
    Command,
    Address,
    Reason,
    ChangeSet,
    Owner,
    Cause,
    Erased
  }
  return `"Meta":${JSON.stringify(meta)},`
}

const storedOrigin = ({ Time, By }: CommitOrigin): string =>
  `"Time":${JSON.stringify(Time)},"By":${JSON.stringify(By)},`

/** The start of a line, before its events. @param origin is called only if the form includes it */
export const lineHead = (index: number, origin: () => CommitOrigin, form: LineFormat): string => {
  const meta = form === 'plain' ? '' : form === 'meta' ? metaOf(origin()) : storedOrigin(origin())
  return `{"Index":${index},${meta}"Events":[`
}

export type BufferAllocator = (bytes: number) => Buffer

export interface StreamCommit {
  readonly index: number
  readonly events: readonly Event[]
  readonly origin: CommitOrigin
  /** The line with some events, in their order; undefined for none. A redacted event is not one of `events`. @param allocate memory for a new line */
  part(events: readonly Event[], form: LineFormat, allocate?: BufferAllocator): Buffer | undefined
}

const END = Buffer.from(']}\n')
const COMMA = ','.charCodeAt(0)

type EventText = Pick<StoredEvent, 'textLength' | 'copyText'>

/** The text of an event whose view differs from the stored form. */
const printedText = (text: string): EventText => {
  const bytes = Buffer.from(text)
  return { textLength: bytes.length, copyText: (target, start) => bytes.copy(target, start) }
}

/** A commit copied from the log without serialization. Produces the same bytes as `Message`. */
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
    allocate: BufferAllocator = bytes => Buffer.allocUnsafe(bytes)
  ): Buffer | undefined {
    if (events.length === 0) return undefined
    const texts: EventText[] = []
    const start = lineHead(this.index, () => this.origin, form)
    let length = Buffer.byteLength(start) + events.length - 1 + END.length
    for (const event of events) {
      const asShown = eventViewOf(event)
      const text = isStoredEvent(asShown) ? asShown : printedText(eventText(asShown, this.index))
      length += text.textLength
      texts.push(text)
    }
    const line = allocate(length)
    let at = line.write(start)
    for (const text of texts) {
      if (text !== texts[0]) line[at++] = COMMA
      at += text.copyText(line, at)
    }
    line.set(END, at)
    return line
  }

  /** @throws LogUnusable if it is damaged */
  get origin(): CommitOrigin {
    return { Time: this.record.time, By: this.record.by }
  }
}

export interface Audit {
  /** Selects the commits of the token with this AccessorID. */
  readonly accessor?: string
  /** Selects the commits of requests from this source address. */
  readonly address?: string
  readonly payload: boolean
  /** Reports the number of withheld events in the last line (decisions.md 53). */
  readonly countsWithheld?: boolean
}

export const isAudited = (
  { accessor, address }: Audit,
  { origin }: Pick<StreamCommit, 'origin'>
): boolean => {
  if (accessor === undefined && address === undefined) return true
  const { AccessorID, Address } = origin.By
  return (accessor === undefined || AccessorID === accessor) && (address === undefined || Address === address)
}

const headOf = ({ Topic, Type, Key, Namespace, Partition, FilterKeys, Erased }: Event): object =>
  Partition === 'default'
    ? { Topic, Type, Key, Namespace, FilterKeys, Erased }
    : { Topic, Type, Key, Namespace, Partition, FilterKeys, Erased }

/** The line of a commit with some of its events, by default without payloads; undefined for no events. */
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
