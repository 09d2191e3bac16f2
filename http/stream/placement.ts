// Where in the log a stream starts and ends that was asked for by index, time or word.
import type { EventLog } from '../../events/log/log.js'
import { justAfter } from '../../events/time.js'
import type { StreamRange, StreamStart, StreamStop } from './range-parameters.js'
import type { StreamEnd } from './opening.js'

type Log = Pick<EventLog, 'firstIndex' | 'durableIndex' | 'indexAt'>

/** What else a place follows from. */
export interface Moment {
  /** Newest commits that a stream begins with which names no start; 0 for all. */
  readonly backlog: number
  /** Epoch ms. */
  readonly now: number
}

export interface Placement {
  /** The first index that is sent. */
  readonly start: number
  readonly end: StreamEnd | undefined
  /** Whether what was asked for begins before the oldest commit that is kept, which is `start` then. */
  readonly isCut: boolean
}

/** The first index, which may be one that is no longer kept. */
const startOf = async (start: StreamStart, log: Log, { backlog }: Moment): Promise<number> => {
  switch (start.kind) {
    case 'beginning':
      return log.firstIndex
    case 'now':
      return log.durableIndex + 1
    case 'index':
      return start.index
    case 'backlog':
      return backlog === 0 ? log.firstIndex : Math.max(log.firstIndex, log.durableIndex - backlog + 1)
    case 'time': {
      const found = await log.indexAt(start.time)
      // Those before the oldest may have been of this time as well.
      return found === log.firstIndex ? found - 1 : found
    }
  }
}

const endOf = async (
  until: StreamStop | undefined,
  log: Log,
  { now }: Moment
): Promise<Omit<StreamEnd, 'limit'>> => {
  switch (until?.kind) {
    case undefined:
      return {}
    case 'now':
      return { index: log.durableIndex }
    case 'index':
      return { index: until.index }
    case 'time':
      return until.time > now
        ? { time: until.time }
        : { index: (await log.indexAt(justAfter(until.time))) - 1 }
  }
}

/** @throws LogDamage when a time must be found where the log is damaged */
export const placeOf = async (
  { start, until, limit }: StreamRange,
  log: Log,
  moment: Moment
): Promise<Placement> => {
  const end = until || limit !== undefined ? { ...(await endOf(until, log, moment)), limit } : undefined
  const wanted = await startOf(start, log, moment)
  // Nothing came before the first commit of all.
  const oldest = log.firstIndex
  const isCut = wanted < oldest && oldest > 1
  return { start: Math.max(wanted, oldest), end, isCut }
}
