// The log of a data folder, also while a server writes it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Commit } from '../events/envelope.js'
import { SegmentEventLog } from '../events/log/segments/segment-event-log.js'
import { snapshotStoresIn } from '../projections/snapshot-stores.js'
import { logFolder } from '../server/settings/settings.js'
import type { SnapshotStores } from '../projections/restore-views.js'
import { checkIndex, type CommitRange, type ReadableLog, type ResourceSelector } from './log.js'

export interface FilesLogOptions {
  /** The `encryption.key` of the server, 32 bytes in Base64: only where its secrets are read and it has one. */
  readonly key?: string
  /** Whether events come with their `Secrets`. Default: false, which needs no key. */
  readonly withSecrets?: boolean
}

export class FilesLog implements ReadableLog {
  /**
   * @param folder data folder of a server, or the folder `log` in it
   * @throws LogUnusable when there is none, or it does not hold
   */
  static async open(folder: string, { key, withSecrets = false }: FilesLogOptions): Promise<FilesLog> {
    const inside = logFolder(folder)
    const log = await SegmentEventLog.open({
      path: existsSync(join(folder, 'meta.json')) ? folder : inside,
      readOnly: true,
      withSecrets,
      ...(key === undefined ? {} : { key: Buffer.from(key, 'base64') })
    })
    return new FilesLog(log)
  }

  private constructor(private readonly log: SegmentEventLog) {}

  get firstIndex(): number {
    return this.log.firstIndex
  }

  get lastIndex(): number {
    return this.log.durableIndex
  }

  /** Snapshots, and the base of a log that has let commits go. */
  get beside(): SnapshotStores {
    return snapshotStoresIn(this.log)
  }

  async *commits({ from = this.firstIndex, until }: CommitRange = {}): AsyncGenerator<Commit> {
    const last = await this.#lastOf(until)
    if (from > last) return
    for await (const commit of this.log.read(from)) {
      if (commit.Index > last) return
      yield commit
    }
  }

  history({
    topic,
    key,
    namespace = 'default',
    partition = 'default'
  }: ResourceSelector): AsyncIterable<Commit> {
    return this.log.history(topic, partition, namespace, key)
  }

  /** The log as it was at a commit. */
  upTo(index: number): ReturnType<SegmentEventLog['upTo']> {
    return this.log.upTo(index)
  }

  close(): Promise<void> {
    return this.log.close()
  }

  async #lastOf(until: number | Date | undefined): Promise<number> {
    if (until === undefined) return this.lastIndex
    if (typeof until === 'number') return checkIndex(until, this.lastIndex)
    return (await this.log.indexAt(until.getTime() + 1)) - 1
  }
}
