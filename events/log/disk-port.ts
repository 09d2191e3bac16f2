// The port to the disk: all access to the folder of a log uses it, so that tests can record, drop, reorder, tear, delay
// and fail each call. The log relies on no other durability guarantees than these.
import { isMissingFile, orUndefined } from '../errors.js'

/**
 * The access mode of an open file:
 * - `read`: the file must exist.
 * - `write`: for reading and writing; creates a missing file. Every process sees the written bytes immediately. They are
 *   durable after `flush`.
 * - `durable`: as `write`, but the written bytes are durable when `write` resolves.
 */
export type Access = 'read' | 'write' | 'durable'

/**
 * An open file. It stays the same file when it is renamed or unlinked.
 *
 * A rejected or pending write may have reached the disk completely, in part or not at all, in sectors of 512 bytes (or of
 * the device's own size) and in any order. It may still reach the disk later. The other bytes of the file are unchanged.
 */
export interface DiskFile {
  size(): Promise<number>

  /** Reads at a position. @returns the number of bytes read: 0 at the end of the file, possibly fewer than requested elsewhere */
  read(target: Uint8Array, position: number): Promise<number>

  /**
   * Writes bytes at a position. Beyond its end the file grows; its new length is durable with the bytes.
   * @returns the number of bytes written, possibly fewer than requested
   */
  write(source: Uint8Array, position: number): Promise<number>

  /** Durably writes zeros without holes, so that a later write needs no new blocks. A failure may leave any part of them. */
  allocate(position: number, length: number): Promise<void>

  /** Makes everything durable that any handle has written to the file, and its size. For its name see `Disk.flushNames`. */
  flush(): Promise<void>

  /** Cuts the file to a size. Durable after `flush`. */
  truncate(size: number): Promise<void>

  /**
   * Acquires a lock, which other handles and processes can hold at the same time only if all locks are `shared`. Closing
   * the handle or any end of the process releases it.
   * @param place each place of a file has its own lock
   * @returns false if another handle or process holds the lock
   */
  lock(place: number, mode: 'exclusive' | 'shared'): boolean

  unlock(place: number): void

  /** Returns false after the name was unlinked or given to another file. */
  isNamed(name: string): Promise<boolean>

  close(): Promise<void>
}

/**
 * The folder of a log. Only the owner has access (files 0600, folders 0700). Methods reject with errors of the file
 * system, whose `code` is ENOENT, EIO, ENOSPC and so on.
 *
 * Changes of names by `open`, `rename` and `unlink` are visible immediately and durable after `flushNames`. Until then a
 * machine failure may leave any mix of old and new names.
 */
export interface Disk {
  /** For messages. */
  readonly path: string

  /** Creates the missing folders of the path; durable when it resolves. */
  make(): Promise<void>

  /** Names of the files and folders in it. Rejects with ENOENT when the folder does not exist. */
  list(): Promise<readonly string[]>

  open(name: string, access: Access): Promise<DiskFile>

  /** Renames a file and replaces any file with the new name. */
  rename(from: string, to: string): Promise<void>

  unlink(name: string): Promise<void>

  /** Makes the names in the folder durable. */
  flushNames(): Promise<void>

  /** Returns a subfolder, which need not exist. */
  folder(name: string): Disk

  /** Returns the free bytes that the file system reports. */
  free(): Promise<number>

  /** Returns the type of a network file system, such as `nfs`; undefined for local ones. */
  network(): Promise<string | undefined>

  /** Calls `changed` soon after a write, sometimes without one. Returns a function that stops the watch. @throws ENOENT and the like */
  watch(name: string, changed: () => void): () => void
}

/** Writes all of `source`. @throws errors of the file system; Error if it writes nothing */
export async function writeAll(file: DiskFile, source: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < source.length;) {
    const written = await file.write(at === 0 ? source : source.subarray(at), position + at)
    if (written <= 0) throw new Error(`the file system took ${at} of ${source.length} bytes`)
    at += written
  }
}

export type ReadableFile = Pick<DiskFile, 'size' | 'read' | 'close'>

/** Reads until `target` is full or the file ends. @returns the number of bytes read */
export async function readAll(
  file: Pick<ReadableFile, 'read'>,
  target: Uint8Array,
  position: number
): Promise<number> {
  let at = 0
  while (at < target.length) {
    const count = await file.read(at === 0 ? target : target.subarray(at), position + at)
    if (count === 0) break
    at += count
  }
  return at
}

/** Reads up to `size` bytes at a position. */
export async function readBytes(
  file: Pick<ReadableFile, 'read'>,
  size: number,
  position = 0
): Promise<Buffer<ArrayBuffer>> {
  const bytes = Buffer.alloc(size)
  return bytes.subarray(0, await readAll(file, bytes, position))
}

/** Opens a file, passes it to `use`, and closes it. */
export async function withFile<T>(
  disk: Disk,
  name: string,
  use: (file: DiskFile) => Promise<T>,
  access: Access = 'read'
): Promise<T> {
  const file = await disk.open(name, access)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Writes the new content of a file; the content is durable when it resolves, the name is not. */
export const writeFile = (
  disk: Disk,
  name: string,
  write: (file: DiskFile) => Promise<unknown>
): Promise<void> => withFile(disk, name, file => rewrite(file, write), 'write')

async function rewrite(file: DiskFile, write: (file: DiskFile) => Promise<unknown>): Promise<void> {
  await file.truncate(0)
  await write(file)
  await file.flush()
}

const COPY_BYTES = 1024 * 1024

/** Copies all bytes of a file to the same positions of another. */
export async function copyBytes(source: ReadableFile, target: DiskFile, step = COPY_BYTES): Promise<void> {
  const chunk = Buffer.allocUnsafe(step)
  for (let at = 0, count = step; count === step; at += count) {
    count = await readAll(source, chunk, at)
    await writeAll(target, chunk.subarray(0, count), at)
  }
}

/** Returns the content of a file, or undefined if it does not exist. */
export const readFile = (disk: Disk, name: string): Promise<Buffer | undefined> =>
  orUndefined(
    withFile(disk, name, async file => readBytes(file, await file.size())),
    isMissingFile
  )

/** Replaces a file atomically; durable when it resolves. */
export async function replaceFile(disk: Disk, name: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${name}.new`
  await writeFile(disk, temporary, file => writeAll(file, bytes, 0))
  await disk.rename(temporary, name)
  await disk.flushNames()
}

/** Returns the names of the files in a folder; none if the folder does not exist. */
export const namesIn = async (disk: Disk): Promise<readonly string[]> =>
  (await orUndefined(disk.list(), isMissingFile)) ?? []

/** Removes the existing ones of these files. The removal is durable after `flushNames`. */
export async function unlinkAll(disk: Disk, names: readonly string[]): Promise<void> {
  for (const name of names) await orUndefined(disk.unlink(name), isMissingFile)
}
