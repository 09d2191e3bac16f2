// Sends flushed records and messages to the readers of a log on the same machine, over one socket each.
import type { Writable } from 'node:stream'
import { GROUP_HEADER_RESERVE } from '../record-format.js'
import type { RecordGroup } from '../record-group.js'
import type { SharedCounter } from './shared-counter.js'
import { startFrame, messageFrame, recordsFrame, type FeedStart } from './socket-frames.js'

/** Bytes that may wait for a reader. A slower reader skips frames and reads the missed commits from the files. */
const MOST_WAITING = 16 * 1024 * 1024

/** Announces the begin or end of an erasure, which invalidates cached commits. */
export interface ErasureNotice {
  readonly kind: 'erasure'
  readonly isDone: boolean
}

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
 * Numbers all frames in a shared counter, which grows before the change is visible elsewhere. A reader that has reached
 * the counter's value has received everything that was visible before.
 */
export class WorkerFeed<Message> {
  readonly #readers = new Set<Reader>()
  /** The last message about each subject by owner, for readers that attach later. */
  readonly #retained = new Map<string, Map<string, Message>>()
  #log: WrittenLog = { durableIndex: 0, newestSegment: '' }
  #durable = 0
  #at = 0
  #isClosed = false

  constructor(
    private readonly position: SharedCounter,
    private readonly most = MOST_WAITING
  ) {}

  get size(): number {
    return this.#readers.size
  }

  /** Must be called before the first reader attaches. */
  use(log: WrittenLog): void {
    this.#log = log
  }

  /** Sends flushed records before they become visible elsewhere. They belong to the group. */
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

  /** Sends a message that stays valid until the next one about its subject. @param of the owner, for `withdrawAll` */
  sendRetained(subject: string, message: Message, of = ''): void {
    const ofOwner = this.#retained.get(of) ?? new Map<string, Message>()
    this.#retained.set(of, ofOwner.set(subject, message))
    this.send(message)
  }

  /** Sends a message that invalidates the retained one about a subject. */
  withdraw(subject: string, message: Message, of = ''): void {
    const ofOwner = this.#retained.get(of)
    ofOwner?.delete(subject)
    if (ofOwner?.size === 0) this.#retained.delete(of)
    this.send(message)
  }

  /** Sends a message that invalidates all retained messages of an owner. */
  withdrawAll(of: string, message: Message): void {
    this.#retained.delete(of)
    this.send(message)
  }

  /** Sends to a reader until its socket closes. */
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

  /** Stops sending and closes the shared counter. */
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
      retained: [...this.#retained.values()].flatMap(messages => [...messages.values()])
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
