// Records for readers outside the cluster: their secrets are erased, and all hashes hold.
import type { StoredCommit } from '../../stored.js'
import { ERASED_BYTE } from '../record-format.js'
import { StoredRecord } from '../record.js'

/** Returns the bytes of a record without secrets and stored responses, as if these were erased. */
export const withoutSecrets = (commit: StoredCommit): Buffer => {
  const bytes = Buffer.from(commit.bytes)
  for (const [start, end] of StoredRecord.at(bytes, 0, true)?.secrets() ?? [])
    bytes.fill(ERASED_BYTE, start, end)
  return bytes
}
