import { isMissingFile, orUndefined } from '../../errors.js'
import { unlinkAll, withFile, type Disk, type ReadableFile } from '../disk-port.js'
import { postErasureView } from '../erasure/erasable-parts.js'
import { unfinishedRewrites } from '../erasure/journal.js'
import { LogDamage, type PrunableSegment } from '../log.js'
import { indexName, packName, secretsName, segmentOf } from './pack-format.js'
import { PackedFile } from './packed-file.js'

/** The segments among the names of a folder, each once. */
export const segmentsIn = (names: readonly string[]): readonly string[] => [
  ...new Set(names.flatMap(name => segmentOf(name) ?? []))
]

/** Reads a folder and retries a failure if its segments have changed meanwhile. @param read receives the names in the folder */
export async function readWithRetry<T>(
  disk: Disk,
  read: (names: readonly string[]) => Promise<T>
): Promise<T> {
  for (;;) {
    const names = await disk.list()
    try {
      return await read(names)
    } catch (error) {
      const now = await disk.list()
      if (sorted(segmentsIn(now)) === sorted(segmentsIn(names))) throw error
    }
  }
}

const sorted = (names: readonly string[]): string => names.toSorted().join()

/** The names that the truth of a segment may have: without what is derived from it. */
export const primaryFilesOf = (segment: string): readonly string[] => [
  segment,
  packName(segment),
  secretsName(segment)
]

/**
 * Opens a segment for reading, gives it to `use`, and closes it; once more when that finds damage.
 * @throws LogDamage when it is packed and damaged; what the file system reports: ENOENT when it is not there in either form
 */
export async function withSegment<T>(
  disk: Disk,
  name: string,
  use: (file: ReadableFile) => Promise<T>
): Promise<T> {
  try {
    return await useSegment(disk, name, use)
  } catch (error) {
    if (!(error instanceof LogDamage)) throw error
    // Parts may have been erased while they were read, by half.
    return useSegment(postErasureView(disk, await unfinishedRewrites(disk)), name, use)
  }
}

/** Opens a segment for reading. @throws as `withSegment` */
export const openSegment = async (disk: Disk, name: string): Promise<ReadableFile> =>
  (await orUndefined(disk.open(name, 'read'), isMissingFile)) ?? PackedFile.open(disk, name)

async function useSegment<T>(disk: Disk, name: string, use: (file: ReadableFile) => Promise<T>): Promise<T> {
  const file = await openSegment(disk, name)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Room that a segment takes, its index left out. */
export async function diskUsageOf(
  disk: Disk,
  segment: string
): Promise<Pick<PrunableSegment, 'bytes' | 'isPacked'>> {
  const sizeOf = (name: string): Promise<number> => withFile(disk, name, file => file.size())
  const plain = await orUndefined(sizeOf(segment), isMissingFile)
  if (plain !== undefined) return { bytes: plain }
  return { bytes: (await sizeOf(packName(segment))) + (await sizeOf(secretsName(segment))), isPacked: true }
}

/** Removes what stands beside a plain segment in packed form, the pack before its secrets: without them it would be damage. */
export async function removePack(disk: Disk, segment: string): Promise<void> {
  const names = new Set(await disk.list())
  if (!names.has(packName(segment)) && !names.has(secretsName(segment))) return
  await unlinkAll(disk, [packName(segment)])
  await disk.flushNames()
  await unlinkAll(disk, [secretsName(segment)])
}

/** Removes segments, in either form; durable when it resolves. At any moment each is whole or not there. */
export async function removeSegments(disk: Disk, segments: readonly string[]): Promise<void> {
  if (segments.length === 0) return
  const names = new Set(await disk.list())
  const both = segments.filter(name => names.has(name) && names.has(packName(name)))
  if (both.length > 0) {
    // What a crash has left of a pack must not stand in for the segment.
    await unlinkAll(disk, both.map(packName))
    await disk.flushNames()
  }
  await unlinkAll(
    disk,
    segments.flatMap(name => [name, packName(name)].filter(each => names.has(each)))
  )
  await disk.flushNames()
  await unlinkAll(
    disk,
    segments.flatMap(name => [secretsName(name), indexName(name)].filter(each => names.has(each)))
  )
  await disk.flushNames()
}
