import { existsSync } from 'node:fs'
import type { LogReport } from '../../events/log/report.js'
import type { SegmentEventLog, SegmentLogOptions } from '../../events/log/segments/segment-event-log.js'
import { etcdFolder, logFolder, type Settings } from '../settings/settings.js'
import { UsageError, type Console } from '../../clients/cli/console.js'
import { basename } from 'node:path'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { createFolders } from '../../events/log/node-disk.js'
import { flushPath } from '../../events/files.js'
import { keepNewNodeId, NODE_ID_FILE } from '../settings/node-id.js'

const FOLDER_MODE = 0o700

/**
 * Builds a log with a new node ID in a temporary folder, removed on failure, for an empty data folder. The data of a member of etcd may be there.
 * @throws UsageError if the data folder is not empty
 */
export const createLog = async <T>(dataDir: string, make: (folder: string) => Promise<T>): Promise<T> => {
  const isThere = existsSync(dataDir)
  const retained = [NODE_ID_FILE, basename(etcdFolder(dataDir))]
  const names = isThere ? (await readdir(dataDir)).filter(name => !retained.includes(name)) : []
  if (names.length > 0)
    throw new UsageError(
      `${dataDir} is not empty (${names.join(', ')}): a log is only made in a new data folder`
    )
  await createFolders(dataDir, FOLDER_MODE)
  const folder = `${logFolder(dataDir)}.new`
  try {
    await mkdir(folder, { mode: FOLDER_MODE })
    const result = await make(folder)
    // A copy of a server is another server.
    keepNewNodeId(dataDir)
    await rename(folder, logFolder(dataDir))
    await flushPath(dataDir)
    return result
  } catch (error) {
    await rm(isThere ? folder : dataDir, { recursive: true, force: true })
    throw error
  }
}

export const keyOf = ({ encryption: { key } }: Settings): Buffer | undefined =>
  key === undefined ? undefined : Buffer.from(key, 'base64')

/** Passes a log to `use`, and closes it. @throws LogUnusable if it cannot be opened */
export const usingLog = async <T>(
  options: SegmentLogOptions,
  use: (log: SegmentEventLog) => Promise<T>
): Promise<T> => {
  const { SegmentEventLog } = await import('../../events/log/segments/segment-event-log.js')
  const log = await SegmentEventLog.open(options)
  try {
    return await use(log)
  } finally {
    await log.close()
  }
}

interface Reading {
  /** Requires the secrets, and the key of an encrypted log. */
  readonly withSecrets: boolean
  readonly report?: (report: LogReport) => void
}

export const reportTo =
  ({ err }: Console) =>
  ({ level, text }: LogReport): void =>
    void (level === 'info' || err.write(`${level === 'warn' ? 'warning' : level}: ${text}\n`))

/** Passes the log to `use`, and closes it. @throws UsageError if there is none; LogUnusable if it cannot be read */
export const withLog = async <T>(
  settings: Settings,
  { withSecrets, report }: Reading,
  use: (log: SegmentEventLog) => Promise<T>
): Promise<T> => {
  const path = logFolder(settings.data_dir)
  if (!existsSync(path)) {
    throw new UsageError(`there is no log in ${settings.data_dir}: no server has run there (see --data-dir)`)
  }
  return usingLog({ path, readOnly: true, withSecrets, key: keyOf(settings), ...(report && { report }) }, use)
}
