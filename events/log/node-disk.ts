import fs from 'node:fs'
import { mkdir, readdir, rename, stat, statfs, unlink as unlinkFile } from 'node:fs/promises'
import { platform } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { tryLock, unlock } from 'fs-native-extensions'
import { hasCode, isMissingFile, orUndefined } from '../errors.js'
import type { Access, Disk, DiskFile } from './disk-port.js'

/** Whether it was made; false when it was there. @throws what the file system reports: EEXIST where a file has its name */
const isMade = async (path: string, mode: number): Promise<boolean> => {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return false
    throw error
  }
}

/**
 * Makes a folder, and those above it that are missing. In place of Node's own `recursive`, which never ends where a file system takes no
 * folders and says that there is none of that name, as /proc does.
 * @returns the uppermost one that was made; undefined when the folder was there
 * @throws what the file system reports
 */
export async function createFolders(path: string, mode: number): Promise<string | undefined> {
  try {
    return (await isMade(path, mode)) ? path : undefined
  } catch (error) {
    const above = dirname(path)
    if (!hasCode(error, 'ENOENT') || above === path) throw error
    const first = await createFolders(above, mode)
    return (await isMade(path, mode)) ? (first ?? path) : first
  }
}

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700
const ZEROS = Buffer.alloc(256 * 1024)

/** Where a write through such a descriptor is on disk when it returns; elsewhere it is flushed after it. */
const FLUSHES_ITSELF = platform() === 'linux'

const { O_RDONLY, O_RDWR, O_CREAT, O_DSYNC } = fs.constants
const FLAGS: Readonly<Record<Access, number>> = {
  read: O_RDONLY,
  write: O_RDWR | O_CREAT,
  durable: O_RDWR | O_CREAT | (FLUSHES_ITSELF ? O_DSYNC : 0)
}

/** What `statfs` tells of file systems that other machines write as well, where a flush or a lock may mean less. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x5346414f, 'afs'],
  [0x73757245, 'coda'],
  [0x00c36400, 'ceph'],
  [0x01021997, '9p'],
  [0x0bd00bd0, 'lustre']
])

const open = promisify(fs.open)
const close = promisify(fs.close)
const fstat = promisify(fs.fstat)
const fsync = promisify(fs.fsync)
const fdatasync = promisify(fs.fdatasync)
const ftruncate = promisify(fs.ftruncate)
const writev = promisify(fs.writev)

/** A new file or folder is only found again after the machine fails if the folder that names it is on disk as well. */
async function flushFolder(path: string): Promise<void> {
  if (platform() === 'win32') return
  const fd = await open(path, O_RDONLY)
  try {
    await fsync(fd)
  } finally {
    await close(fd)
  }
}

class NodeFile implements DiskFile {
  /** Whether each write has to be flushed. */
  readonly #flushes: boolean
  /** Places of the locks that it holds. */
  readonly #locked = new Set<number>()
  /** Changes of the file that are under way. */
  #changes = 0

  constructor(
    private readonly folder: string,
    private readonly fd: number,
    access: Access
  ) {
    this.#flushes = access === 'durable' && !FLUSHES_ITSELF
  }

  async size(): Promise<number> {
    return (await fstat(this.fd)).size
  }

  read(target: Uint8Array, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.read(this.fd, target, 0, target.length, position, (error, count) =>
        error ? reject(error) : resolve(count)
      )
    })
  }

  write(source: Uint8Array, position: number): Promise<number> {
    this.#changes++
    const writing = new Promise<number>((resolve, reject) => {
      fs.write(this.fd, source, 0, source.length, position, (error, count) => {
        this.#changes--
        if (error) reject(error)
        else resolve(count)
      })
    })
    return this.#flushes ? this.#changing(this.#flushAfter(writing)) : writing
  }

  async #flushAfter(writing: Promise<number>): Promise<number> {
    const written = await writing
    await fdatasync(this.fd)
    return written
  }

  allocate(position: number, length: number): Promise<void> {
    return this.#changing(this.#allocate(position, length))
  }

  async #allocate(position: number, length: number): Promise<void> {
    const end = position + length
    for (let at = position; at < end;) {
      const pieces: Buffer[] = []
      for (let from = at; from < end; from += ZEROS.length)
        pieces.push(ZEROS.subarray(0, Math.min(ZEROS.length, end - from)))
      const { bytesWritten } = await writev(this.fd, pieces, at)
      if (bytesWritten === 0) throw new Error(`the file system took ${at - position} of ${length} bytes`)
      at += bytesWritten
    }
    await fdatasync(this.fd)
  }

  async flush(): Promise<void> {
    await fsync(this.fd)
  }

  truncate(size: number): Promise<void> {
    return this.#changing(ftruncate(this.fd, size))
  }

  lock(place: number, mode: 'exclusive' | 'shared'): boolean {
    const isHeld = tryLock(this.fd, place, 1, { shared: mode === 'shared' })
    if (isHeld) this.#locked.add(place)
    return isHeld
  }

  unlock(place: number): void {
    unlock(this.fd, place, 1)
    this.#locked.delete(place)
  }

  async isNamed(name: string): Promise<boolean> {
    const own = await fstat(this.fd, { bigint: true })
    const named = await orUndefined(stat(join(this.folder, name), { bigint: true }), isMissingFile)
    return named?.ino === own.ino && named.dev === own.dev
  }

  async close(): Promise<void> {
    // A child that another thread begins at this moment has the descriptor, too, until it runs its program: locks would last as long.
    // What a disk has not ended yet keeps them until it has.
    if (this.#changes === 0) for (const place of this.#locked) this.unlock(place)
    await close(this.fd)
  }

  async #changing<Result>(change: Promise<Result>): Promise<Result> {
    this.#changes++
    try {
      return await change
    } finally {
      this.#changes--
    }
  }
}

export class NodeDisk implements Disk {
  constructor(readonly path: string) {}

  async make(): Promise<void> {
    const first = await createFolders(this.path, FOLDER_MODE)
    if (first === undefined) return
    for (let made = this.path; made.length >= first.length; made = dirname(made))
      await flushFolder(dirname(made))
  }

  list(): Promise<string[]> {
    return readdir(this.path)
  }

  async open(name: string, access: Access): Promise<DiskFile> {
    return new NodeFile(this.path, await open(join(this.path, name), FLAGS[access], FILE_MODE), access)
  }

  rename(from: string, to: string): Promise<void> {
    return rename(join(this.path, from), join(this.path, to))
  }

  unlink(name: string): Promise<void> {
    return unlinkFile(join(this.path, name))
  }

  flushNames(): Promise<void> {
    return flushFolder(this.path)
  }

  folder(name: string): Disk {
    return new NodeDisk(join(this.path, name))
  }

  async free(): Promise<number> {
    const { bavail, bsize } = await statfs(this.path)
    return bavail * bsize
  }

  async network(): Promise<string | undefined> {
    return NETWORK.get((await statfs(this.path)).type >>> 0)
  }

  watch(name: string, changed: () => void): () => void {
    const watcher = fs.watch(join(this.path, name), { persistent: false }, () => changed())
    watcher.on('error', () => watcher.close())
    return () => watcher.close()
  }
}
