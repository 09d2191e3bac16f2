// Cuts off the end of a log, when damage leaves no other way, and keeps a copy of what it cuts.
import { copyBytes, withFile, writeFile, type Disk } from '../disk-port.js'
import { ERASURE_TOPIC, isErasureEvent, erasureLimitOf, type Erasure } from '../../erasure.js'
import { LogDamage, LogUnusable } from '../log.js'
import type { StoredRecord } from '../record.js'
import { removeBaseSnapshotsAbove } from '../snapshots/base-names.js'
import type { Head } from '../store.js'
import { NO_HASH } from '../../codec.js'
import { LOG_FORMAT, GROUPS_AT, parseSegmentName, type SegmentHeader, type GroupPosition } from './format.js'
import { readHead } from './checked-files.js'
import { readDurableIndex } from '../durable-index.js'
import { beginIncarnation, truncatedLogViewOf, type TruncatedLogView } from './incarnation.js'
import { lockFolder } from './folder-lock.js'
import { removeSegments, primaryFilesOf, withSegment } from './segment-files.js'
import { readUnreadTail, GroupScanner } from './group-scanner.js'

/** Folder in that of the log, of which nothing is ever read as log. */
export const TRUNCATED_COPIES_FOLDER = 'cut'

/** What a repair takes away. */
export interface Loss {
  /** The first commit that is cut off. */
  readonly first: number
  /** The newest that the log is known to have had; below `first` when there was none behind the end. */
  readonly last: number
  /** Times of the first and last of them that can be read, RFC 3339; undefined when none can. */
  readonly times: readonly [string, string] | undefined
  /** Where a copy of it is kept. */
  readonly copy: string
  /** How many orders to erase are among it that can be read, and are given again. */
  readonly erasures: number
}

interface RepairOptions {
  /** The last commit that is kept; 0 for none. */
  readonly to: number
  /** RFC 3339. */
  readonly time: string
  /** Called with the loss before any change. Returning false cancels the repair. */
  readonly confirm: (loss: Loss) => Promise<boolean>
}

/**
 * Cuts a log behind a commit, also one that cannot be opened because of what comes after it.
 * @returns the first commit of the new incarnation, which names the old end; undefined when it was not confirmed
 * @throws LogUnusable when a server writes it, or when not all up to that commit holds; nothing was changed then
 */
export async function repair(disk: Disk, { to, time, confirm }: RepairOptions): Promise<Head | undefined> {
  const lock = await lockFolder(disk)
  try {
    const kept = await truncatedLogViewOf(disk, to)
    const old = await newestKnown(disk)
    const cut = disk
      .folder(TRUNCATED_COPIES_FOLDER)
      .folder(`${String(to + 1).padStart(16, '0')}-${kept.generation + 1}`)
    const found = await readable(disk, kept)
    const last = Math.max(found?.last.index ?? 0, old.index)
    const times = found && ([found.first.time, found.last.time] as const)
    const erasures = found?.erasures ?? []
    const loss = { first: to + 1, last, times, copy: cut.path, erasures: erasures.length }
    if (!(await confirm(loss))) return undefined
    const newest = kept.segments.at(-1)
    await cut.make()
    const names = new Set(await disk.list())
    for (const name of [...(newest ? [newest.name] : []), ...kept.above].flatMap(primaryFilesOf))
      if (names.has(name)) await copyFile(disk, name, cut)
    await cut.flushNames()
    const isLater = found !== undefined && found.last.index > old.index
    const begun = await beginIncarnation(disk, kept, {
      command: 'RepairLog',
      time,
      old: isLater ? { index: found.last.index, hash: found.last.hash } : old,
      erasures: erasures.map(erasure => erasureLimitOf(erasure, to))
    })
    await removeSegments(disk, kept.above)
    await removeBaseSnapshotsAbove(disk, to)
    return begun
  } finally {
    await lock.reserve.close()
    await lock.newest?.file.close()
  }
}

/** What the head file and the published index tell of the newest commit, whatever the segments hold. */
async function newestKnown(
  disk: Disk
): Promise<{ readonly index: number; readonly hash: Buffer | undefined }> {
  const head = await readHead(disk)
  const mark = head === 'damaged' ? undefined : head
  const published = await readDurableIndex(disk)
  if (published && published.durable > (mark?.index ?? 0))
    return { index: published.durable, hash: undefined }
  return { index: mark?.index ?? 0, hash: mark?.hash }
}

interface Found {
  readonly index: number
  readonly time: string
  readonly hash: Buffer
}

interface Readable {
  readonly first: Found
  readonly last: Found
  readonly erasures: readonly Erasure[]
}

/** The first and the last commit above the end that can still be read, and what they order to erase; undefined when there is none. */
async function readable(
  disk: Disk,
  { identity, end, segments, above }: TruncatedLogView
): Promise<Readable | undefined> {
  let first: Found | undefined
  let last: Found | undefined
  const erasures = new Map<number, readonly Erasure[]>()
  const see = (record: StoredRecord): void => {
    const { index, time, hash } = record
    if (index <= end.index) return
    const found = { index, time, hash }
    if (!first || index < first.index) first = found
    if (!last || index > last.index) last = found
    if (record.bytes.includes(ERASURE_TOPIC)) erasures.set(index, ordersIn(record))
  }
  const newest = segments.at(-1)
  if (newest) await scan(disk, newest.name, newest, see)
  for (const name of above) {
    const named = parseSegmentName(name)
    // Its own header may be damaged; its name tells what its groups must bear.
    if (named)
      await scan(
        disk,
        name,
        { ...identity, ...named, format: LOG_FORMAT, before: Buffer.from(NO_HASH), sectorBytes: 512 },
        see
      )
  }
  return first && last && { first, last, erasures: [...erasures.values()].flat() }
}

const ordersIn = (record: StoredRecord): readonly Erasure[] =>
  record.events().flatMap(event => (isErasureEvent(event) ? [event.Payload.Erasure] : []))

/** Shows all whole commits of a segment, also those behind damage. */
async function scan(
  disk: Disk,
  name: string,
  segment: SegmentHeader,
  see: (record: StoredRecord) => void
): Promise<void> {
  const scanning = withSegment(disk, name, async file => {
    let from: GroupPosition | undefined = { first: segment.first, offset: GROUPS_AT }
    while (from) {
      const walk: GroupScanner = new GroupScanner(file, segment, { from })
      for (let groups = await walk.groups(); groups.length > 0; groups = await walk.groups())
        for (const { records } of groups) for (const record of records) see(record)
      const { laterGroup } = await readUnreadTail(file, segment, walk.offset, walk.next)
      from = laterGroup
    }
  })
  await scanning.catch((error: unknown) => {
    // Behind a damaged block of a packed segment nothing is looked for.
    if (!(error instanceof LogDamage)) throw error
  })
}

async function copyFile(disk: Disk, name: string, target: Disk): Promise<void> {
  await withFile(disk, name, source =>
    writeFile(target, name, async copy => {
      await copyBytes(source, copy)
      if ((await copy.size()) !== (await source.size()))
        throw new LogUnusable(`the copy of ${disk.path}/${name} is incomplete`)
    })
  )
}
