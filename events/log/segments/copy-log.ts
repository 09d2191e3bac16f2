// Copies a log to another folder as of one of its commits: beside the server that writes it, or from a backup.
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../disk.js'
import { LogUnusable } from '../log.js'
import { NodeDisk } from '../node-disk.js'
import type { Head } from '../store.js'
import { copyAnew, flushPath } from './copy-file.js'
import type { LogIdentity } from './format.js'
import { writeHead } from './head.js'
import { damage, withFile } from './files.js'
import { readSegments } from './segment.js'
import { SegmentWalk } from './walk.js'

const FOLDER_MODE = 0o700
/** How often the files are listed anew when one of them has gone meanwhile. */
const TRIES = 10
/** What is not copied: what holds nothing, what is derived, what is being made, what a repair has cut off, and the head, which is made anew. */
const LEFT_OUT = /^(reserve|next-\d+|durable|head|cut|.*\.idx|.*\.new)$/
/** Files that are named by an index: a segment by its first commit, a snapshot by its last. */
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
  await makeFolder(target)
  for (let left = TRIES; ; left--)
    try {
      const copied = await copyFolder(source, target, head.index)
      const disk = new NodeDisk(target)
      await cutBehind(disk, identity, head.index)
      await writeHead(disk, head, identity.id, true)
      return copied
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || left === 0) throw error
    }
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: FOLDER_MODE })
  await chmod(path, FOLDER_MODE)
}

async function copyFolder(source: string, target: string, index: number): Promise<Copied> {
  let files = 0
  let bytes = 0
  const wanted = new Set(['head'])
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const { name } = entry
    const [, first] = INDEXED.exec(name) ?? []
    if (LEFT_OUT.test(name) || (first !== undefined && Number(first) > Math.max(index, 1))) continue
    wanted.add(name)
    if (entry.isDirectory()) {
      const [from, to] = [join(source, name), join(target, name)]
      await makeFolder(to)
      const inner = await copyFolder(from, to, index)
      files += inner.files
      bytes += inner.bytes
    } else if (entry.isFile()) {
      bytes += await copyAnew(source, target, name)
      files++
    }
  }
  for (const name of await readdir(target))
    if (!wanted.has(name)) await rm(join(target, name), { recursive: true })
  await flushPath(target)
  return { files, bytes }
}

/** Cuts the newest segment of a copy behind the group that ends with a commit: nothing that was written later, or refused, follows it. */
async function cutBehind(disk: NodeDisk, identity: LogIdentity, index: number): Promise<void> {
  const newest = (await readSegments(disk, await disk.list(), identity)).at(-1)
  if (!newest) throw new LogUnusable(`there is no segment in ${disk.path}`)
  const walk = await withFile(disk, newest.name, async file => {
    const found = new SegmentWalk(file, newest, { wanted: index })
    let end = found.offset
    let last = newest.first - 1
    while (last < index) {
      const groups = await found.groups()
      if (groups.length === 0)
        throw damage(disk, newest.name, found.offset, found.next, found.stop?.reason ?? 'it ends')
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
