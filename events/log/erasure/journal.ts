// The journal of in-place erasures, which prevents half-erased parts after a crash.
//
// A disk writes sectors atomically. The file `erasing` holds the new sectors of one step before the first is overwritten, and is
// emptied when all are durable. The next opener of a filled, unlocked file repeats the step.
import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { isMissingFile, orUndefined } from '../../errors.js'
import { readBytes, withFile, writeAll, type Disk, type DiskFile } from '../disk-port.js'
import { readNumber, writeNumber } from '../numbers.js'

const JOURNAL_FILE = 'erasing'
const STEP = 0
/** Delay between attempts to lock the journal, in ms. */
const PAUSE = 2

/** New bytes of a file. */
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

/** Layout: magic, CRC-32 of the rest, total length; per rewrite the length of the file name, the name, offset, size and bytes. */
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

/** Returns no rewrites if the journal is empty or incomplete: nothing was overwritten yet. */
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

const contentOf = async (file: DiskFile): Promise<readonly Rewrite[]> =>
  decode(await readBytes(file, await file.size()))

/** Passes the open journal to `use` while no other step is running. Returns undefined if there is no journal. */
async function whileLocked<T>(
  disk: Disk,
  mode: 'exclusive' | 'shared',
  use: (file: DiskFile) => Promise<T>
): Promise<T | undefined> {
  const file = await orUndefined(disk.open(JOURNAL_FILE, mode === 'shared' ? 'read' : 'write'), isMissingFile)
  if (!file) return undefined
  try {
    while (!file.lock(STEP, mode)) await pause(PAUSE)
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Overwrites bytes of files; durable when it resolves. The journal holds the new bytes before the first old one is overwritten. */
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

/** Waits for a running step. @returns the rewrites of an interrupted step */
export const unfinishedRewrites = async (disk: Disk): Promise<readonly Rewrite[]> =>
  (await whileLocked(disk, 'shared', contentOf)) ?? []

/** Runs `work` while no process runs or begins a step. */
export async function withoutRewrites<T>(disk: Disk, work: () => Promise<T>): Promise<T> {
  let done: { readonly result: T } | undefined
  await whileLocked(disk, 'shared', async () => (done = { result: await work() }))
  // There is no journal.
  return done ? done.result : work()
}

async function finish(disk: Disk, journal: DiskFile): Promise<void> {
  const rewrites = await contentOf(journal)
  await apply(disk, rewrites)
  if ((await journal.size()) > 0) await clear(journal)
}

async function apply(disk: Disk, rewrites: readonly Rewrite[]): Promise<void> {
  const names = await disk.list()
  for (const name of new Set(rewrites.map(rewrite => rewrite.name))) {
    // It may have been pruned since.
    if (!names.includes(name)) continue
    const rewriteFile = async (file: DiskFile): Promise<void> => {
      for (const { bytes, offset } of rewrites.filter(rewrite => rewrite.name === name))
        await writeAll(file, bytes, offset)
      await file.flush()
    }
    await withFile(disk, name, rewriteFile, 'write')
  }
}

async function clear(journal: DiskFile): Promise<void> {
  await journal.truncate(0)
  await journal.flush()
}
