// Tells the readers of a log on the same machine what its writer has flushed, each over a socket of its own.
import type { Writable } from 'node:stream'
import { GROUP_HEADER_RESERVE, type RecordGroup } from '../record-group.js'
import type { SharedCounter } from './shared-counter.js'
import { startFrame, messageFrame, recordsFrame, type FeedStart } from './socket-frames.js'

/** A reader for which more bytes than this wait is told no more before it has taken them: what it missed it reads from the files. */
const MOST_WAITING = 16 * 1024 * 1024

/** What the writer knows of its files. */
interface WrittenLog {
  readonly durableIndex: number
  readonly newestSegment: string
}

interface Reader {
  readonly socket: Writable
  isBehind: boolean
}

/**
 * Everything that is told has a position, which the processes share: it is raised before anybody hears that what was told has happened,
 * and a reader that has come up to it misses nothing that anybody was told before it looked.
 */
export class WorkerFeed<Message> {
  readonly #readers = new Set<Reader>()
  /** What was told last about each subject, by who it is of, for readers that come later. */
  readonly #told = new Map<string, Map<string, Message>>()
  #log: WrittenLog = { durableIndex: 0, newestSegment: '' }
  #durable = 0
  #at = 0
  #isClosed = false

  /** @param most bytes that may wait for a reader */
  constructor(
    private readonly position: SharedCounter,
    private readonly most = MOST_WAITING
  ) {}

  /** Readers that are being told. */
  get size(): number {
    return this.#readers.size
  }

  /** To be called when the log is open, before anybody reads. */
  use(log: WrittenLog): void {
    this.#log = log
  }

  /** Tells of records that were flushed, before anybody else may know. They belong to the group. */
  publish(group: RecordGroup): void {
    this.#durable = group.last
    this.#advance()
    if (this.#readers.size === 0) return
    this.#send(recordsFrame(this.#at, group.bytes().subarray(GROUP_HEADER_RESERVE), this.#log.newestSegment))
  }

  /** @param message what may be cloned */
  send(message: Message): void {
    this.#advance()
    this.#send(messageFrame(this.#at, message))
  }

  /** As `tell`, of what counts until something else is told about the same subject. @param of whoever may end: see `dropAll` */
  sendRetained(subject: string, message: Message, of = ''): void {
    const told = this.#told.get(of) ?? new Map<string, Message>()
    this.#told.set(of, told.set(subject, message))
    this.send(message)
  }

  /** As `tell`, that what was told about a subject does not count any more. */
  withdraw(subject: string, message: Message, of = ''): void {
    const told = this.#told.get(of)
    told?.delete(subject)
    if (told?.size === 0) this.#told.delete(of)
    this.send(message)
  }

  /** As `tell`, that nothing counts any more that was kept of somebody. */
  withdrawAll(of: string, message: Message): void {
    this.#told.delete(of)
    this.send(message)
  }

  /** Tells a reader from now on, until its socket closes. */
  attach(socket: Writable): void {
    if (this.#isClosed) return
    const reader = { socket, isBehind: false }
    this.#readers.add(reader)
    socket.on('error', () => {})
    socket.once('close', () => this.#readers.delete(reader))
    socket.on('drain', () => {
      if (reader.isBehind && !this.#isClosed) this.#begin(reader)
    })
    this.#begin(reader)
  }

  /** Tells nobody anything any more, and closes the shared number. */
  close(): void {
    this.#isClosed = true
    this.position.close()
  }

  #advance(): void {
    if (!this.#isClosed) this.position.value = ++this.#at
  }

  #begin(reader: Reader): void {
    const beginning: FeedStart<Message> = {
      durable: Math.max(this.#durable, this.#log.durableIndex),
      newest: this.#log.newestSegment,
      told: [...this.#told.values()].flatMap(told => [...told.values()])
    }
    reader.isBehind = false
    reader.socket.write(startFrame(this.#at, beginning))
  }

  #send(frame: Buffer): void {
    if (this.#isClosed) return
    for (const reader of this.#readers) {
      if (reader.socket.writableLength > this.most) reader.isBehind = true
      if (!reader.isBehind) reader.socket.write(frame)
    }
  }
}
