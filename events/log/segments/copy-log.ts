// Copies a log to another folder as of one of its commits: beside the server that writes it, or from a backup.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, constants, copyFile, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isMissingFile, orUndefined } from '../../errors.js'
import { flushPath } from '../../files.js'
import { withFile, type Disk, type DiskFile } from '../disk-port.js'
import { finishRewrite, withoutRewrites } from '../erasure/journal.js'
import { LogUnusable } from '../log.js'
import { createFolders, NodeDisk } from '../node-disk.js'
import type { Head } from '../store.js'
import { type LogIdentity, damageError } from './format.js'
import { GroupScanner } from './group-scanner.js'
import { HEAD_FILE, writeHead } from './checked-files.js'
import { unpackSegment } from './pack.js'
import { segmentsIn } from './segment-files.js'
import { readSegments } from './segment.js'

const FILE_MODE = 0o600
const CHUNK = 1024 * 1024

const sizeOf = async (path: string): Promise<number | undefined> =>
  (await orUndefined(stat(path), isMissingFile))?.size

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: CHUNK }), hash)
  return hash.digest('hex')
}

/**
 * Copies a file atomically unless the target has the same bytes. Shares blocks if the file system supports it, but never
 * as a hard link, because an erasure must not change the copy. The name is durable after a flush of the folder.
 * @returns the number of bytes copied
 * @throws errors of the file system; ENOENT if the file was removed
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
/** Files named by an index: the first commit of a segment, the last one of a snapshot. */
const INDEXED = /^(\d{16})[-.]/

export interface Copied {
  readonly files: number
  /** Bytes copied, without files that the target already had. */
  readonly bytes: number
}

/**
 * Copies a log up to a commit, which must be the last of its group, as every durable index is. Skips files that the target
 * already has and removes files that do not belong to the copy.
 * @param head the commit
 * @throws LogUnusable; errors of the file system
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
      const bytes = await orUndefined(copyDurably(source, target, name), isMissingFile)
      if (bytes === undefined) hasGone = true
      else done.set(name, bytes)
    }
    if (hasGone) continue
    // The head of an older backup identifies its log until the new one is written.
    await removeOthers(target, new Set([...names, HEAD_FILE]))
    return { files: names.length, bytes: names.reduce((sum, name) => sum + (done.get(name) ?? 0), 0) }
  }
}

/** Returns the paths of the files to copy, relative to the folder. */
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

/** Removes all but the wanted files of a folder and flushes its names. @param wanted relative paths */
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

/** Truncates the newest segment of a copy after the group that ends with a commit. */
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
  const truncate = async (file: DiskFile): Promise<void> => {
    await file.truncate(walk.end)
    await file.flush()
  }
  await withFile(disk, newest.name, truncate, 'write')
}

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
