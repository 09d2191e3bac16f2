import type { Commit } from '../envelope.js'
import { HistoryEntries, type Identified } from './history.js'
import { RecordBuffer } from './record-buffer.js'
import type { StoredRecord } from './record.js'
import { GROUP_HEADER_RESERVE, HASH, RECORD_VERSION, type RecordVersion } from './record-format.js'
import type { SecretsVault } from './secrets.js'

const SIZE = 128 * 1024
/** A larger buffer is not kept for the next group. */
const MOST_KEPT = 2 * 1024 * 1024

/** Hashes for which there is room at first. */
const HASHES = 64

/** Byte in its group of each of the records that a group begins with. */
export function startsOf(records: readonly { readonly bytes: Uint8Array }[]): readonly number[] {
  let start = GROUP_HEADER_RESERVE
  return records.map(({ bytes }) => (start += bytes.length) - bytes.length)
}

interface RecordSummary extends Pick<Commit, 'By'> {
  readonly Events: Iterable<Identified>
}

/** Records of consecutive commits in one buffer. */
export class RecordGroup {
  readonly entries = new HistoryEntries()
  /** Byte of each of its records, the room before them included. */
  readonly starts: number[] = []
  /** Indexes of its first and its last commit. */
  first = 0
  last = 0
  count = 0
  /** Of its last record. Further ones are written in it. */
  version: RecordVersion = RECORD_VERSION
  /** Hash of its last record. */
  hash: Uint8Array = new Uint8Array(0)
  /** Bytes of the room and the records. */
  size = GROUP_HEADER_RESERVE
  /** Whether all its commits may be taken from the reserve (see `AppendOptions`). */
  frees = true
  #records = new RecordBuffer(GROUP_HEADER_RESERVE, SIZE)
  #hashes = Buffer.allocUnsafe(HASHES * HASH)

  /** Hashes of its records, one behind the other; as long as nothing is added. */
  get hashes(): Uint8Array {
    return this.#hashes.subarray(0, this.count * HASH)
  }

  /** The room and the records; with `length` bytes, those behind the records zero. */
  bytes(length = this.size): Buffer {
    const { end } = this.#records
    if (length > this.#records.bytes.length) this.#records.reserve(length)
    return this.#records.bytes.fill(0, end, length).subarray(0, length)
  }

  /** Adds consecutive commits, all or none. @param before previous record's hash. @returns the last hash. @throws errors of JSON encoding */
  add(commits: readonly Commit[], before: Uint8Array, vault: SecretsVault, frees: boolean): Uint8Array {
    const { count, last, size, frees: freesBefore } = this
    const { size: entries } = this.entries
    let hash = before
    try {
      for (const commit of commits) {
        this.begin(commit, hash)
        this.#records.addEvents(commit, 0, commit.Events.length, vault, this.entries)
        hash = this.finish(commit, vault, frees)
      }
    } catch (error) {
      this.#records.end = this.size = size
      this.count = this.starts.length = count
      this.last = last
      this.entries.cut(entries)
      this.frees = freesBefore
      throw error
    }
    for (const { By, Index } of commits) this.entries.origins.add(By, Index)
    return hash
  }

  /** Begins the next commit, which `addEvents` and `finish` complete. @param eventParts the number of parts of its events, if it is known */
  begin(commit: Commit, before: Uint8Array, eventParts?: number): void {
    this.starts.push(this.#records.end)
    this.#records.begin(commit, before, this.version, eventParts)
  }

  addEvents(commit: Commit, from: number, to: number, vault: SecretsVault): void {
    this.#records.addEvents(commit, from, to, vault, this.entries)
  }

  /** Returns the hash of the commit's record. */
  finish(commit: Commit, vault: SecretsVault, frees: boolean): Uint8Array {
    const hash = this.#records.finish(commit, vault)
    const at = this.count * HASH
    if (at === this.#hashes.length) this.#reserveHashes(at + HASH)
    this.#hashes.set(hash, at)
    if (this.count++ === 0) this.first = commit.Index
    this.last = commit.Index
    this.hash = hash
    this.size = this.#records.end
    this.frees &&= frees
    return hash
  }

  /** Adds the next record of the chain unchanged, with its erased parts. @param hash of the record. @param commit its author and the heads of its events */
  addRecord(record: StoredRecord, hash: Uint8Array, { By, Events }: RecordSummary): void {
    const { index } = record
    this.starts.push(this.#records.end)
    this.#records.copy(record.bytes)
    this.#reserveHashes((this.count + 1) * HASH)
    this.#hashes.set(hash, this.count * HASH)
    for (const event of Events) this.entries.add(event, index)
    this.entries.origins.add(By, index)
    if (this.count++ === 0) this.first = index
    this.last = index
    this.version = record.version
    this.hash = hash
    this.size = this.#records.end
    this.frees = false
  }

  #reserveHashes(size: number): void {
    if (size <= this.#hashes.length) return
    const grown = Buffer.allocUnsafe(Math.max(size, 2 * this.#hashes.length))
    this.#hashes.copy(grown)
    this.#hashes = grown
  }

  clear(): void {
    if (this.#records.bytes.length > MOST_KEPT) this.#records = new RecordBuffer(GROUP_HEADER_RESERVE, SIZE)
    this.#records.end = this.size = GROUP_HEADER_RESERVE
    this.count = 0
    this.starts.length = 0
    this.frees = true
    this.entries.cut()
  }
}
