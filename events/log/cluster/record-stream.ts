import { MIN_RECORD_BYTES } from '../record-format.js'
import { StoredRecord } from '../record.js'
import { splitRecords } from '../split-records.js'

/** Bytes of a page, as many as in a group of the log. */
const PAGE_BYTES = 1024 * 1024

/** Splits bytes into pages of unverified records. @throws Error if the bytes are no records, or end within one */
export async function* recordPages(bytes: AsyncIterable<Buffer>): AsyncGenerator<readonly StoredRecord[]> {
  let chunks: Buffer[] = []
  let size = 0
  let needed = MIN_RECORD_BYTES
  for await (const chunk of bytes) {
    chunks.push(chunk)
    size += chunk.length
    if (size < Math.max(needed, PAGE_BYTES)) continue
    const joined = Buffer.concat(chunks)
    const { records, end } = splitRecords(joined)
    if (records.length > 0) yield records
    const rest = joined.subarray(end)
    needed = lengthOfNext(rest, records)
    chunks = [rest]
    size = rest.length
  }
  const joined = Buffer.concat(chunks)
  const { records, end } = splitRecords(joined)
  if (records.length > 0) yield records
  lengthOfNext(joined.subarray(end), records)
  if (end < joined.length) throw new Error('it ends within a record')
}

/** How many bytes the record takes of which bytes are the beginning. @throws Error when they hold all of it, and it is none */
function lengthOfNext(bytes: Buffer, before: readonly StoredRecord[]): number {
  const length = StoredRecord.lengthAt(bytes, 0) ?? MIN_RECORD_BYTES
  if (length <= bytes.length)
    throw new Error(`there is no record behind commit ${before.at(-1)?.index ?? 'that was asked for'}`)
  return length
}
