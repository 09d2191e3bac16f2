// A store that publishes its writes to other processes of the same machine.
import type { CommitErasure } from '../../erasure.js'
import type { RecordGroup } from '../record-group.js'
import { DelegatingStore } from '../delegating-store.js'
import type { RecordStore } from '../store.js'
import type { WorkerFeed } from './worker-feed.js'

/** Announces the begin or end of an erasure, which invalidates cached commits. */
export interface ErasureNotice {
  readonly kind: 'erasure'
  readonly isDone: boolean
}

export class PublishingStore extends DelegatingStore {
  constructor(
    own: RecordStore,
    private readonly feed: Pick<WorkerFeed<ErasureNotice>, 'publish' | 'send'>
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
    this.feed.send({ kind: 'erasure', isDone: false })
    try {
      return await super.erase(parts)
    } finally {
      this.feed.send({ kind: 'erasure', isDone: true })
    }
  }
}
