import { createHash, type Hash } from 'node:crypto'
import { readAll, type DiskFile } from '../disk-port.js'
import {
  decodeBlock,
  decodeHeader,
  DIGEST_BYTES,
  HEADER_LIMIT,
  LENGTH_BYTES,
  DamagedSnapshot,
  type Block,
  type BlockSeal,
  type SnapshotHeader
} from './format.js'

/** Bytes read at a time; more for a larger block. */
const CHUNK = 1024 * 1024

/** A snapshot whose header was read. What its blocks say may only be trusted when the last one was taken. */
export class SnapshotReader {
  readonly header: SnapshotHeader
  readonly #hash: Hash
  #at: number
  /** Bytes from `#at` on that are read already. */
  #ahead = Buffer.alloc(0)
  #part = 0

  private constructor(
    private readonly file: DiskFile,
    private readonly size: number,
    start: { readonly bytes: Buffer; readonly header: SnapshotHeader },
    private readonly seal: BlockSeal
  ) {
    this.header = start.header
    this.#hash = createHash('sha256').update(start.bytes)
    this.#at = start.bytes.length
  }

  /** @throws DamagedSnapshot, and what the file system reports */
  static async begin(file: DiskFile, seal: BlockSeal): Promise<SnapshotReader> {
    const size = await file.size()
    const start = Buffer.alloc(Math.min(size, HEADER_LIMIT))
    await readAll(file, start, 0)
    const { header, length } = decodeHeader(start)
    return new SnapshotReader(file, size, { header, bytes: start.subarray(0, length) }, seal)
  }

  /** Yields the blocks and prefetches the next one. @throws DamagedSnapshot at the end if the file is not what was written */
  async *blocks(): AsyncGenerator<Block> {
    let next = this.#next()
    for (;;) {
      const block = await next
      if (!block) return
      next = this.#next()
      next.catch(() => {})
      yield block
    }
  }

  /** Verifies the file without decoding blocks. @returns the SHA-256 at its end, hex. @throws DamagedSnapshot if the file was altered */
  async check(): Promise<string> {
    for (;;) {
      const length = (await this.#take(LENGTH_BYTES)).readUInt32BE()
      if (length === 0) return this.#finish()
      await this.#take(length)
    }
  }

  close(): Promise<void> {
    return this.file.close()
  }

  async #next(): Promise<Block | undefined> {
    const length = (await this.#take(LENGTH_BYTES)).readUInt32BE()
    if (length === 0) {
      await this.#finish()
      return undefined
    }
    const bytes = await this.#take(length)
    const place = { index: this.header.Index, part: this.#part++ }
    try {
      return await decodeBlock(bytes, this.seal, place)
    } catch (error) {
      throw new DamagedSnapshot(`its block ${place.part} is damaged`, { cause: error })
    }
  }

  /** The next bytes, which the hash at the end has to prove as well. */
  async #take(length: number): Promise<Buffer> {
    const bytes = await this.#read(length)
    this.#hash.update(bytes)
    return bytes
  }

  async #finish(): Promise<string> {
    const digest = await this.#read(DIGEST_BYTES)
    if (this.#at !== this.size || !digest.equals(this.#hash.digest()))
      throw new DamagedSnapshot('it is not what was written')
    return digest.toString('hex')
  }

  async #read(length: number): Promise<Buffer> {
    if (this.#at + length > this.size) throw new DamagedSnapshot('it is cut short')
    if (this.#ahead.length < length) await this.#readAhead(length)
    const bytes = this.#ahead.subarray(0, length)
    this.#ahead = this.#ahead.subarray(length)
    this.#at += length
    return bytes
  }

  async #readAhead(least: number): Promise<void> {
    const rest = this.#ahead
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(least, CHUNK), this.size - this.#at))
    rest.copy(bytes)
    const free = bytes.subarray(rest.length)
    if ((await readAll(this.file, free, this.#at + rest.length)) < free.length)
      throw new DamagedSnapshot('it is cut short')
    this.#ahead = bytes
  }
}
