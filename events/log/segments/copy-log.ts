// Copies a log to another folder as of one of its commits: beside the server that writes it, or from a backup.
import { createHash } from 'node:crypto'
import { chmod, constants, copyFile, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { hasCode } from '../../errors.js'
import type { Disk } from '../disk-port.js'
import { finishRewrite, withoutRewrites } from '../erasure/journal.js'
import { LogUnusable } from '../log.js'
import { createFolders, NodeDisk } from '../node-disk.js'
import type { Head } from '../store.js'
import type { LogIdentity } from './format.js'
import { GroupScanner } from './group-scanner.js'
import { HEAD_FILE, writeHead } from './head-file.js'
import { unpackSegment } from './pack.js'
import { damageError, withFile } from './segment-access.js'
import { segmentsIn } from './segment-files.js'
import { readSegments } from './segment.js'

const FILE_MODE = 0o600
const CHUNK = 1024 * 1024

const sizeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK)
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(chunk.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** Has a file, or the names of a folder, on disk. */
export const flushPath = async (path: string): Promise<void> => {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Copies a file, sharing its blocks where the file system can (never as a hard link: an erasure in one must not reach the other), unless
 * the very same bytes are there already. The copy is there whole or not at all, its owner's only, and on disk with its name once the folder is flushed.
 * @returns how many bytes were copied
 * @throws what the file system reports; ENOENT when the file has gone
 */
async function copyDurably(source: string, target: string, name: string): Promise<number> {
  const [from, to] = [join(source, name), join(target, name)]
  const size = (await stat(from)).size
  if ((await sizeOf(to)) === size && (await hashOf(from)) === (await hashOf(to))) return 0
  const temporary = `${to}.new`
  await copyFile(from, temporary, constants.COPYFILE_FICLONE)
  await chmod(temporary, FILE_MODE)
  await flushPath(temporary)
  await rename(temporary, to)
  return size
}

const FOLDER_MODE = 0o700
/** Excludes empty, derived and temporary files, truncated copies, and the head, which the copy writes itself. */
const LEFT_OUT = /^(reserve|next-\d+|durable|head|cut|.*\.idx|.*\.new)$/
/** Files that are named by an index: a segment by its first commit, a snapshot or a base by its last. */
const INDEXED = /^(\d{16})[-.]/

export interface Copied {
  readonly files: number
  /** Bytes that were copied; what the folder had already is not among them. */
  readonly bytes: number
}

/**
 * Copies the log of a folder up to a commit, which must be the last of a group: so is every durable index. What the target holds of the
 * same log is not copied again, and what does not belong there is removed.
 * @param head the commit
 * @throws LogUnusable and what the file system reports
 */
export async function copyLog(
  source: string,
  target: string,
  { head, identity }: { readonly head: Head; readonly identity: LogIdentity }
): Promise<Copied> {
  const copied = await withoutRewrites(new NodeDisk(source), () => copyFiles(source, target, head.index))
  const disk = new NodeDisk(target)
  await finishRewrite(disk)
  await cutBehind(disk, identity, head.index)
  await writeHead(disk, head, identity.id, true)
  return copied
}

/** A further pass copies files that are packed, renewed or pruned during the first one. */
async function copyFiles(source: string, target: string, index: number): Promise<Copied> {
  const done = new Map<string, number>()
  for (;;) {
    const names = await filesIn(source, index)
    let hasGone = false
    for (const folder of new Set(['', ...names.map(dirname)])) await makeFolder(join(target, folder))
    for (const name of names) {
      if (done.has(name)) continue
      try {
        done.set(name, await copyDurably(source, target, name))
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error
        hasGone = true
      }
    }
    if (hasGone) continue
    // The head of an older backup says whose it is until there is a new one.
    await removeOthers(target, new Set([...names, HEAD_FILE]))
    return { files: names.length, bytes: names.reduce((sum, name) => sum + (done.get(name) ?? 0), 0) }
  }
}

/** Paths of the files of a log that are copied, from its folder, those in the folders in it included. */
async function filesIn(folder: string, index: number): Promise<readonly string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry
    const [, first] = INDEXED.exec(name) ?? []
    if (LEFT_OUT.test(name) || (first !== undefined && Number(first) > Math.max(index, 1))) continue
    if (entry.isFile()) files.push(name)
    else if (entry.isDirectory())
      for (const inner of await filesIn(join(folder, name), index)) files.push(join(name, inner))
  }
  return files
}

async function makeFolder(path: string): Promise<void> {
  await createFolders(path, FOLDER_MODE)
  await chmod(path, FOLDER_MODE)
}

/** Removes what is not wanted in a folder, and flushes the names of the rest. @param wanted paths from the folder */
async function removeOthers(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  const folders = new Set([...wanted].map(dirname))
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry
    const path = join(folder, name)
    if (entry.isDirectory() && folders.has(name)) {
      const inner = [...wanted].flatMap(each => (dirname(each) === name ? [basename(each)] : []))
      await removeOthers(path, new Set(inner))
    } else if (!wanted.has(name)) await rm(path, { recursive: true })
  }
  await flushPath(folder)
}

/** Cuts the newest segment of a copy behind the group that ends with a commit: nothing that was written later, or refused, follows it. */
async function cutBehind(disk: NodeDisk, identity: LogIdentity, index: number): Promise<void> {
  const names = await disk.list()
  const newest = (await readSegments(disk, names, identity)).at(-1)
  if (!newest) throw new LogUnusable(`there is no segment in ${disk.path}`)
  if (!names.includes(newest.name)) await unpackSegment(disk, newest.name)
  const walk = await withFile(disk, newest.name, async file => {
    const found = new GroupScanner(file, newest, { wanted: index })
    let end = found.offset
    let last = newest.first - 1
    while (last < index) {
      const groups = await found.groups()
      if (groups.length === 0)
        throw damageError(disk, newest.name, found.offset, found.next, found.stop?.reason ?? 'it ends')
      for (const group of groups)
        if (group.first <= index) {
          end = group.offset + group.length
          last = group.first + group.count - 1
        }
    }
    return { end, last }
  })
  if (walk.last > index)
    throw new LogUnusable(`commit ${index} of the log in ${disk.path} is not the last of its group`)
  const file = await disk.open(newest.name, 'write')
  try {
    await file.truncate(walk.end)
    await file.flush()
  } finally {
    await file.close()
  }
}

/** How many times a copy is made before it is given up. */
const TRIES = 5

const oldestIn = async (disk: Disk): Promise<string | undefined> =>
  segmentsIn(await disk.list()).toSorted()[0]

/**
 * Copies a log and repeats the copy if commits were pruned meanwhile, because the base snapshot may be newer than the
 * copy's last commit.
 * @param copy must take what the log is now each time
 * @throws LogUnusable when they went each time
 */
export async function retryWhilePruning<T>(disk: Disk, copy: () => Promise<T>): Promise<T> {
  let cause: unknown
  for (let tries = 0; tries < TRIES; tries++) {
    const oldest = await oldestIn(disk)
    const isOvertaken = async (): Promise<boolean> => (await oldestIn(disk)) !== oldest
    try {
      const made = await copy()
      if (!(await isOvertaken())) return made
    } catch (error) {
      if (!(await isOvertaken())) throw error
      cause = error
    }
  }
  throw new LogUnusable(
    `the oldest commits went while the log was copied, ${TRIES} times (log.retain): try again`,
    { cause }
  )
}
