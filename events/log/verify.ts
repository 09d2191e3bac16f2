// Proves that nothing in a log was changed, cut out or put in between, up to its head.
import { NO_HASH } from '../codec.js'
import { LogUnusable } from './log.js'
import type { HashedLog } from './received-records.js'
import type { StoredRecord } from './record.js'

/** A log whose records can be walked as they are stored. */
export interface ChainedLog extends HashedLog {
  records(from: number): AsyncIterable<readonly StoredRecord[]>
  /** What is wrong with the parts of a record, as a clause; undefined for nothing. */
  brokenPart(record: StoredRecord): string | undefined
}

/** What the walk found. */
interface ChainReport {
  /** Index of the newest record that holds, after all before it. */
  readonly headIndex: number
  /** Hash of that record, hex. Compared with a hash pinned elsewhere, it also shows a log cut short at its end. */
  readonly headHash: string
  /** The first record that does not hold, and why; undefined when all do. */
  readonly broken?: { readonly index: number; readonly reason: string }
}

interface ChainListeners {
  /** Receives the index of the newest valid record after each page; the verification waits for it. */
  readonly onPage?: (headIndex: number) => Promise<void> | void
  /** Receives each valid record with its hash. */
  readonly onRecord?: (record: StoredRecord, hash: Buffer) => void
}

/** Why a record cannot follow the commit before it, as a clause; undefined when it can. */
const wrongPlace = (record: StoredRecord, before: number, hash: Uint8Array): string | undefined => {
  if (record.index !== before + 1) return `commit ${record.index} stands in its place`
  return record.before.equals(hash)
    ? undefined
    : `it does not name the hash of commit ${before}, so one of the two was changed`
}

/** Walks all durable records that are kept: each names the hash of the one before it, and each of its parts is what it commits to. */
export async function verifyChain(
  log: ChainedLog,
  { onPage, onRecord }: ChainListeners = {}
): Promise<ChainReport> {
  const { firstIndex } = log
  let headIndex = firstIndex - 1
  let hash: Uint8Array = firstIndex === 1 ? NO_HASH : Buffer.from(await log.hashAt(headIndex), 'hex')
  const report = (): ChainReport => ({ headIndex, headHash: Buffer.from(hash).toString('hex') })
  try {
    for await (const page of log.records(firstIndex)) {
      for (const record of page) {
        const reason = wrongPlace(record, headIndex, hash) ?? log.brokenPart(record)
        if (reason !== undefined) return { ...report(), broken: { index: headIndex + 1, reason } }
        const own = record.hash
        hash = own
        headIndex = record.index
        onRecord?.(record, own)
      }
      await onPage?.(headIndex)
    }
  } catch (error) {
    if (!(error instanceof LogUnusable)) throw error
    return { ...report(), broken: { index: headIndex + 1, reason: error.message } }
  }
  return report()
}
