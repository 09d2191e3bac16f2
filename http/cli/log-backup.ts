// `annals log backup`: copies the log of a data folder, beside the server that writes it.
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { LogUnusable } from '../../events/log/log.js'
import { NodeDisk } from '../../events/log/node-disk.js'
import { copyLog } from '../../events/log/segments/copy-log.js'
import { readHead } from '../../events/log/segments/head.js'
import type { SegmentEventLog } from '../../events/log/segments/log.js'
import { readMeta } from '../../events/log/segments/meta.js'
import { verifyChain } from '../../events/log/verify.js'
import type { Settings } from '../settings/settings.js'
import type { Console } from './console.js'
import { logFolder, reportTo, withLog } from './open-log.js'
import { withProgress } from './progress.js'
import { UsageError } from './usage-error.js'

const namesIn = async (folder: string): Promise<readonly string[]> =>
  existsSync(folder) ? await readdir(folder) : []

/** Whether a folder holds an older backup of this log, to be brought up to date. @throws UsageError when it holds anything else */
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
    (head.index === 0 || (await log.hashAt(head.index)) === head.hash.toString('hex'))
  if (!isSame) throw new UsageError(`${folder} holds the backup of another log`)
  return true
}

/** Reads a copy from end to end, as a start would and more. @throws LogUnusable when it is not the log up to that commit */
const prove = async (
  settings: Settings,
  console: Console,
  { index, hash }: { readonly index: number; readonly hash: string }
): Promise<void> =>
  withLog(settings, { withSecrets: false, report: reportTo(console) }, async copy => {
    const progress = { task: 'verifying the copy', total: index, unit: 'commits' }
    const found = await withProgress(console, progress, advance => verifyChain(copy, advance))
    if (found.broken !== undefined || found.headIndex !== index || found.headHash !== hash)
      throw new LogUnusable(
        `the backup in ${settings.data_dir} is not the log: ${found.broken?.reason ?? `it ends with commit ${found.headIndex}, not ${index}`}`
      )
  })

/**
 * Copies all that is durable now to a folder, and proves the copy. A folder that did not hold a backup is empty again when that fails.
 * @throws UsageError LogUnusable and what the file system reports
 */
export const logBackup = (settings: Settings, console: Console, target: string): Promise<void> =>
  withLog(settings, { withSecrets: false, report: reportTo(console) }, async log => {
    const folder = resolve(target)
    const isUpdate = await holdsBackup(folder, log)
    const [index, hash] = [log.durableIndex, await log.hashAt(log.durableIndex)]
    try {
      const head = { index, hash: Buffer.from(hash, 'hex') }
      const copied = await copyLog(logFolder(settings.data_dir), logFolder(folder), {
        head,
        identity: log.identity
      })
      await prove({ ...settings, data_dir: folder }, console, { index, hash })
      console.out.write(
        `commits 1 to ${index}: ${copied.bytes} bytes copied to ${folder}, ${copied.files} files in all\nhead hash ${hash}\nthe copy holds\n`
      )
    } catch (error) {
      if (!isUpdate) await rm(logFolder(folder), { recursive: true, force: true })
      throw error
    }
  })
