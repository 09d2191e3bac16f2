// The journal of in-place erasures, which prevents half-erased parts after a crash.
//
// A disk writes sectors atomically. The file `erasing` holds the new sectors of one step before the first is overwritten, and is
// emptied when all are durable. The next opener of a filled, unlocked file repeats the step.
import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { readAll, writeAll, type Disk, type DiskFile } from '../disk-port.js'
import { readNumber, writeNumber } from '../numbers.js'
import { hasCode } from '../../errors.js'

const JOURNAL_FILE = 'erasing'
const STEP = 0
/** How often who waits for a step tries again, in ms. */
const PAUSE = 2

/** Bytes of a file as they will be. */
export interface Rewrite {
  readonly name: string
  readonly offset: number
  readonly bytes: Buffer
}

const MAGIC = Buffer.from('ANNALERS')
const CRC_AT = 8
const LENGTH_AT = 12
const REWRITES_AT = 16
const OFFSET_BYTES = 8
const SIZE_BYTES = 4

/** The bytes: magic, CRC-32 of what follows, length of all; then of each rewrite the length of its file's name, the name, offset, size and bytes. */
function encode(rewrites: readonly Rewrite[]): Buffer {
  const pieces = rewrites.flatMap(({ name, offset, bytes }) => {
    const head = Buffer.alloc(1 + name.length + OFFSET_BYTES + SIZE_BYTES)
    head[0] = name.length
    head.write(name, 1, 'latin1')
    writeNumber(head, offset, 1 + name.length)
    head.writeUInt32BE(bytes.length, 1 + name.length + OFFSET_BYTES)
    return [head, bytes]
  })
  const all = Buffer.concat([MAGIC, Buffer.alloc(REWRITES_AT - CRC_AT), ...pieces])
  all.writeUInt32BE(all.length, LENGTH_AT)
  all.writeUInt32BE(crc32(all.subarray(LENGTH_AT)), CRC_AT)
  return all
}

/** None when the file is empty, or was not written whole: then nothing was overwritten yet. */
function decode(bytes: Buffer): readonly Rewrite[] {
  if (bytes.length < REWRITES_AT || !bytes.subarray(0, CRC_AT).equals(MAGIC)) return []
  const all = bytes.subarray(0, bytes.readUInt32BE(LENGTH_AT))
  if (all.length < REWRITES_AT || crc32(all.subarray(LENGTH_AT)) !== all.readUInt32BE(CRC_AT)) return []
  const rewrites: Rewrite[] = []
  for (let at = REWRITES_AT; at < all.length;) {
    const nameEnd = at + 1 + (all[at] ?? 0)
    const start = nameEnd + OFFSET_BYTES + SIZE_BYTES
    const end = start + all.readUInt32BE(nameEnd + OFFSET_BYTES)
    rewrites.push({
      name: all.toString('latin1', at + 1, nameEnd),
      offset: readNumber(all, nameEnd),
      bytes: all.subarray(start, end)
    })
    at = end
  }
  return rewrites
}

async function contentOf(file: DiskFile): Promise<readonly Rewrite[]> {
  const bytes = Buffer.alloc(await file.size())
  return decode(bytes.subarray(0, await readAll(file, bytes, 0)))
}

/** Opens the file, and gives it to `use` while no other step is under way. Undefined when there is no such file. */
async function whileLocked<T>(
  disk: Disk,
  mode: 'exclusive' | 'shared',
  use: (file: DiskFile) => Promise<T>
): Promise<T | undefined> {
  let file: DiskFile
  try {
    file = await disk.open(JOURNAL_FILE, mode === 'shared' ? 'read' : 'write')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
  try {
    while (!file.lock(STEP, mode)) await pause(PAUSE)
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Overwrites bytes of files; durable when it resolves. At any moment all of them are as they were, or the journal has them as they will be. */
export async function rewriteInPlace(disk: Disk, rewrites: readonly Rewrite[]): Promise<void> {
  if (rewrites.length === 0) return
  await whileLocked(disk, 'exclusive', async journal => {
    await finish(disk, journal)
    await writeAll(journal, encode(rewrites), 0)
    await journal.flush()
    await disk.flushNames()
    await apply(disk, rewrites)
    await clear(journal)
  })
}

/** Completes an interrupted step. Must be called before the folder is written. */
export async function finishRewrite(disk: Disk): Promise<void> {
  if (!(await disk.list()).includes(JOURNAL_FILE)) return
  await whileLocked(disk, 'exclusive', journal => finish(disk, journal))
}

/** Waits for a step that is under way. @returns what one that has failed would do yet */
export const unfinishedRewrites = async (disk: Disk): Promise<readonly Rewrite[]> =>
  (await whileLocked(disk, 'shared', contentOf)) ?? []

/** Does something while no step is under way, in this process or another, and none begins. */
export async function withoutRewrites<T>(disk: Disk, work: () => Promise<T>): Promise<T> {
  let done: { readonly result: T } | undefined
  await whileLocked(disk, 'shared', async () => (done = { result: await work() }))
  // There never was one.
  return done ? done.result : work()
}

async function finish(disk: Disk, journal: DiskFile): Promise<void> {
  const rewrites = await contentOf(journal)
  await apply(disk, rewrites)
  if ((await journal.size()) > 0) await clear(journal)
}

async function apply(disk: Disk, rewrites: readonly Rewrite[]): Promise<void> {
  const names = await disk.list()
  for (const name of new Set(rewrites.map(each => each.name))) {
    // It may have been pruned since.
    if (!names.includes(name)) continue
    const file = await disk.open(name, 'write')
    try {
      for (const { bytes, offset } of rewrites.filter(each => each.name === name))
        await writeAll(file, bytes, offset)
      await file.flush()
    } finally {
      await file.close()
    }
  }
}

async function clear(journal: DiskFile): Promise<void> {
  await journal.truncate(0)
  await journal.flush()
}
