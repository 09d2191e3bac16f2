// Searches in a log for single commits.
import type { IdempotentResponse } from '../envelope.js'
import { orUndefined } from '../errors.js'
import type { StoredCommit } from '../stored.js'
import { parseTime } from '../time.js'
import { CommitsPruned, type LogReader, LogUnusable } from './log.js'

/** @throws LogDamage CommitsGone; LogUnusable if there is none */
async function recordAt(log: Pick<LogReader, 'records'>, index: number): Promise<StoredCommit> {
  for await (const [record] of log.records(index, { to: index })) if (record) return record
  throw new LogUnusable(`commit ${index} is missing`)
}

/** Returns the response that was stored with a durable commit; undefined for none. @throws LogDamage CommitsGone */
export const idempotentResponseAt = async (
  log: Pick<LogReader, 'records' | 'commitOf'>,
  index: number
): Promise<IdempotentResponse | undefined> => (await log.commitOf(await recordAt(log, index))).Answer

/** Returns the time of a durable commit, epoch ms. @throws LogDamage CommitsGone */
export const timeAt = async (log: Pick<LogReader, 'records'>, index: number): Promise<number> =>
  parseTime((await recordAt(log, index)).time) ?? 0

/**
 * Returns the index of the first stored durable commit that is not older than a time; `durableIndex + 1` when all are. Costs some
 * reads of single commits, however many there are, since times never go back from one commit to the next.
 * @param time epoch ms
 * @param from an index that is known not to come after the result
 * @throws LogDamage
 */
export async function indexAt(
  log: Pick<LogReader, 'firstIndex' | 'durableIndex' | 'records'>,
  time: number,
  from = 0
): Promise<number> {
  let low = Math.max(from, log.firstIndex)
  let high = log.durableIndex + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await orUndefined(timeAt(log, middle), error => error instanceof CommitsPruned)
    // It was pruned in the meantime.
    if (found === undefined) low = log.firstIndex
    else if (found < time) low = middle + 1
    else high = middle
  }
  return low
}
