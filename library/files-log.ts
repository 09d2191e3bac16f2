// The log of a data folder, which a server may be writing.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SegmentLogReader } from '../events/log/segments/read-only-store.js'
import { LocalLog } from './log.js'

export interface FilesLogOptions {
  /** The server's `encryption.key`, 32 bytes in Base64; only needed to read encrypted secrets. */
  readonly key?: string
  /** True to read `Secrets` of events. Default: false. */
  readonly withSecrets?: boolean
}

export class FilesLog extends LocalLog<SegmentLogReader> {
  /** @param folder data folder of a server, or the folder `log` in it. @throws LogUnusable if there is none, or it is damaged */
  static async open(folder: string, { key, withSecrets = false }: FilesLogOptions): Promise<FilesLog> {
    const path = existsSync(join(folder, 'meta.json')) ? folder : join(folder, 'log')
    return new FilesLog(
      await SegmentLogReader.open(path, {
        withSecrets,
        ...(key === undefined ? {} : { key: Buffer.from(key, 'base64') })
      })
    )
  }

  /** The files, for `annals/replay`. */
  get reader(): SegmentLogReader {
    return this.log
  }
}
