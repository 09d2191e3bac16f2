// Who reads the event stream, how far each is, and why the last ones ended: for operators.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Static } from 'typebox'
import { Clock } from '../../actors/clock.js'
import type { EventLog } from '../../events/log/log.js'
import { formatTime } from '../../events/time.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import type { endedStream, openStream } from '../schemas/event-subscriptions.js'
import type { Completion, StreamEnding } from './control-lines.js'
import type { StreamOpening } from './opened-stream.js'
import type { OpenSink, Sink, SinkListener } from './sink.js'

/** Streams that have ended of which is told. */
const MOST_ENDED = 100
/** Not told of when they end: each has an answer of its own, and they would be all that is told of. */
const BRIEF = 'poll'

type OpenStream = Static<typeof openStream>
type EndedStream = Static<typeof endedStream>
/** Those of one process. */
export interface ProcessStreams {
  readonly open: readonly OpenStream[]
  readonly ended: readonly EndedStream[]
}

/** Asks the other processes of this server. */
type SiblingStreams = () => Promise<readonly ProcessStreams[]>

/** What is told of a stream, whether it is open or has ended. */
type ReportedStream = Pick<OpenStream, keyof OpenStream & keyof EndedStream>

/** What is asked of a session. */
interface Reader {
  readonly opening: StreamOpening
  /** The next index it will look at. */
  readonly next: number
  /** Everything that it selects was sent up to this index. */
  readonly lastIndex: number
  readonly state: string
  /** Why the server ended it; undefined when the reader has gone. */
  readonly ending: StreamEnding | Completion | undefined
}

/** Counts what is on its way. */
class WatchedSink implements Sink {
  #written = 0

  constructor(private readonly sink: Sink) {}

  get isBusy(): boolean {
    return this.sink.isBusy
  }

  get waiting(): number {
    return this.sink.isBusy ? this.#written : 0
  }

  write(bytes: Buffer): void {
    this.#written = bytes.length
    this.sink.write(bytes)
  }

  end(bytes: Buffer): void {
    this.sink.end(bytes)
  }

  destroy(): void {
    this.sink.destroy()
  }
}

interface Entry {
  readonly id: string
  readonly accessor: string
  readonly since: string
  readonly reader: Reader
  readonly sink: WatchedSink | undefined
}

const asText = ({ topic, key }: { readonly topic: string; readonly key: string | undefined }): string =>
  key === undefined ? topic : `${topic}:${key}`

@scoped(Lifecycle.ContainerScoped)
export class StreamRegistry {
  readonly #log: Pick<EventLog, 'durableIndex'>
  readonly #open = new Map<Reader, Entry>()
  /** Those that have ended while they were being opened. */
  readonly #early = new WeakSet<Reader>()
  #ended: readonly EndedStream[] = []
  #numbers = 0
  #others: SiblingStreams = async () => []

  constructor(
    @inject(EVENT_LOG) log: EventLog,
    private readonly clock: Clock
  ) {
    this.#log = log
  }

  /**
   * Notes a stream that is being opened.
   * @param accessor of its token; empty for the anonymous one
   * @param make opens it with a sink that is watched
   */
  note<R extends Reader>(accessor: string, openSink: OpenSink, make: (watched: OpenSink) => R): R {
    let sink: WatchedSink | undefined
    const reader = make((listener: SinkListener) => (sink = new WatchedSink(openSink(listener))))
    const id = String(++this.#numbers)
    const since = formatTime(this.clock.now())
    this.#open.set(reader, { id, accessor, since, reader, sink })
    if (this.#early.delete(reader)) this.ended(reader)
    return reader
  }

  /** Notes that a stream has ended. */
  ended(reader: Reader): void {
    const entry = this.#open.get(reader)
    if (!entry) {
      this.#early.add(reader)
      return
    }
    this.#open.delete(reader)
    if (reader.opening.wire === BRIEF) return
    const ended = { ...this.#told(entry), EndedAt: formatTime(this.clock.now()), ...whyOf(reader.ending) }
    this.#ended = [ended, ...this.#ended].slice(0, MOST_ENDED)
  }

  /** From now on `all` tells of those of other processes as well. */
  tellAlso(others: SiblingStreams): void {
    this.#others = others
  }

  /** Those of all processes of this server: the open ones the oldest first, the others the newest first. */
  async all(): Promise<ProcessStreams> {
    const told = [{ open: this.open, ended: this.lastEnded }, ...(await this.#others())]
    return {
      open: told.flatMap(({ open }) => open).toSorted((a, b) => a.Since.localeCompare(b.Since)),
      ended: told
        .flatMap(({ ended }) => ended)
        .toSorted((a, b) => b.EndedAt.localeCompare(a.EndedAt))
        .slice(0, MOST_ENDED)
    }
  }

  /** The open ones, the oldest first. */
  get open(): readonly OpenStream[] {
    return [...this.#open.values()].map(entry => ({
      ...this.#told(entry),
      State: entry.reader.state,
      LagCommits: Math.max(0, this.#log.durableIndex + 1 - entry.reader.next),
      BytesWaiting: entry.sink?.waiting ?? 0
    }))
  }

  /** The last ones that have ended, the newest first. */
  get lastEnded(): readonly EndedStream[] {
    return this.#ended
  }

  #told({ id, accessor, since, reader }: Entry): ReportedStream {
    const { subscription, address, requestId, wire, cursor } = reader.opening
    const { filter, expression, tenancy, sees } = subscription
    return {
      ID: id,
      AccessorID: accessor,
      Address: address,
      RequestID: requestId,
      Wire: wire,
      Topics: filter.choices.map(choice => asText(sees === 'any' ? { ...choice, topic: 'any' } : choice)),
      Types: [...filter.types],
      Filter: expression?.text ?? '',
      Namespace: tenancy.namespace,
      Partition: tenancy.partition,
      Cursor: cursor?.Name ?? '',
      Since: since,
      LastIndex: reader.lastIndex
    }
  }
}

const whyOf = (ending: StreamEnding | Completion | undefined): Pick<EndedStream, 'Code' | 'Reason'> => {
  if (!ending) return { Code: 0, Reason: 'the reader has gone' }
  return 'end' in ending ? { Code: 0, Reason: ending.end } : { Code: ending.code, Reason: ending.message }
}
