// The segments of published payloads: consecutive records of the server without secrets, each verified against the tree.
import type { CommitErasure, Erasure } from '../../events/erasure.js'
import type { StoredRecord } from '../../events/log/record.js'
import type { MerkleTree } from '../../events/log/tree/tree.js'
import type { PayloadCipher } from './payload-cipher.js'
import {
  payloadFile,
  payloadPath,
  readPayloadFile,
  segmentPlace,
  type PayloadFile
} from './payload-manifest.js'
import type { PublicBase } from './published-base.js'
import { partsOfOrders, withoutParts } from './published-erasures.js'
import type { PublicationTarget } from './published-folder.js'
import { recordsIn, verifiedRecords } from './verified-records.js'

/** A segment ends with so many commits or bytes. */
const SEGMENT_COMMITS = 1024
const SEGMENT_BYTES = 4 * 1024 * 1024
/** Segments at the end that are not full. More are merged. */
const MAX_OPEN = 16

/** An ordered erasure of the server. */
interface ErasureOrder {
  readonly index: number
  readonly erasure: Erasure
  readonly isDone: boolean
}

/** What a server has of its log. */
interface RetainedLog {
  /** Index of the oldest commit that is not pruned. */
  readonly oldest: number
  /** Undefined if no commits were pruned, or if there is none of a later commit than `after`. */
  readonly base: PublicBase | undefined
}

interface BaseRange {
  readonly after: number
  /** The newest commit that a checkpoint covers. */
  readonly upTo: number
}

export interface RecordSource {
  /** Returns the bytes of consecutive records from an index on, at least one, without secrets. */
  readonly records: (from: number) => Promise<Buffer>
  /** Returns the base snapshot of pruned commits. @throws SourceUnavailable if it is of a later commit than `upTo` */
  readonly base: (range: BaseRange) => Promise<RetainedLog>
  /** Ordered erasures, oldest first. */
  readonly erasures: () => Promise<readonly ErasureOrder[]>
}

interface SegmentOptions {
  readonly source: Pick<RecordSource, 'records'>
  readonly target: PublicationTarget
  readonly cipher: PayloadCipher
}

export const isFull = ({ count, bytes }: PayloadFile): boolean =>
  count >= SEGMENT_COMMITS || bytes >= SEGMENT_BYTES

export class PayloadSegments {
  constructor(private readonly options: SegmentOptions) {}

  /** Returns the segments without the commits before one, which the server has pruned. */
  async prune(segments: readonly PayloadFile[], oldest: number): Promise<readonly PayloadFile[]> {
    const [first, ...later] = segments.filter(({ last }) => last >= oldest)
    if (!first || first.last - first.count + 1 >= oldest) return first ? [first, ...later] : []
    const records = (await this.#read(first)).filter(({ index }) => index >= oldest)
    const content = Buffer.concat(records.map(({ bytes }) => bytes))
    return [await this.#put(content, { last: first.last, count: records.length }), ...later]
  }

  /** Returns the segments, of which those with parts that an order erases are replaced. */
  async obey(segments: readonly PayloadFile[], orders: readonly Erasure[]): Promise<readonly PayloadFile[]> {
    const erased = await partsOfOrders(orders, { firstIndex: 1, records: () => this.#recordsIn(segments) })
    const obeying: PayloadFile[] = []
    for (const segment of segments)
      obeying.push(erased.size > 0 ? await this.#erase(segment, erased) : segment)
    return obeying
  }

  async *#recordsIn(segments: readonly PayloadFile[]): AsyncGenerator<readonly StoredRecord[]> {
    for (const segment of segments) yield await this.#read(segment)
  }

  async #read(segment: PayloadFile): Promise<readonly StoredRecord[]> {
    const { target, cipher } = this.options
    const content = cipher.decrypt(await readPayloadFile(target, segment), segmentPlace(segment))
    return recordsIn(content, `the payloads in ${target.place}`)
  }

  async #erase(segment: PayloadFile, erased: ReadonlyMap<number, CommitErasure>): Promise<PayloadFile> {
    const records = await this.#read(segment)
    const parts: Buffer[] = []
    for (const record of records) parts.push(await withoutParts(record, erased.get(record.index)))
    const isSame = records.every(({ bytes }, at) => bytes === parts[at])
    return isSame ? segment : this.#put(Buffer.concat(parts), segment)
  }

  /** Appends the commits up to an index. Many segments that are not full become one. */
  async extend(
    segments: readonly PayloadFile[],
    { from: oldest, to }: { readonly from: number; readonly to: number },
    tree: MerkleTree
  ): Promise<readonly PayloadFile[]> {
    const newest = segments.at(-1)?.last ?? 0
    if (to <= newest) return segments
    const before = (segments[0]?.last ?? oldest) - (segments[0]?.count ?? 1)
    const full = segments.findLastIndex(isFull) + 1
    const isMerging = segments.length - full >= MAX_OPEN
    const extended = segments.slice(0, isMerging ? full : undefined)
    let from = (extended.at(-1)?.last ?? before) + 1
    let pending: StoredRecord[] = []
    let bytes = 0
    const flush = async (): Promise<void> => {
      const last = from + pending.length - 1
      const content = Buffer.concat(pending.map(record => record.bytes))
      if (pending.length > 0) extended.push(await this.#put(content, { last, count: pending.length }))
      from = last + 1
      pending = []
      bytes = 0
    }
    for (let next = from; next <= to;) {
      const page = await this.#page(next, to, tree)
      for (const record of page) {
        pending.push(record)
        bytes += record.bytes.length
        if (pending.length >= SEGMENT_COMMITS || bytes >= SEGMENT_BYTES) await flush()
      }
      next += page.length
    }
    await flush()
    return extended
  }

  async #page(from: number, to: number, tree: MerkleTree): Promise<readonly StoredRecord[]> {
    const all = recordsIn(
      await this.options.source.records(from),
      `the records of the server from ${from} on`
    )
    return verifiedRecords(all.slice(0, to - from + 1), from, tree)
  }

  async #put(content: Buffer, { last, count }: Pick<PayloadFile, 'last' | 'count'>): Promise<PayloadFile> {
    const bytes = this.options.cipher.encrypt(content, segmentPlace({ last, count }))
    const file = payloadFile(bytes, last, count)
    await this.options.target.put(payloadPath(file), bytes)
    return file
  }
}
