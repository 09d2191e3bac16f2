// Which index a request means by `at`, or by a side of `diff`: that of a commit, or of a time.
import { invalid, Refusal } from '../../actors/refusal.js'
import type { EventLog } from '../../events/log/log.js'
import { justAfter, parseTime } from '../../events/time.js'
import { integer, isInteger, shown } from '../stream/parameter-values.js'

/** What bounds the indexes of which there are answers. */
export interface Bounds {
  readonly log: Pick<EventLog, 'indexAt' | 'durableIndex' | 'firstIndex'>
  /** The oldest one. */
  readonly oldest: number
  /** Epoch ms. */
  readonly now: number
}

/**
 * @param name of the parameter
 * @throws Refusal `invalid` for what is no index or time of this log, `gone` for what is older than what is kept
 */
export const indexMeant = async (text: string, name: string, bounds: Bounds): Promise<number> => {
  const { log, oldest } = bounds
  const index = isInteger(text) ? integer(text, name) : await indexOfTime(text, name, bounds)
  if (index > log.durableIndex)
    throw invalid(
      `Invalid ${name}: ${shown(text)} is newer than the log, whose newest index is ${log.durableIndex}`
    )
  if (index >= oldest) return index
  if (oldest > 1)
    throw new Refusal(
      'gone',
      `Index ${index} is no longer retained: the oldest index is ${oldest}`,
      'retained'
    )
  throw invalid(`Invalid ${name}: ${shown(text)} is before the first commit of the log`)
}

/** Index of the newest commit that is not younger than a time. */
const indexOfTime = async (text: string, name: string, { log, now }: Bounds): Promise<number> => {
  const time = parseTime(text)
  if (time === undefined)
    throw invalid(
      `Invalid ${name}: ${shown(text)} is neither an index nor a time such as 2026-01-31T12:00:00Z`
    )
  if (time > now) throw invalid(`Invalid ${name}: ${shown(text)} is newer than the log: that is yet to come`)
  const next = await log.indexAt(justAfter(time))
  // How much older it is than the first commit that is kept, nobody can tell.
  return next === log.firstIndex ? 0 : next - 1
}
