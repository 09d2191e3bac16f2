// The small files beside the segments: the identity of the log, and which commits are durable.
import { crc32 } from 'node:zlib'
import { parseObject } from '../../values.js'
import { type Disk, readFile, replaceFile, writeAll, type DiskFile } from '../disk-port.js'
import type { Head } from '../store.js'
import { setTimeout as pause } from 'node:timers/promises'
import { type SegmentName, LOG_FORMAT, type LogIdentity } from './format.js'
import { randomBytes } from 'node:crypto'
import { LogUnusable } from '../log.js'
import { newDataKey, SecretsVault, unwrapKey, wrapKey } from '../secrets.js'

// The head file: the newest commit as of a second ago, which proves that the log had it.

/** One line of JSON: the fields, and `Check`, the CRC-32 of the JSON of the fields. */
export const encodeChecked = (fields: object): Buffer =>
  Buffer.from(`${JSON.stringify({ ...fields, Check: crc32(JSON.stringify(fields)) })}\n`)

/** The fields of such a file; undefined when its checksum does not hold or it is something else. */
export function decodeChecked(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  const { Check, ...fields } = parseObject(bytes.toString()) ?? {}
  return Check === crc32(JSON.stringify(fields)) ? fields : undefined
}

export const HEAD_FILE = 'head'

/** What the head file tells. */
export interface HeadMark {
  readonly index: number
  readonly hash: Buffer
  readonly id: string
  /** True after an orderly shutdown: no commit may follow this one. */
  readonly clean: boolean
}

/** Puts a new head file in place of the old one; durable when it resolves. */
export const writeHead = (disk: Disk, { index, hash }: Head, id: string, clean: boolean): Promise<void> =>
  replaceFile(
    disk,
    HEAD_FILE,
    encodeChecked({ Index: index, Hash: Buffer.from(hash).toString('hex'), Log: id, Clean: clean })
  )

/** The head file of a folder; undefined when there is none, `damaged` when it is not what was written. */
export async function readHead(disk: Disk): Promise<HeadMark | 'damaged' | undefined> {
  const bytes = await readFile(disk, HEAD_FILE)
  if (!bytes) return undefined
  const { Index, Hash, Log, Clean } = decodeChecked(bytes) ?? {}
  if (typeof Index !== 'number' || typeof Hash !== 'string' || typeof Log !== 'string') return 'damaged'
  return { index: Index, hash: Buffer.from(Hash, 'hex'), id: Log, clean: Clean === true }
}

// The durable index as other processes see it: a few bytes that the writer puts in a file after each flush. They need no flush: after the
// machine failed they may be old or gone, and are believed only as far as they go.

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

// The identity of a log, and its data keys.

export const META_FILE = 'meta.json'
/** What a log of 0.1 kept in its folder. */
const OLD_FILES: readonly string[] = ['data.mdb', 'journal']

export const newIdentity = (): LogIdentity => ({ id: randomBytes(16).toString('hex'), incarnation: 1 })

/** @param format of its newest segment */
export const writeMeta = (disk: Disk, { id, incarnation }: LogIdentity, format = LOG_FORMAT): Promise<void> =>
  replaceFile(disk, META_FILE, encodeChecked({ Format: format, Log: id, Incarnation: incarnation }))

/** Reads meta.json: undefined if missing, `damaged` if altered. @throws LogUnusable for another format or a log of the old form */
export async function readMeta(
  disk: Disk,
  names: readonly string[]
): Promise<LogIdentity | 'damaged' | undefined> {
  if (OLD_FILES.some(name => names.includes(name)))
    throw new LogUnusable(
      `the log in ${disk.path} was written by version 0.1: start that version on it, save GET /v1/snapshot, and PUT the file to /v1/snapshot of this version with a new data folder`
    )
  const bytes = await readFile(disk, META_FILE)
  if (!bytes) return undefined
  const { Format, Log, Incarnation } = decodeChecked(bytes) ?? {}
  if (typeof Format !== 'number' || typeof Log !== 'string' || typeof Incarnation !== 'number')
    return 'damaged'
  if (Format > LOG_FORMAT)
    throw new LogUnusable(
      `the log in ${disk.path} is in format ${Format}, written by a newer version; this version reads up to ${LOG_FORMAT}`
    )
  return { id: Log, incarnation: Incarnation }
}

export const KEYS_FILE = 'keys'

/** Opens the vault. Creates a missing data key if a key is configured. @throws LogUnusable for a missing or wrong key or a damaged file */
export async function openVault(
  disk: Disk,
  key: Buffer | undefined,
  { readOnly }: { readonly readOnly: boolean }
): Promise<SecretsVault> {
  const bytes = await readFile(disk, KEYS_FILE)
  if (bytes) return new SecretsVault(unwrapAll(disk, bytes, key))
  if (key === undefined) return new SecretsVault()
  const { number, dataKey } = newDataKey()
  const wrapped = wrapKey(key, number, dataKey)
  if (readOnly) return new SecretsVault()
  await writeKeys(disk, new Map([[number, wrapped]]))
  return new SecretsVault(new Map([[number, dataKey]]))
}

const writeKeys = (disk: Disk, wrapped: ReadonlyMap<number, Buffer>): Promise<void> =>
  replaceFile(
    disk,
    KEYS_FILE,
    encodeChecked({
      Keys: [...wrapped].map(([Number, Wrapped]) => ({ Number, Wrapped: Wrapped.toString('base64') }))
    })
  )

function unwrapAll(disk: Disk, bytes: Buffer, key: Buffer | undefined): ReadonlyMap<number, Buffer> {
  const list = decodeChecked(bytes)?.['Keys']
  if (!Array.isArray(list))
    throw new LogUnusable(
      `${disk.path}/${KEYS_FILE} is damaged: put the file back from a backup; without it the secrets of the log cannot be read`
    )
  if (key === undefined)
    throw new LogUnusable('the secrets in this log are encrypted; configure the key it was written with')
  const wrapped: readonly { readonly Number: number; readonly Wrapped: string }[] = list
  return new Map(
    wrapped.map(({ Number, Wrapped }) => [Number, unwrapKey(key, Buffer.from(Wrapped, 'base64'))])
  )
}
