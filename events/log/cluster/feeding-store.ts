// The engine of a log that other processes of the same machine read: what it stores they are told.
import type { Erasing } from '../../erasing.js'
import type { RecordGroup } from '../group.js'
import type { LogPiece, Room } from '../log.js'
import type { StoredRecord } from '../record.js'
import type { Head, RecordStore } from '../store.js'

/** Parts of commits are about to be erased from the files, or were: what was read of them before is to be read again. */
export interface ErasureWord {
  readonly kind: 'erasure'
  readonly isDone: boolean
}

/** What tells the readers: see `Feed`. */
interface LogFeed {
  publish(group: RecordGroup): void
  tell(word: ErasureWord): void
}

export class FeedingStore implements RecordStore {
  readonly #own: RecordStore
  readonly #feed: LogFeed

  /** @param own stores */
  constructor(own: RecordStore, feed: LogFeed) {
    this.#own = own
    this.#feed = feed
  }

  get head(): Head {
    return this.#own.head
  }

  get start(): Head {
    return this.#own.start
  }

  async write(group: RecordGroup): Promise<void> {
    await this.#own.write(group)
    this.#feed.publish(group)
  }

  async receive(group: RecordGroup): Promise<void> {
    await (this.#own.receive?.(group) ?? this.#own.write(group))
    this.#feed.publish(group)
  }

  page(from: number, to: number): Promise<readonly StoredRecord[]> {
    return this.#own.page(from, to)
  }

  pieces(): Promise<readonly LogPiece[]> {
    return this.#own.pieces()
  }

  letGo(upTo: number): Promise<void> {
    return this.#own.letGo(upTo)
  }

  async erase(parts: readonly Erasing[]): Promise<number> {
    this.#tell(false)
    try {
      return await this.#own.erase(parts)
    } finally {
      this.#tell(true)
    }
  }

  #tell(isDone: boolean): void {
    const word: ErasureWord = { kind: 'erasure', isDone }
    this.#feed.tell(word)
  }

  nextOf(topics: readonly string[], from: number): Promise<number> {
    return this.#own.nextOf?.(topics, from) ?? Promise.resolve(from)
  }

  candidates(hash: number, from: number): AsyncIterable<number> {
    return this.#own.candidates(hash, from)
  }

  candidatesBack(hash: number, from: number): AsyncIterable<number> {
    return this.#own.candidatesBack(hash, from)
  }

  reopen(): Promise<Exclude<Room, 'none'>> {
    return this.#own.reopen()
  }

  close(): Promise<void> {
    return this.#own.close()
  }
}
