// The read-only store of a worker process, updated through the worker feed.
import type { PrunableSegment, WriteAdmission } from '../log.js'
import type { RecordGroup } from '../record-group.js'
import type { StoredRecord } from '../record.js'
import type { ReadOnlyStore } from '../segments/read-only-store.js'
import type { Head, RecordStore } from '../store.js'

/** Records to write are on disk already. Reads use the files. */
export class WorkerStore implements RecordStore {
  #head: Head

  constructor(private readonly files: ReadOnlyStore) {
    this.#head = files.head
  }

  get head(): Head {
    return this.#head
  }

  get start(): Head {
    return this.files.start
  }

  /** See `ReadOnlyStore.learn`. */
  learn(durable: number, newest: string): void {
    this.files.learn(durable, newest)
  }

  async write({ last, hash }: RecordGroup): Promise<void> {
    this.#head = { index: last, hash }
  }

  page(from: number, to: number): Promise<readonly StoredRecord[]> {
    return this.files.page(from, to)
  }

  prunableSegments(): Promise<readonly PrunableSegment[]> {
    return this.files.prunableSegments()
  }

  prune(): Promise<void> {
    return this.files.prune()
  }

  /** The writer has erased them. */
  async erase(): Promise<number> {
    return 0
  }

  candidates(hash: number, from: number): AsyncIterable<number> {
    return this.files.candidates(hash, from)
  }

  candidatesBack(hash: number, from: number): AsyncIterable<number> {
    return this.files.candidatesBack(hash, from)
  }

  async reopen(): Promise<Exclude<WriteAdmission, 'none'>> {
    return 'all'
  }

  close(): Promise<void> {
    return this.files.close()
  }
}
