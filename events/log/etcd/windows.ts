import { SharedMismatch } from '../cluster/shared-log.js'
import { GROUP_HEADER_RESERVE } from '../record-format.js'
import type { RecordGroup } from '../record-group.js'
import type { StoredRecord } from '../record.js'
import { splitRecords } from '../split-records.js'
import type { EtcdClient } from './client.js'
import type { Keys } from './keys.js'
import { type KeyValue, RANGE } from './messages.js'

/** Bytes of one value. etcd takes requests of 1.5 MiB. */
export const MOST_BYTES = 1.25 * 1024 * 1024

/** In front of the records of a window. */
const WHOLE = 1
/** In front of what stands for a window whose records are in pieces: the try that they are of, and how many they are. */
const IN_PIECES = 2
/** Of a try, as `newNonce` makes it. */
const ATTEMPT_BYTES = 16

/** The value of a window whose records are in it. */
export const wholeWindow = (records: Uint8Array): Buffer => Buffer.concat([Buffer.of(WHOLE), records])

/** The value of a window whose records are in pieces. */
export function windowInPieces(attempt: string, pieces: number): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(pieces)
  return Buffer.concat([Buffer.of(IN_PIECES), Buffer.from(attempt, 'hex'), count])
}

/** The records of a group, one behind the other; they belong to the group. */
export const recordBytes = (group: RecordGroup): Buffer => group.bytes().subarray(GROUP_HEADER_RESERVE)

/** Bytes in portions that fit a value each. */
export function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += MOST_BYTES) yield bytes.subarray(at, at + MOST_BYTES)
}

/** What the value of a window says: its records, or where they are. @throws SharedMismatch */
function readWindow(
  value: Buffer
): { readonly records: Buffer } | { readonly attempt: string; readonly pieces: number } {
  if (value[0] === WHOLE) return { records: value.subarray(1) }
  const countAt = 1 + ATTEMPT_BYTES
  if (value[0] !== IN_PIECES || value.length !== countAt + 4)
    throw new SharedMismatch('etcd holds a window that this version cannot read')
  return { attempt: value.toString('hex', 1, countAt), pieces: value.readUInt32BE(countAt) }
}

const DESCENDING = 2
/** Pieces that are asked for at once. */
const PIECES = 4
/** Windows of the first page; of those after it as many as make such a page. */
const FIRST_PAGE = 16
const MOST_OF_PAGE = 1024
const PAGE_BYTES = 4 * 1024 * 1024

/** A window: where it is in the log, and its records. */
export interface Window {
  readonly first: number
  readonly records: readonly StoredRecord[]
}

export class Windows {
  constructor(
    private readonly client: EtcdClient,
    private readonly keys: Keys
  ) {}

  /** Yields the windows from the one with an index, or the oldest, on. @returns their common revision. @throws EtcdFailure SharedMismatch */
  async *from(index: number): AsyncGenerator<Window, number> {
    const { log } = this.keys
    let key = (await this.holding(index))?.key ?? log.key
    let limit = FIRST_PAGE
    let revision = 0
    for (;;) {
      const request = { key, rangeEnd: log.rangeEnd, limit, revision }
      const { header, kvs = [], more } = await this.client.ask(RANGE, request)
      // Those after it are of the same moment.
      revision ||= header?.revision ?? 0
      let bytes = 0
      for (const window of kvs) {
        bytes += window.value?.length ?? 0
        yield await this.read(window)
      }
      const last = kvs.at(-1)?.key
      if (!more || !last) return revision
      key = Buffer.concat([last, Buffer.of(0)])
      if (bytes < PAGE_BYTES / 2) limit = Math.min(2 * limit, MOST_OF_PAGE)
      else if (bytes > PAGE_BYTES) limit = Math.max(1, limit >> 1)
    }
  }

  /** The window that holds an index, without its records: the last one that begins at or before it. */
  async holding(index: number): Promise<{ readonly key: Uint8Array; readonly first: number } | undefined> {
    const { log } = this.keys
    const { kvs } = await this.client.ask(RANGE, {
      key: log.key,
      rangeEnd: log.numbered(index + 1),
      limit: 1,
      sortOrder: DESCENDING,
      keysOnly: true
    })
    const key = kvs?.[0]?.key
    return key && { key, first: log.numberOf(key) }
  }

  /** @throws EtcdFailure; SharedMismatch when it is not what was written */
  async read({ key = EMPTY, value = EMPTY }: KeyValue): Promise<Window> {
    const first = this.keys.log.numberOf(key)
    const window = readWindow(Buffer.from(value.buffer, value.byteOffset, value.length))
    const bytes =
      'records' in window ? window.records : await this.#pieces(first, window.attempt, window.pieces)
    const { records, end } = splitRecords(bytes)
    if (end < bytes.length) throw new SharedMismatch('etcd holds a record that is damaged')
    if (records[0]?.index !== first)
      throw new SharedMismatch(`etcd holds commit ${records[0]?.index} where ${first} is to be`)
    return { first, records }
  }

  async #pieces(first: number, attempt: string, count: number): Promise<Buffer> {
    const { key, rangeEnd, prefix } = this.keys.partsOf(first, attempt)
    const pieces: Uint8Array[] = []
    for (let from = key; pieces.length < count;) {
      const limit = Math.min(PIECES, count - pieces.length)
      const { kvs = [] } = await this.client.ask(RANGE, { key: from, rangeEnd, limit })
      if (kvs.length === 0) throw new WindowCompacted(`etcd lacks pieces of ${prefix}`)
      for (const { value = EMPTY } of kvs) pieces.push(value)
      from = Buffer.concat([kvs.at(-1)?.key ?? EMPTY, Buffer.of(0)])
    }
    return Buffer.concat(pieces)
  }
}

/** A window was compacted between two reads. */
export class WindowCompacted extends Error {
  override readonly name = 'PiecesGone'
}

const EMPTY = Buffer.alloc(0)
