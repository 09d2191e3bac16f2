import { createHash } from 'node:crypto'
import { writeAll, type Disk, type DiskFile } from '../disk-port.js'
import {
  encodeBlock,
  encodeHeader,
  LENGTH_BYTES,
  SNAPSHOT_FORMAT,
  type Block,
  type SnapshotBuilder,
  type SnapshotSource
} from './format.js'

/** Bytes that are written one after another and hashed on the way. */
class HashedFile {
  readonly #hash = createHash('sha256')
  #size = 0

  constructor(private readonly file: DiskFile) {}

  async append(bytes: Buffer): Promise<void> {
    this.#hash.update(bytes)
    await writeAll(this.file, bytes, this.#size)
    this.#size += bytes.length
  }

  /** Ends the file with the hash of all of it. */
  async finish(): Promise<void> {
    await writeAll(this.file, this.#hash.digest(), this.#size)
    await this.file.flush()
  }
}

const lengthOf = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes.length)
  return length
}

/** Writes a snapshot under a temporary name, then renames it; durable when it resolves. Takes each block after writing the previous one. */
export const writeSnapshotFile = async (
  disk: Disk,
  name: string,
  content: {
    readonly index: number
    readonly blocks: Iterable<Block>
    readonly log: SnapshotSource
    readonly builder: SnapshotBuilder
  }
): Promise<void> => {
  const { index, blocks, log, builder } = content
  const { program: Program, form: Form } = builder
  await disk.make()
  const header = { Format: SNAPSHOT_FORMAT, Form, Program, Index: index, Hash: await log.hashAt(index) }
  const temporary = `${name}.${process.pid}.new`
  const file = await disk.open(temporary, 'write')
  try {
    await file.truncate(0)
    const out = new HashedFile(file)
    await out.append(encodeHeader(header))
    let part = 0
    for (const block of blocks) {
      const bytes = await encodeBlock(block, log, { index, part: part++ })
      await out.append(lengthOf(bytes))
      await out.append(bytes)
    }
    await out.append(lengthOf(Buffer.alloc(0)))
    await out.finish()
  } catch (error) {
    await disk.unlink(temporary).catch(() => {})
    throw error
  } finally {
    await file.close()
  }
  await disk.rename(temporary, name)
  await disk.flushNames()
}
