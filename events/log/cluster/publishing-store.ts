// A store that publishes its writes to other processes of the same machine.
import type { CommitErasure } from '../../erasure.js'
import type { RecordGroup } from '../record-group.js'
import { DelegatingStore } from '../delegating-store.js'
import type { RecordStore } from '../store.js'

/** Announces the begin or end of an erasure, which invalidates cached commits. */
export interface ErasureNotice {
  readonly kind: 'erasure'
  readonly isDone: boolean
}

/** Implemented by `WorkerFeed`. */
interface LogFeed {
  publish(group: RecordGroup): void
  send(notice: ErasureNotice): void
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
    this.#announce(false)
    try {
      return await super.erase(parts)
    } finally {
      this.#announce(true)
    }
  }

  #announce(isDone: boolean): void {
    const notice: ErasureNotice = { kind: 'erasure', isDone }
    this.feed.send(notice)
  }
}
