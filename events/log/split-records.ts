import { StoredRecord } from './record.js'

/**
 * The whole records at the beginning of bytes, and where the last of them ends: what follows is none, or not all of one.
 * @param isChecked whether their checksums need not be looked at
 */
export function splitRecords(
  bytes: Buffer,
  isChecked = false
): {
  readonly records: readonly StoredRecord[]
  readonly end: number
} {
  const records: StoredRecord[] = []
  let end = 0
  while (end < bytes.length) {
    const record = StoredRecord.at(bytes, end, isChecked)
    if (!record) break
    records.push(record)
    end += record.bytes.length
  }
  return { records, end }
}
