// The log of a data folder, which a server may be writing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SegmentEventLog } from '../events/log/segments/segment-event-log.js'
import { snapshotStoresIn } from '../projections/snapshot-stores.js'
import { logFolder } from '../server/settings/settings.js'
import type { SnapshotStores } from '../projections/restore-views.js'
import { LocalLog } from './log.js'

export interface FilesLogOptions {
  /** The server's `encryption.key`, 32 bytes in Base64; only needed to read encrypted secrets. */
  readonly key?: string
  /** True to read `Secrets` of events. Default: false. */
  readonly withSecrets?: boolean
}

export class FilesLog extends LocalLog<SegmentEventLog> {
  /** @param folder data folder of a server, or the folder `log` in it. @throws LogUnusable if there is none, or it is damaged */
  static async open(folder: string, { key, withSecrets = false }: FilesLogOptions): Promise<FilesLog> {
    const log = await SegmentEventLog.open({
      path: existsSync(join(folder, 'meta.json')) ? folder : logFolder(folder),
      readOnly: true,
      withSecrets,
      ...(key === undefined ? {} : { key: Buffer.from(key, 'base64') })
    })
    return new FilesLog(log)
  }

  /** Snapshots, and the base snapshot of a pruned log. */
  get beside(): SnapshotStores {
    return snapshotStoresIn(this.log)
  }

  /** Returns the log as it was at a commit. */
  upTo(index: number): ReturnType<SegmentEventLog['upTo']> {
    return this.log.upTo(index)
  }
}
