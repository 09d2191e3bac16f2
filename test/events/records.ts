// Stored records for the tests of what keeps them, and a store in memory that can be told to fail or to wait.
import { commitText, encodeRecord, NO_HASH, sha256 } from '../../events/codec.js'
import { hashesOf, historyHash } from '../../events/log/history.js'
import type { NewRecord, RecordStore, StoredRecord } from '../../events/log/store.js'
import { commitOf } from './commits.js'

const keyOf = (index: number): string => `key-${index % 3}`

/** The hash of every third record: of those whose index leaves this rest. */
export const hashOfRest = (rest: number): number => historyHash('ACLToken', 'default', '', keyOf(rest))

/** Records of these indexes, each naming the hash of the one before. */
export function chained(
  first: number,
  count: number,
  previous: Uint8Array = NO_HASH,
  { size = 100, secrets = false, marker = '' } = {}
): NewRecord[] {
  const records: NewRecord[] = []
  let hash = previous
  for (let index = first; index < first + count; index++) {
    const record = encodeRecord(hash, commitText(commitOf(index, { key: keyOf(index), size, marker })))
    hash = sha256(record)
    records.push({
      index,
      record,
      secrets: secrets && index % 2 === 0 ? Buffer.from(`secret ${index}`) : undefined,
      hashes: hashesOf({ index, record })
    })
  }
  return records
}

export const hashOfLast = (records: readonly StoredRecord[]): Uint8Array => {
  const last = records.at(-1)
  return last ? sha256(last.record) : NO_HASH
}

/** What tests compare: indexes and bytes. */
export const plain = (records: readonly StoredRecord[]): unknown[] =>
  records.map(({ index, record, secrets }) => [
    index,
    Buffer.from(record).toString('latin1'),
    secrets && Buffer.from(secrets).toString('latin1')
  ])

export class FakeStore implements RecordStore {
  readonly records: NewRecord[] = []
  failure: Error | undefined
  /** What each write waits for. */
  gate: Promise<void> = Promise.resolve()

  headIndex(): number {
    return this.records.length
  }

  async write(batch: readonly NewRecord[]): Promise<void> {
    await this.gate
    if (this.failure) throw this.failure
    this.records.push(...batch)
  }

  peek(index: number): Uint8Array | undefined {
    return this.records[index - 1]?.record
  }

  peekSecrets(index: number): Uint8Array | undefined {
    return this.records[index - 1]?.secrets
  }

  page(from: number, to: number): readonly StoredRecord[] {
    return this.records.slice(from - 1, to)
  }

  async *candidates(hash: number): AsyncGenerator<number> {
    for (const { index, hashes } of this.records.slice()) if (hashes.includes(hash)) yield index
  }

  async reopen(head: number): Promise<void> {
    if (this.failure) throw this.failure
    this.records.length = head
  }

  async close(): Promise<void> {}
}
