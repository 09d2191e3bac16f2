import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import type { LogReader } from '../../events/log/log.js'
import { formatTime } from '../../events/time.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import type { EndedStream, OpenStream, ReportedStream } from '../schemas/event-subscriptions.js'
import type { Completion, StreamEnding } from './control-lines.js'
import type { StreamSession } from './session.js'

const MOST_ENDED = 100

export interface ProcessStreams {
  readonly open: readonly OpenStream[]
  readonly ended: readonly EndedStream[]
}

type SiblingStreams = () => Promise<readonly ProcessStreams[]>

type Reader = Pick<StreamSession, 'opening' | 'next' | 'lastIndex' | 'state' | 'bytesWaiting' | 'ending'>

interface Entry {
  readonly id: string
  readonly accessor: string
  readonly since: string
  readonly reader: Reader
}

const topicText = ({ topic, key }: { readonly topic: string; readonly key: string | undefined }): string =>
  key === undefined ? topic : `${topic}:${key}`

@scoped(Lifecycle.ContainerScoped)
export class StreamRegistry {
  readonly #open = new Map<Reader, Entry>()
  readonly #early = new WeakSet<Reader>()
  #ended: readonly EndedStream[] = []
  #numbers = 0
  #siblings: SiblingStreams = async () => []

  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly clock: Clock
  ) {}

  /** Registers a stream, which may have ended already. @param accessor of its token; empty for the anonymous one */
  note(accessor: string, reader: Reader): void {
    const id = String(++this.#numbers)
    this.#open.set(reader, { id, accessor, since: formatTime(this.clock.now()), reader })
    if (this.#early.delete(reader)) this.ended(reader)
  }

  ended(reader: Reader): void {
    const entry = this.#open.get(reader)
    if (!entry) return void this.#early.add(reader)
    this.#open.delete(reader)
    if (reader.opening.wire === 'poll') return
    const ended = { ...this.#report(entry), EndedAt: formatTime(this.clock.now()), ...whyOf(reader.ending) }
    this.#ended = [ended, ...this.#ended].slice(0, MOST_ENDED)
  }

  useSiblings(others: SiblingStreams): void {
    this.#siblings = others
  }

  async all(): Promise<ProcessStreams> {
    const processes = [{ open: this.open, ended: this.lastEnded }, ...(await this.#siblings())]
    return {
      open: processes
        .flatMap(({ open }) => open)
        .toSorted((a, b) => Date.parse(a.Since) - Date.parse(b.Since)),
      ended: processes
        .flatMap(({ ended }) => ended)
        .toSorted((a, b) => Date.parse(b.EndedAt) - Date.parse(a.EndedAt))
        .slice(0, MOST_ENDED)
    }
  }

  get open(): readonly OpenStream[] {
    return [...this.#open.values()].map(entry => ({
      ...this.#report(entry),
      State: entry.reader.state,
      LagCommits: Math.max(0, this.log.durableIndex + 1 - entry.reader.next),
      BytesWaiting: entry.reader.bytesWaiting
    }))
  }

  get lastEnded(): readonly EndedStream[] {
    return this.#ended
  }

  #report({ id, accessor, since, reader }: Entry): ReportedStream {
    const { subscription, address, requestId, wire, cursor } = reader.opening
    const { filter, expression, tenancy, sees } = subscription
    return {
      ID: id,
      AccessorID: accessor,
      Address: address,
      RequestID: requestId,
      Wire: wire,
      Topics: filter.choices.map(choice => topicText(sees === 'any' ? { ...choice, topic: 'any' } : choice)),
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
  return typeof ending === 'string'
    ? { Code: 0, Reason: ending }
    : { Code: ending.code, Reason: ending.message }
}
