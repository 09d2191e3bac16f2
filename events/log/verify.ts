// Proves that nothing in a log was changed, cut out or put in between, up to its head.
import { NO_HASH, previousHash, sha256 } from '../codec.js'
import { LogUnusable } from './log.js'
import type { StoredRecord } from './store.js'

/** A log whose records can be walked as they are stored. */
export interface ChainedLog {
  readonly durableIndex: number
  records(from: number): AsyncIterable<StoredRecord>
  /** @throws LogUnusable when the record cannot be read or its secrets are not those it proves */
  checkSecrets(stored: StoredRecord): void
}

/** What the walk found. */
export interface ChainReport {
  /** Index of the newest record that holds, after all before it. */
  readonly headIndex: number
  /** SHA-256 of that record, hex. Compared with a hash pinned elsewhere, it also shows a log cut short at its end. */
  readonly headHash: string
  /** The first record that does not hold, and why; undefined when all do. */
  readonly broken?: { readonly index: number; readonly reason: string }
}

const hex = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')

/** Walks all durable records. Takes about as long as reading them all. */
export async function verifyChain(log: ChainedLog): Promise<ChainReport> {
  let headIndex = 0
  let hash = NO_HASH
  try {
    for await (const stored of log.records(1)) {
      if (!Buffer.from(previousHash(stored.record)).equals(hash)) {
        const reason = `it does not name the hash of commit ${headIndex}, so one of the two was changed`
        return { headIndex, headHash: hex(hash), broken: { index: stored.index, reason } }
      }
      log.checkSecrets(stored)
      hash = sha256(stored.record)
      headIndex = stored.index
    }
  } catch (error) {
    if (!(error instanceof LogUnusable)) throw error
    return {
      headIndex,
      headHash: hex(hash),
      broken: { index: headIndex + 1, reason: error.message }
    }
  }
  return { headIndex, headHash: hex(hash) }
}
