// Where commands about the log begin and end: at a commit, or at a time.
import { InvalidArgumentError } from 'commander'
import type { EventLog } from '../../events/log/log.js'
import { justAfter, parseTime } from '../../events/time.js'

/** A commit by its index; or a time in milliseconds since 1970. */
export type Bound = { readonly index: number } | { readonly time: number }

type TimedLog = Pick<EventLog, 'indexAt'>

/** @throws InvalidArgumentError */
export const parseBound = (text: string): Bound => {
  const time = parseTime(text)
  if (time !== undefined) return { time }
  if (/^[1-9]\d{0,14}$/.test(text)) return { index: Number(text) }
  throw new InvalidArgumentError('It is an index, or a time such as 2026-11-21T08:05:50Z.')
}

/** Index of the first commit that is not before a bound. */
export const indexFrom = async (log: TimedLog, from: Bound): Promise<number> =>
  'index' in from ? from.index : log.indexAt(from.time)

/** Index of the last commit that is not after a bound. */
export const indexUntil = async (log: TimedLog, until: Bound): Promise<number> =>
  'index' in until ? until.index : (await log.indexAt(justAfter(until.time))) - 1
