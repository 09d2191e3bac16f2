// Records that come from another log, held against the one that takes them: what is no continuation of it never gets in.
import type { Commit } from '../envelope.js'
import { LogUnusable } from './log.js'
import type { StoredRecord } from './record.js'
import type { SecretsVault } from './secrets.js'
import type { Head } from './store.js'

/** A record that was received is damaged, or does not continue this log: nothing of what came with it was taken. */
export class RecordRefused extends LogUnusable {
  override readonly name = 'RecordRefused'

  constructor(
    /** Of the commit. */
    readonly index: number,
    reason: string
  ) {
    super(`commit ${index} cannot follow what this log holds: ${reason}`)
  }
}

interface ReceivedCommit {
  readonly record: StoredRecord
  readonly hash: Uint8Array
  readonly commit: Commit
}

/** Verifies that records continue a log with this head, and opens them. @throws RecordRefused; LogUnusable for an undecryptable secret */
export function verifyReceivedRecords(
  records: readonly StoredRecord[],
  head: Head,
  vault: SecretsVault
): readonly ReceivedCommit[] {
  let { index, hash } = head
  return records.map(record => {
    const fault = record.fault()
    if (fault !== undefined) throw new RecordRefused(record.index, fault)
    if (record.index !== ++index) throw new RecordRefused(record.index, `commit ${index} is the next`)
    if (!record.before.equals(hash))
      throw new RecordRefused(index, `it does not name the hash of commit ${index - 1} here`)
    hash = record.hash
    return { record, hash, commit: record.commit(vault) }
  })
}

/** What a log has, by the hashes of its records. */
export interface HashedLog {
  readonly durableIndex: number
  readonly firstIndex: number
  hashAt(index: number): Promise<string>
}

/** Counts the records that the log has. @throws RecordRefused if the last of them differs. Its hash covers the earlier ones */
export async function countKnownRecords(records: readonly StoredRecord[], log: HashedLog): Promise<number> {
  const known = records.filter(({ index }) => index <= log.durableIndex)
  const last = known.at(-1)
  if (last && last.index >= log.firstIndex && last.hash.toString('hex') !== (await log.hashAt(last.index)))
    throw new RecordRefused(last.index, 'another commit has this index here')
  return known.length
}
