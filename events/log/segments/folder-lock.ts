// One writer per folder: it holds locks on the newest segment and on the reserve. The kernel drops them with the process, however that
// ends, and they go with the file, whatever path or mount leads to it: so there is no lock file that could be left or removed.
import { setTimeout as pause } from 'node:timers/promises'
import { orUndefined } from '../../errors.js'
import type { Disk, DiskFile } from '../disk-port.js'
import { finishRewrite } from '../erasure/journal.js'
import { LogDamage, LogUnusable } from '../log.js'
import { bySequence, parseSegmentName, RESERVE, segmentName } from './format.js'
import { unpackSegment } from './pack.js'
import { segmentsIn } from './segment-files.js'

/** Held by the writer. */
const WRITER = 0
/** Held by the writer as well, and by readers for the moment in which they look whether there is one. */
const SIGN = 1
/** How often the writer tries to take the sign, which a reader holds for some microseconds, and the pause between, in ms. */
const TRIES = 100
const PAUSE = 1

/** Takes the locks of a writer on a file. @throws LogUnusable when another writer has them */
export async function lockAsWriter(disk: Disk, name: string, file: DiskFile): Promise<void> {
  if (!file.lock(WRITER, 'exclusive'))
    throw new LogUnusable(
      `another server writes the log in ${disk.path} (${name}); only one may run on a data folder`
    )
  for (let left = TRIES; !file.lock(SIGN, 'exclusive'); left--) {
    if (left === 0) throw new LogUnusable(`${name} in ${disk.path} is locked by another program`)
    await pause(PAUSE)
  }
}

/** Name of the newest segment of a folder: where its writer holds its locks. */
export const newestSegment = (names: readonly string[]): string | undefined => {
  const newest = segmentsIn(names)
    .flatMap(name => parseSegmentName(name) ?? [])
    .toSorted(bySequence)
    .at(-1)
  return newest && segmentName(newest)
}

/** What a writer holds from its start on. */
export interface WriterLock {
  readonly reserve: DiskFile
  /** The newest segment, open for writing; undefined in a folder without any. */
  readonly newest: { readonly name: string; readonly file: DiskFile } | undefined
}

/**
 * Takes the writer's place in a folder. The reserve comes first, which also excludes two that begin an empty folder; the newest segment
 * counts, since the reserve may have been used or removed. A running writer locks the next segment before it leaves the last, and never
 * packs the newest: one that is packed, as after a restore, is made plain. What was being erased when the last writer failed is erased first.
 * @throws LogUnusable when another server has it
 */
export async function lockFolder(disk: Disk): Promise<WriterLock> {
  const opened: DiskFile[] = []
  const take = async (name: string): Promise<DiskFile> => {
    const file = await disk.open(name, 'durable')
    opened.push(file)
    await lockAsWriter(disk, name, file)
    return file
  }
  try {
    const reserve = await take(RESERVE)
    await finishRewrite(disk)
    let newest: WriterLock['newest']
    for (;;) {
      const names = await disk.list()
      const name = newestSegment(names)
      if (name === newest?.name || name === undefined) break
      // The reader reports damage.
      if (!names.includes(name) && !(await canUnpack(disk, name))) break
      newest = { name, file: await take(name) }
    }
    return { reserve, newest }
  } catch (error) {
    for (const file of opened) await file.close()
    throw error
  }
}

/** Unpacks a segment. Returns false if it is damaged. */
const canUnpack = async (disk: Disk, name: string): Promise<boolean> =>
  (await orUndefined(
    unpackSegment(disk, name).then(() => true),
    error => error instanceof LogDamage
  )) === true

/** Whether a process, or another handle of this one, writes the log whose newest segment this is. */
export function isWritten(file: DiskFile): boolean {
  if (!file.lock(SIGN, 'shared')) return true
  file.unlock(SIGN)
  return false
}
