// The log on disk for programs that only read it: loads nothing that writes.
import type { Disk } from '../disk-port.js'
import { DurableLog } from '../durable-log.js'
import { type LogReader, LogUnusable } from '../log.js'
import { NodeDisk } from '../node-disk.js'
import { SecretsVault } from '../secrets.js'
import { openVault } from './meta-file.js'
import { ReadOnlyStore } from './read-only-store.js'

interface LogReaderOptions {
  /** 32 bytes; only needed to read encrypted secrets. */
  readonly key?: Buffer | undefined
  /** False: commits come without secrets, and no key is needed. */
  readonly withSecrets: boolean
}

/** Reads the log in a folder, also while another process writes it. What that appends is seen some ms after its flush. */
export class SegmentLogReader extends DurableLog implements LogReader {
  private constructor(
    readonly files: {
      readonly disk: Disk
      readonly store: ReadOnlyStore
      readonly vault: SecretsVault
    }
  ) {
    const { store, vault } = files
    super(store, vault)
    store.onGrowth(
      () => this.durable.advance(store.head.index),
      () => this.durable.end()
    )
  }

  /** @throws LogUnusable if there is none, its format is newer, its key another; LogDamage */
  static async open(path: string, { key, withSecrets }: LogReaderOptions): Promise<SegmentLogReader> {
    const disk = new NodeDisk(path)
    try {
      const vault = withSecrets
        ? await openVault(disk, key, { readOnly: true })
        : new SecretsVault(undefined, { opens: false })
      return new SegmentLogReader({ disk, store: await ReadOnlyStore.open(disk, () => {}), vault })
    } catch (error) {
      if (error instanceof LogUnusable) throw error
      throw new LogUnusable(`the log in ${path} cannot be opened: ${String(error)}`, { cause: error })
    }
  }

  async close(): Promise<void> {
    this.durable.end()
    await this.files.store.close()
  }
}
