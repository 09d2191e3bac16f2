// The durable index as other processes see it: a few bytes that the writer puts in a file after each flush. They need no flush: after the
// machine failed they may be old or gone, and are believed only as far as they go.
import { setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { type Disk, readFile, writeAll, type DiskFile } from './disk-port.js'
import type { SegmentName } from './segments/format.js'

export const DURABLE_INDEX_FILE = 'durable'
const MAGIC = 0x414e4455
const ID_BYTES = 16
const FIRST_AT = 16
const GENERATION_AT = 24
const ID_AT = 32
const BYTES = ID_AT + ID_BYTES

/** Before a write, in ms: readers see a commit within 5 ms of its flush, and one write tells of several flushes. */
const APART = 2

/** What the writer tells after a flush. */
export interface DurableIndexMark {
  /** Index of the newest flushed commit. */
  readonly durable: number
  /** The segment that is being written. */
  readonly active: SegmentName
  readonly id: string
}

/** The writer's side. What is published before the next write goes out with it: only the newest counts. */
export class DurableIndexPublisher {
  readonly #bytes = Buffer.alloc(BYTES)
  #file: DiskFile | undefined
  #next: DurableIndexMark | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined

  constructor(private readonly disk: Disk) {}

  /** Never fails: readers then learn of it by a later one, or of all of it when the writer ends. */
  publish(published: DurableIndexMark): void {
    this.#next = published
    this.#timer ??= setTimeout(() => this.#begin(), APART)
  }

  async close(): Promise<void> {
    await this.#writing
    clearTimeout(this.#timer)
    await this.#write()
    await this.#file?.close()
    this.#file = undefined
  }

  /** Recreates a removed file. */
  async renew(): Promise<void> {
    if (!this.#file || this.#writing || (await this.#file.isNamed(DURABLE_INDEX_FILE))) return
    const lost = this.#file
    this.#file = undefined
    await lost.close()
  }

  #begin(): void {
    this.#timer = undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      if (this.#next) this.publish(this.#next)
    })
  }

  async #write(): Promise<void> {
    if (!this.#next) return
    const { durable, active, id } = this.#next
    this.#next = undefined
    const bytes = this.#bytes
    bytes.writeUInt32BE(MAGIC, 4)
    bytes.writeBigUInt64BE(BigInt(durable), 8)
    bytes.writeBigUInt64BE(BigInt(active.first), FIRST_AT)
    bytes.writeUInt32BE(active.generation, GENERATION_AT)
    bytes.write(id, ID_AT, ID_BYTES, 'hex')
    bytes.writeUInt32BE(crc32(bytes.subarray(4)), 0)
    try {
      this.#file ??= await this.disk.open(DURABLE_INDEX_FILE, 'write')
      await writeAll(this.#file, bytes, 0)
    } catch {
      // A file that cannot be written keeps its old content, which is true.
    }
  }
}

/** A writer overwrites the file in place: so often a reader reads it again before it counts as damaged. */
const READINGS = 5

/** Whether the file is there, and does not hold what a writer published. */
export async function isPublishedDamaged(disk: Disk): Promise<boolean> {
  for (let reading = 0; reading < READINGS; reading++) {
    if ((await readDurableIndex(disk)) || (await readFile(disk, DURABLE_INDEX_FILE)) === undefined)
      return false
    await pause(APART)
  }
  return true
}

/** What a writer has published last; undefined when there is nothing, or not whole. */
export async function readDurableIndex(disk: Disk): Promise<DurableIndexMark | undefined> {
  const bytes = await readFile(disk, DURABLE_INDEX_FILE)
  if (!bytes || bytes.length < BYTES || bytes.readUInt32BE(4) !== MAGIC) return undefined
  if (crc32(bytes.subarray(4, BYTES)) !== bytes.readUInt32BE(0)) return undefined
  return {
    durable: Number(bytes.readBigUInt64BE(8)),
    active: { first: Number(bytes.readBigUInt64BE(FIRST_AT)), generation: bytes.readUInt32BE(GENERATION_AT) },
    id: bytes.toString('hex', ID_AT, ID_AT + ID_BYTES)
  }
}

/** Calls `changed` when a writer may have published more. Returns how to stop. @throws ENOENT when none ever has */
export const watchDurableIndex = (disk: Disk, changed: () => void): (() => void) =>
  disk.watch(DURABLE_INDEX_FILE, changed)
