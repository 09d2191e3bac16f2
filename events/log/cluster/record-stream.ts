// Records one behind the other, as they come over a connection.
import { LEAST_RECORD } from '../record-format.js'
import { StoredRecord } from '../record.js'

/** A page is handed on when it has so many bytes: as much as a group of the log. */
const PAGE_BYTES = 1024 * 1024

/**
 * Cuts bytes into records, some at a time. They are as they were sent: whoever takes them checks them.
 * @throws Error when the bytes are no records, or end within one
 */
export async function* recordPages(bytes: AsyncIterable<Buffer>): AsyncGenerator<readonly StoredRecord[]> {
  let chunks: Buffer[] = []
  let size = 0
  /** Bytes that are needed for one more record. */
  let needed = LEAST_RECORD
  for await (const chunk of bytes) {
    chunks.push(chunk)
    size += chunk.length
    if (size < Math.max(needed, PAGE_BYTES)) continue
    const joined = Buffer.concat(chunks)
    const { records, end } = recordsIn(joined)
    if (records.length > 0) yield records
    const rest = joined.subarray(end)
    needed = StoredRecord.lengthAt(rest, 0) ?? LEAST_RECORD
    chunks = [rest]
    size = rest.length
  }
  const joined = Buffer.concat(chunks)
  const { records, end } = recordsIn(joined)
  if (records.length > 0) yield records
  if (end < joined.length) throw new Error('it ends within a record')
}

/** The whole records at the beginning of bytes, and where the last of them ends. */
function recordsIn(bytes: Buffer): { readonly records: readonly StoredRecord[]; readonly end: number } {
  const records: StoredRecord[] = []
  let end = 0
  for (;;) {
    const length = StoredRecord.lengthAt(bytes, end)
    if (length === undefined || end + length > bytes.length) return { records, end }
    const record = StoredRecord.at(bytes.subarray(end))
    if (!record)
      throw new Error(`there is no record behind commit ${records.at(-1)?.index ?? 'that was asked for'}`)
    records.push(record)
    end += length
  }
}
