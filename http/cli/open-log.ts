// Opens the log of a data folder for reading, beside a server that may be writing it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SegmentEventLog } from '../../events/log/segments/log.js'
import type { Settings } from '../settings.js'
import { UsageError } from './usage-error.js'

/** Folder of the log in a data folder. */
export const logFolder = (dataDir: string): string => join(dataDir, 'log')

/**
 * Gives the log of the settings' data folder to `use`, and closes it.
 * @throws UsageError when there is none
 * @throws LogUnusable when it cannot be read
 */
export const withLog = async <T>(
  settings: Settings,
  use: (log: SegmentEventLog) => Promise<T>
): Promise<T> => {
  const path = logFolder(settings.data_dir)
  if (!existsSync(path)) {
    throw new UsageError(`there is no log in ${settings.data_dir}: no server has run there (see --data-dir)`)
  }
  const { SegmentEventLog } = await import('../../events/log/segments/log.js')
  const { key } = settings.encryption
  const log = await SegmentEventLog.open({
    path,
    readOnly: true,
    ...(key === undefined ? {} : { key: Buffer.from(key, 'base64') })
  })
  try {
    return await use(log)
  } finally {
    await log.close()
  }
}
