// Proofs about a log that need no replay.
import { LogUnusable } from '../../events/log/log.js'
import type { StoredRecord } from '../../events/log/record.js'
import type { SegmentEventLog } from '../../events/log/segments/log.js'
import { verifyChain } from '../../events/log/verify.js'
import { isLogRetained, LOG_TOPIC, type Retention } from '../../events/retention.js'
import { besideLog } from '../program/beside-log.js'
import type { Settings } from '../settings/settings.js'
import type { Console } from './console.js'
import { withProgress } from './progress.js'

/**
 * Proves something about an open log.
 * @returns the lines to print
 * @throws LogUnusable naming the commit and the reason when it does not hold
 */
export type Proof = (log: SegmentEventLog, settings: Settings, console: Console) => Promise<readonly string[]>

/** How the head of an event about the log itself begins. */
const LOG_EVENT = `"Topic":"${LOG_TOPIC}"`

/**
 * Every commit holds the hash of the one before it, and every part of it is what was written.
 * @returns the newest that tells of a base
 */
const proveChain = async (
  log: SegmentEventLog,
  { data_dir }: Settings,
  console: Console
): Promise<{ readonly lines: readonly string[]; readonly retained: number | undefined }> => {
  let retained: number | undefined
  const onRecord = (record: StoredRecord): void => {
    // Most are skipped without parsing JSON.
    if (!record.bytes.includes(LOG_EVENT)) return
    for (const { Topic } of record.heads()) if (Topic === LOG_TOPIC) retained = record.index
  }
  const progress = { task: 'verifying', total: log.durableIndex, unit: 'commits' }
  const { headIndex, headHash, broken } = await withProgress(console, progress, onProgress =>
    verifyChain(log, { onProgress, onRecord })
  )
  if (broken !== undefined) {
    const before =
      headIndex === 0 ? 'no commit before it' : `commits 1 to ${headIndex} hold, to hash ${headHash}`
    throw new LogUnusable(
      `the log in ${data_dir} is broken at commit ${broken.index}: ${broken.reason} (${before})`
    )
  }
  const lines = [
    `head index ${headIndex}`,
    `head hash ${headHash}`,
    'the chain holds: no commit was changed or cut out',
    ...(log.opensSecrets ? [] : ['secrets not opened: the log is encrypted, and no key is configured'])
  ]
  return { lines, retained }
}

/** The base of a log whose first commits were removed is the one that a commit names. */
const proveBase = async (log: SegmentEventLog, { Index, Base }: Retention): Promise<readonly string[]> => {
  const { bases } = besideLog(log)
  const { digest, repaired } = await bases.check(Index, { repair: false })
  if (digest !== Base) throw new LogUnusable(`${bases.pathOf(Index)} is not the base that the log tells of`)
  return [
    `the base holds: it stands for commits 1 to ${Index}, and the log begins with commit ${log.firstIndex}`,
    ...repaired.map(
      file => `${file} is damaged or missing: the next start makes it again from the other copy`
    )
  ]
}

const retentionIn = async (log: SegmentEventLog, index: number): Promise<Retention | undefined> => {
  for await (const { Events } of log.read(index)) return Events.findLast(isLogRetained)?.Payload.Retention
  return undefined
}

/** Verifies the hash chain and the base of a log, in one pass. */
export const proveLog: Proof = async (log, settings, console) => {
  const { lines, retained } = await proveChain(log, settings, console)
  const retention = retained === undefined ? undefined : await retentionIn(log, retained)
  if (retention) return [...lines, ...(await proveBase(log, retention))]
  if (log.firstIndex === 1) return lines
  throw new LogUnusable(`the log begins with commit ${log.firstIndex}, and no commit tells of a base`)
}
