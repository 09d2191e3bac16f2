// The port to the disk: everything that reaches the folder of a log goes through it, so that tests can record, drop,
// reorder, tear, delay and fail each call. What is said here of durability is all that the log relies on.
import { hasCode } from '../errors.js'

/**
 * How a file is opened:
 * - `read`: it must be there.
 * - `write`: read and written, made when it is missing. What is written is seen by every process at once, and is durable
 *   after `flush`.
 * - `durable`: as `write`, but what a `write` says it has written is durable when it resolves.
 */
export type Access = 'read' | 'write' | 'durable'

/**
 * An open file. It stays the same file when it is renamed or unlinked.
 *
 * A write that rejects, or that has not settled, may have reached the disk whole, in part or not at all, in sectors of 512
 * bytes (or of the device's own size) and in any order; it may still reach it later. The other bytes of the file are as they were.
 */
export interface DiskFile {
  size(): Promise<number>

  /**
   * Reads into `target` from a position of the file.
   * @returns how many bytes were read: 0 at the end of the file, and perhaps fewer than asked elsewhere
   */
  read(target: Uint8Array, position: number): Promise<number>

  /**
   * Writes bytes at a position; beyond the end the file grows, and is as long as that when the bytes are durable.
   * @returns how many were written, perhaps fewer than asked
   */
  write(source: Uint8Array, position: number): Promise<number>

  /**
   * Writes zeros from `position` on that take room on the disk (no holes), durably, so that a later write there finds its blocks.
   * When it rejects, any part of them may have been written.
   */
  allocate(position: number, length: number): Promise<void>

  /** Makes all that was written to the file by any handle, and its size, durable. Not its name: that is `Disk.flushNames`. */
  flush(): Promise<void>

  /** Cuts the file to a size. Durable after `flush`. */
  truncate(size: number): Promise<void>

  /**
   * Takes a lock that other processes, and other handles of this one, can hold at the same time only if they are all `shared`. It
   * ends with the handle or the process, however that ends.
   * @param place each place of a file has a lock of its own
   * @returns false when another holds it
   */
  lock(place: number, mode: 'exclusive' | 'shared'): boolean

  unlock(place: number): void

  /** Whether this name leads to it: false once it was unlinked or another file was put in its place. */
  isNamed(name: string): Promise<boolean>

  close(): Promise<void>
}

/**
 * The folder of a log. Files are its owner's only (0600, folders 0700). Methods reject with what the file system reports: an Error with
 * a `code` such as ENOENT, EIO or ENOSPC.
 *
 * What `open` (where it makes a file), `rename` and `unlink` do to names is seen at once and durable after `flushNames`; without it a
 * failing machine may leave the old names, the new ones, or some of each, in any order.
 */
export interface Disk {
  /** For messages: where the folder is. */
  readonly path: string

  /** Makes the folder, and those above it, when they are missing; durable when it resolves. */
  make(): Promise<void>

  /** Names of the files and folders in it. Rejects with ENOENT when the folder does not exist. */
  list(): Promise<readonly string[]>

  open(name: string, access: Access): Promise<DiskFile>

  /** Gives a file another name, in place of a file that may have had it. */
  rename(from: string, to: string): Promise<void>

  unlink(name: string): Promise<void>

  /** Makes the names in the folder durable. */
  flushNames(): Promise<void>

  /** A folder in this one. */
  folder(name: string): Disk

  /** Bytes that can still be written, as far as the file system tells. */
  free(): Promise<number>

  /** The kind of the file system when it is one of a network, such as `nfs`; undefined for others. */
  network(): Promise<string | undefined>

  /**
   * Calls `changed` soon after a file was written; it may also be called without cause. Returns how to stop.
   * @throws what the file system reports, such as ENOENT
   */
  watch(name: string, changed: () => void): () => void
}

/** Writes all of `source`. @throws what the file system reports, and Error if it writes nothing */
export async function writeAll(file: DiskFile, source: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < source.length;) {
    const written = await file.write(at === 0 ? source : source.subarray(at), position + at)
    if (written <= 0) throw new Error(`the file system took ${at} of ${source.length} bytes`)
    at += written
  }
}

/** What reading takes of a file. */
export type ReadableFile = Pick<DiskFile, 'size' | 'read' | 'close'>

/** Reads until `target` is full or the file ends. @returns how many bytes were read */
export async function readAll(
  file: Pick<ReadableFile, 'read'>,
  target: Uint8Array,
  position: number
): Promise<number> {
  let at = 0
  while (at < target.length) {
    const got = await file.read(at === 0 ? target : target.subarray(at), position + at)
    if (got === 0) break
    at += got
  }
  return at
}

/** The whole content of a file; undefined when there is none of that name. */
export async function readFile(disk: Disk, name: string): Promise<Buffer | undefined> {
  let file: DiskFile
  try {
    file = await disk.open(name, 'read')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  try {
    const bytes = Buffer.alloc(await file.size())
    return bytes.subarray(0, await readAll(file, bytes, 0))
  } finally {
    await file.close()
  }
}

/** Puts a file in place of another, so that at any moment the old or the new one is there whole; durable when it resolves. */
export async function replaceFile(disk: Disk, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${name}.new`
  const file = await disk.open(temporary, 'write')
  try {
    await file.truncate(0)
    await writeAll(file, bytes, 0)
    await file.flush()
  } finally {
    await file.close()
  }
  await disk.rename(temporary, name)
  await disk.flushNames()
}

/** Names of the files in a folder; none when it does not exist. */
export async function namesIn(disk: Disk): Promise<readonly string[]> {
  try {
    return await disk.list()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** Removes files that are there; which names a failing machine leaves is open until `flushNames`. */
export async function unlinkAll(disk: Disk, names: readonly string[]): Promise<void> {
  for (const name of names)
    await disk.unlink(name).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
    })
}
