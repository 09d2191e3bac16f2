// The files of base snapshots by their names.
import { namesIn, unlinkAll, type Disk } from '../disk-port.js'

export const BASE_SNAPSHOT_FOLDER = 'base'
/** Marks bases that came from the source of a replica, without secrets. */
export const RECEIVED = 'received'
export const COPIES = [1, 2] as const
export type Copy = (typeof COPIES)[number]
const NAME = /^(\d{16})-[12]\.base$/

export const nameOf = (index: number, copy: Copy): string => `${String(index).padStart(16, '0')}-${copy}.base`
export const namesOf = (index: number): readonly string[] => COPIES.map(copy => nameOf(index, copy))

/** Indexes of the bases in a folder, of which at least one copy is there, the newest first. */
export const baseSnapshotIndexes = async (disk: Disk): Promise<readonly number[]> => {
  const found = (await namesIn(disk)).flatMap(name => NAME.exec(name)?.[1] ?? [])
  return [...new Set(found)].map(Number).toSorted((a, b) => b - a)
}

/** Removes the bases of a log that ends at a commit: those above it are of commits that were cut off. */
export const removeBaseSnapshotsAbove = async (log: Disk, end: number): Promise<void> => {
  const bases = log.folder(BASE_SNAPSHOT_FOLDER)
  const above = (await baseSnapshotIndexes(bases)).filter(index => index > end)
  if (above.length === 0) return
  await unlinkAll(bases, above.flatMap(namesOf))
  await bases.flushNames()
}
