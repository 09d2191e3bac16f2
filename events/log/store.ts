// What a storage engine does for the log: keeps records, whole batches at a time.

/** One commit as it is stored. */
export interface StoredRecord {
  readonly index: number
  /** Format byte, hash of the record before, body: see `codec.ts`. */
  readonly record: Uint8Array
  /** The secrets of the commit's events; undefined when it has none. */
  readonly secrets?: Uint8Array | undefined
}

/** One commit about to be stored. */
export interface NewRecord extends StoredRecord {
  /** `historyHash` of each of its events. */
  readonly hashes: readonly number[]
}

export interface RecordStore {
  /** Index of the newest stored record; 0 when there is none. */
  headIndex(): number

  /** Stores records that continue the head, all or none. Resolves when they are flushed; one call at a time. */
  write(batch: readonly NewRecord[]): Promise<void>

  /** The record with this index, without copying it: its bytes stay as they are until the store is asked for something else. */
  peek(index: number): Uint8Array | undefined

  /** As `peek`, the secrets of the commit with this index. */
  peekSecrets(index: number): Uint8Array | undefined

  /** Records from `from` to `to`, as many as fit a page of bounded size, at least one if there is one. */
  page(from: number, to: number): readonly StoredRecord[]

  /** Ascending indexes of the commits that hold an event with this hash, and perhaps, rarely, others. */
  candidates(hash: number): AsyncIterable<number>

  /** Brings the store back into use after `write` failed, with nothing above `head`. Rejects when it still cannot be written. */
  reopen(head: number): Promise<void>

  close(): Promise<void>
}
