// Records that the journal has and the store has not yet: in memory, in the order of their indexes, without gaps.
import type { NewRecord, StoredRecord } from './store.js'

const bytesOf = ({ record, secrets }: StoredRecord): number => record.length + (secrets?.length ?? 0)

export class PendingRecords {
  #records: NewRecord[] = []
  #bytes = 0

  /** Bytes of them all. */
  get bytes(): number {
    return this.#bytes
  }

  /** Index of the oldest; Infinity when there are none. */
  get first(): number {
    return this.#records[0]?.index ?? Infinity
  }

  /** Index of the newest; 0 when there are none. */
  get last(): number {
    return this.#records.at(-1)?.index ?? 0
  }

  get isEmpty(): boolean {
    return this.#records.length === 0
  }

  at(index: number): NewRecord | undefined {
    return this.#records[index - this.first]
  }

  /** Adds records that continue those here. */
  add(batch: readonly NewRecord[]): void {
    for (const record of batch) {
      this.#records.push(record)
      this.#bytes += bytesOf(record)
    }
  }

  /** The oldest ones: as many as fill `bytes`, at least one if there is one. */
  oldest(bytes: number): readonly NewRecord[] {
    const oldest: NewRecord[] = []
    let taken = 0
    for (const record of this.#records) {
      oldest.push(record)
      taken += bytesOf(record)
      if (taken >= bytes) break
    }
    return oldest
  }

  /** From one index to another, both included. */
  range(from: number, to: number): readonly NewRecord[] {
    const { first } = this
    return this.#records.slice(Math.max(from - first, 0), Math.max(to - first + 1, 0))
  }

  /** Forgets the records up to an index. */
  dropTo(index: number): void {
    const count = Math.min(index - this.first + 1, this.#records.length)
    if (count > 0) for (const record of this.#records.splice(0, count)) this.#bytes -= bytesOf(record)
  }

  /** Ascending indexes of the commits that hold an event with this hash. Looks at all of them. */
  *withHash(hash: number): Generator<number> {
    for (const { index, hashes } of this.#records) if (hashes.includes(hash)) yield index
  }
}
