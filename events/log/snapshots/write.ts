import { createHash } from 'node:crypto'
import { writeAll, type Disk } from '../disk-port.js'
import {
  encodeBlock,
  encodeHeader,
  LENGTH_BYTES,
  SNAPSHOT_FORMAT,
  type Block,
  type BlockSeal,
  type SnapshotBuilder,
  type SnapshotHeader,
  type SnapshotSource
} from './format.js'

const lengthOf = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes.length)
  return length
}

/** Yields the bytes of a snapshot file, which end with the hash of all before it. Takes each block after the previous one was taken. */
export async function* snapshotPieces(
  header: SnapshotHeader,
  blocks: Iterable<Block> | AsyncIterable<Block>,
  seal: Pick<BlockSeal, 'sealBlock'>
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes)
    return bytes
  }
  yield hashed(encodeHeader(header))
  let part = 0
  for await (const block of blocks) {
    const bytes = await encodeBlock(block, seal, { index: header.Index, part: part++ })
    yield hashed(lengthOf(bytes))
    yield hashed(bytes)
  }
  yield hashed(lengthOf(Buffer.alloc(0)))
  yield hash.digest()
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
  try {
    await writePieces(disk, temporary, snapshotPieces(header, blocks, log))
  } catch (error) {
    await disk.unlink(temporary).catch(() => {})
    throw error
  }
  await disk.rename(temporary, name)
  await disk.flushNames()
}

/** Writes a file; what it holds is durable when it resolves, and its name is not. */
export async function writePieces(
  disk: Disk,
  name: string,
  pieces: AsyncIterable<Uint8Array>
): Promise<void> {
  const file = await disk.open(name, 'write')
  try {
    await file.truncate(0)
    let at = 0
    for await (const piece of pieces) {
      await writeAll(file, piece, at)
      at += piece.length
    }
    await file.flush()
  } finally {
    await file.close()
  }
}
