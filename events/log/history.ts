// Which commits hold an event of a given thing: small sorted tables, one per 4,096 commits, instead of an index entry per
// event. An entry per event lands on a random page each time, which makes a commit several times dearer to flush.
import { decodeRecord } from '../codec.js'
import type { StoredRecord } from './store.js'

/** Commits per table; a power of two. */
export const SEGMENT = 4096
/** Bytes of a table for each event. */
export const ENTRY_BYTES = 8

/** FNV-1a over what identifies a thing; 32 bits, unsigned. Equal things are equal here; others rarely are. */
export function historyHash(topic: string, partition: string, namespace: string, key: string): number {
  return mix(mix(mix(mix(0x811c9dc5, topic), partition), namespace), key) >>> 0
}

function mix(hash: number, text: string): number {
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // A separator no code unit equals, so that moving a character from one part to the next changes the hash.
  return Math.imul(hash ^ 0x10000, 0x01000193)
}

/** The `historyHash` of each event of a stored record. @throws LogUnusable when it is damaged */
export const hashesOf = ({ record, index }: StoredRecord): readonly number[] =>
  decodeRecord(record, index).Events.map(e =>
    historyHash(e.Topic, e.Partition ?? 'default', e.Namespace, e.Key)
  )

/** The number of the table that a commit belongs to. */
export const segmentOf = (index: number): number => Math.floor((index - 1) / SEGMENT)

/** The table that is not yet full: it is kept in memory, and read from its commits again at a start. */
export class HistoryTail {
  #entries: number[] = []
  #segment = 0

  /** Its number: all tables before it are finished. */
  get segment(): number {
    return this.#segment
  }

  /** Number of events in it. */
  get size(): number {
    return this.#entries.length
  }

  /** Adds a commit. Returns the finished table when it was the last of its segment: sorted, 8 bytes per event. */
  add(index: number, hashes: readonly number[]): Buffer | undefined {
    const offset = (index - 1) % SEGMENT
    for (const hash of hashes) this.#entries.push(hash * SEGMENT + offset)
    if (offset !== SEGMENT - 1) return undefined
    const table = Float64Array.from(this.#entries).toSorted()
    this.clear(this.#segment + 1)
    return Buffer.from(table.buffer)
  }

  /** Begins the table of a segment anew. */
  clear(segment: number): void {
    this.#entries = []
    this.#segment = segment
  }

  /** As `findInTable`, for the unfinished table. Looks at all its entries. */
  find(hash: number): number[] {
    const found: number[] = []
    for (const entry of this.#entries)
      if (Math.floor(entry / SEGMENT) === hash) found.push(this.#segment * SEGMENT + 1 + (entry % SEGMENT))
    return distinct(found)
  }
}

/** Ascending indexes of the commits that a finished table names for a hash. Logarithmic in the size of the table. */
export function findInTable(table: Uint8Array, segment: number, hash: number): number[] {
  const entries = new Float64Array(Uint8Array.from(table).buffer)
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle] ?? Infinity) < hash * SEGMENT) low = middle + 1
    else high = middle
  }
  const found: number[] = []
  for (let entry = entries[low]; entry !== undefined && entry < (hash + 1) * SEGMENT; entry = entries[++low])
    found.push(segment * SEGMENT + 1 + (entry % SEGMENT))
  return distinct(found)
}

const distinct = (ascending: number[]): number[] => ascending.filter((index, i) => index !== ascending[i - 1])
