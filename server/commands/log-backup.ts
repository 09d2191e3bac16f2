import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LogUnusable } from '../../events/log/log.js'
import { NodeDisk } from '../../events/log/node-disk.js'
import { readHead, readMeta } from '../../events/log/segments/checked-files.js'
import type { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { logFolder, type Settings } from '../settings/settings.js'
import { type Console, UsageError } from '../../clients/cli/console.js'
import { reportTo, withLog } from './open-log.js'
import { NO_TRUSTED_INPUTS } from './evidence/trusted-inputs.js'
import { withTreeFiles } from './evidence/tree-files.js'
import { verifyLog } from './verify-log.js'

/** A backup needs no key. */
const READING = { withSecrets: false }

const namesIn = async (folder: string): Promise<readonly string[]> =>
  existsSync(folder) ? await readdir(folder) : []

/** Returns true if the folder holds an older backup of this log, to be updated. @throws UsageError for any other content */
const holdsBackup = async (folder: string, log: SegmentEventLog): Promise<boolean> => {
  const names = await namesIn(folder)
  if (names.length === 0) return false
  const disk = new NodeDisk(logFolder(folder))
  const inner = await namesIn(disk.path)
  const meta = names.length === 1 && inner.length > 0 ? await readMeta(disk, inner) : undefined
  const head = meta === undefined ? undefined : await readHead(disk)
  const { id, incarnation } = log.identity
  if (meta === undefined || meta === 'damaged' || head === undefined || head === 'damaged')
    throw new UsageError(`${folder} is not empty, and holds no backup of a log`)
  const isSame =
    meta.id === id &&
    meta.incarnation === incarnation &&
    head.index <= log.durableIndex &&
    (head.index < log.firstIndex || (await log.hashAt(head.index)) === head.hash.toString('hex'))
  if (!isSame) throw new UsageError(`${folder} holds the backup of another log`)
  return true
}

/** Verifies the copy. @throws LogUnusable if it differs from the log up to that commit */
const prove = (
  settings: Settings,
  console: Console,
  { index, hash }: { readonly index: number; readonly hash: string }
): Promise<void> =>
  withTreeFiles(logFolder(settings.data_dir), beside =>
    withLog(settings, { ...READING, report: reportTo(console) }, async copy => {
      await verifyLog(copy, { settings, console, beside, outside: NO_TRUSTED_INPUTS })
      if (copy.durableIndex !== index || copy.headHash !== hash)
        throw new LogUnusable(
          `the backup in ${settings.data_dir} is not the log: it ends with commit ${copy.durableIndex} and hash ${copy.headHash}`
        )
    })
  )

/** Copies the durable commits, and verifies the copy. @returns lines to print */
const copyAndProve = async (
  settings: Settings,
  console: Console,
  { log, folder }: { readonly log: SegmentEventLog; readonly folder: string }
): Promise<string> => {
  const { index, hash: raw, bytes, files } = await log.copyTo(logFolder(folder))
  const hash = Buffer.from(raw).toString('hex')
  await prove({ ...settings, data_dir: folder }, console, { index, hash })
  return `commits ${log.firstIndex} to ${index}: ${bytes} bytes copied to ${folder}, ${files} files in all\nhead hash ${hash}\nthe copy holds\n`
}

/**
 * Copies the durable commits to a folder, and verifies the copy. Starts again if retention removes segments meanwhile. After a failure, a
 * new folder is empty again.
 * @throws UsageError LogUnusable, and file system errors
 */
export const logBackup = async (settings: Settings, console: Console, target: string): Promise<void> => {
  const folder = resolve(target)
  const isUpdate = await withLog(settings, READING, log => holdsBackup(folder, log))
  try {
    const lines = await withLog(settings, { ...READING, report: reportTo(console) }, log =>
      copyAndProve(settings, console, { log, folder })
    )
    console.out.write(lines)
  } catch (error) {
    if (!isUpdate) await rm(logFolder(folder), { recursive: true, force: true })
    throw error
  }
}
