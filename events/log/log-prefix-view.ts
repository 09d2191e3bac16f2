// A log up to one of its commits, for reading.
import type { StoredRecord } from './record.js'
import type { PrunableSegment } from './log.js'
import type { SecretsVault } from './secrets.js'
import { UnwritableStore, type Head, type RecordStore } from './store.js'
import { StoredLog } from './stored-log.js'

/** The records of another store up to one of them. */
class StorePrefix extends UnwritableStore implements RecordStore {
  readonly refusal = 'it shows what was'

  constructor(
    private readonly below: RecordStore,
    readonly head: Head
  ) {
    super()
  }

  get start(): Head {
    return this.below.start
  }

  page(from: number, to: number): Promise<readonly StoredRecord[]> {
    return this.below.page(from, Math.min(to, this.head.index))
  }

  async *candidates(hash: number, from: number): AsyncGenerator<number> {
    for await (const index of this.below.candidates(hash, from)) {
      if (index > this.head.index) return
      yield index
    }
  }

  async *candidatesBack(hash: number, from: number): AsyncGenerator<number> {
    yield* this.below.candidatesBack(hash, Math.min(from, this.head.index))
  }

  async prunableSegments(): Promise<readonly PrunableSegment[]> {
    return []
  }

  /** The store below stays open. */
  async close(): Promise<void> {}
}

export class LogPrefixView extends StoredLog {
  /** @param head index and hash of its newest commit */
  constructor(store: RecordStore, vault: SecretsVault, head: Head) {
    super(new StorePrefix(store, head), vault)
  }
}
