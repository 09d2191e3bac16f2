// The engine of a log that other processes of the same machine read: what it stores they are told.
import type { CommitErasure } from '../../commit-erasure.js'
import type { RecordGroup } from '../record-group.js'
import { DelegatingStore } from '../delegating-store.js'
import type { RecordStore } from '../store.js'

/** Parts of commits are about to be erased from the files, or were: what was read of them before is to be read again. */
export interface ErasureNotice {
  readonly kind: 'erasure'
  readonly isDone: boolean
}

/** What tells the readers: see `Feed`. */
interface LogFeed {
  publish(group: RecordGroup): void
  send(word: ErasureNotice): void
}

export class PublishingStore extends DelegatingStore {
  /** @param own stores */
  constructor(
    own: RecordStore,
    private readonly feed: LogFeed
  ) {
    super(own)
  }

  async write(group: RecordGroup): Promise<void> {
    await this.own.write(group)
    this.feed.publish(group)
  }

  override async receive(group: RecordGroup): Promise<void> {
    await super.receive(group)
    this.feed.publish(group)
  }

  override async erase(parts: readonly CommitErasure[]): Promise<number> {
    this.#tell(false)
    try {
      return await super.erase(parts)
    } finally {
      this.#tell(true)
    }
  }

  #tell(isDone: boolean): void {
    const word: ErasureNotice = { kind: 'erasure', isDone }
    this.feed.send(word)
  }
}
