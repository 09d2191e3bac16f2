import { existsSync } from 'node:fs'
import { copyLog } from '../../events/log/segments/copy-log.js'
import { forkLog } from '../../events/log/segments/incarnation.js'
import type { SegmentEventLog, SegmentLogOptions } from '../../events/log/segments/segment-event-log.js'
import { formatTime } from '../../events/time.js'
import { logFolder, type Settings } from '../settings/settings.js'
import { indexUntil, type Bound } from './log-options.js'
import type { Erasure } from '../../events/erasure.js'
import { UsageError, type Console } from '../../clients/cli/console.js'
import { createLog, reportTo, usingLog } from './open-log.js'
import { lifecycles } from '../../actors/aggregates.js'
import { partsToEraseBy, newestVersions } from '../../actors/erasure/parts-to-erase.js'
import { ERASURE_TOPIC, isErasureEvent, isOriginErasure, erasureLimitOf } from '../../events/erasure.js'
import type { LogReader } from '../../events/log/log.js'

/**
 * Returns the erasures after a commit that concern earlier commits. They must be repeated in the restored log.
 * @throws UsageError if the state at that commit needs data that was erased later
 */
const carriedErasures = async (log: LogReader, end: number): Promise<readonly Erasure[]> => {
  const orders: Erasure[] = []
  for await (const records of log.records(end + 1, { topics: [ERASURE_TOPIC] }))
    for (const record of records)
      for (const event of record.events())
        if (isErasureEvent(event)) {
          await refuseRevived(log, record.index, event.Payload.Erasure, end)
          orders.push(erasureLimitOf(event.Payload.Erasure, end))
        }
  return orders
}

const refuseRevived = async (log: LogReader, order: number, erasure: Erasure, end: number): Promise<void> => {
  if (isOriginErasure(erasure)) return
  const then = await newestVersions(log, { ...erasure, UpTo: Math.min(erasure.UpTo, end) }, lifecycles)
  if (then.size === 0) return
  const keys = new Map([...then].map(([key, place]) => [place, key]))
  for await (const { index, events = [] } of partsToEraseBy(log, erasure, lifecycles))
    for (const number of events) {
      const key = keys.get(`${index}/${number}`)
      if (key !== undefined)
        throw new UsageError(
          `at commit ${end} ${erasure.Topic} "${key}" was as commit ${index} says, which was erased by the order of commit ${order}: restore up to a commit before it was made or after it had ended, or leave out --until`
        )
    }
}

const reading = (path: string, console: Console): SegmentLogOptions => ({
  path,
  readOnly: true,
  withSecrets: false,
  report: reportTo(console)
})

/** @throws UsageError if the backup ends earlier */
const indexOf = async (log: SegmentEventLog, until: Bound): Promise<number> => {
  const index = await indexUntil(log, until)
  if (index >= log.firstIndex && index <= log.durableIndex) return index
  throw new UsageError(
    `the backup has commits ${log.firstIndex} to ${log.durableIndex}: --until names none of them`
  )
}

/**
 * Copies the log of a backup to an empty data folder, verifies it, and starts a new incarnation. Its first commit names the newest commit
 * of the backup, so that later commits of the old log, or of another copy, are never mistaken for its own.
 * @throws UsageError LogUnusable, and file system errors; leaves the data folder unchanged
 */
export const logRestore = async (
  settings: Settings,
  console: Console,
  { backup, until }: { readonly backup: string; readonly until: Bound | undefined }
): Promise<void> => {
  const source = logFolder(backup)
  if (!existsSync(source)) throw new UsageError(`${backup} holds no backup of a log`)
  const { identity, index, head, erasures } = await usingLog(reading(source, console), async log => {
    const { durableIndex } = log
    const end = until === undefined ? durableIndex : await indexOf(log, until)
    return {
      identity: log.identity,
      index: end,
      head: { index: durableIndex, hash: Buffer.from(await log.hashAt(durableIndex), 'hex') },
      erasures: await carriedErasures(log, end)
    }
  })
  const begun = await createLog(settings.data_dir, async folder => {
    await copyLog(source, folder, { head, identity })
    const first = await forkLog(folder, head, index, formatTime(Date.now()), erasures)
    await proveOpens(folder, first.index, console)
    return first
  })
  console.out.write(
    `commits 1 to ${index} of ${head.index} are restored to ${settings.data_dir}, and hold\nthe log continues under a new incarnation with commit ${begun.index}, which names the end of the old one\n${erasures.length > 0 ? `${erasures.length} orders to erase from behind commit ${index} are given again by that commit\n` : ''}`
  )
}

/** Opens the restored log as a server does. @throws LogUnusable if that fails, or the log does not end with that commit */
const proveOpens = (path: string, index: number, console: Console): Promise<void> =>
  usingLog(reading(path, console), async log => {
    if (log.durableIndex !== index)
      throw new Error(`what was restored ends with commit ${log.durableIndex}, not ${index}`)
  })
