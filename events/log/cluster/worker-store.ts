// The read-only store of a worker process, updated through the worker feed.
import { DelegatingStore } from '../delegating-store.js'
import type { RecordGroup } from '../record-group.js'
import type { ReadOnlyStore } from '../segments/read-only-store.js'
import type { Head } from '../store.js'

/** Records to write are on disk already. Reads use the files. */
export class WorkerStore extends DelegatingStore {
  #head: Head

  constructor(private readonly files: ReadOnlyStore) {
    super(files)
    this.#head = files.head
  }

  override get head(): Head {
    return this.#head
  }

  learn(durable: number, newest: string): void {
    this.files.learn(durable, newest)
  }

  async write({ last, hash }: RecordGroup): Promise<void> {
    this.#head = { index: last, hash }
  }

  override receive(group: RecordGroup): Promise<void> {
    return this.write(group)
  }

  /** The writer has erased them. */
  override async erase(): Promise<number> {
    return 0
  }

  override async reopen(): Promise<'all'> {
    return 'all'
  }
}
