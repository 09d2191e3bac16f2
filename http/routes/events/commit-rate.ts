// The number of commits in equal intervals, from the positions of times in the log.
import { invalid } from '../../../actors/refusal.js'
import { formatTime, parseTime } from '../../../events/time.js'
import { MILLISECOND, parseDuration } from '../../../events/duration.js'
import type { LogReader } from '../../../events/log/log.js'
import { indexAt } from '../../../events/log/lookups.js'
import { commitRate } from '../../schemas/history.js'
import { firstValueOf, quoteValue } from '../../stream/parameter-values.js'
import type { RequestContext } from '../../wire/request-context.js'
import { json } from '../../wire/response.js'
import { anyToken, route, type Route } from '../../wire/route.js'

/** Each interval costs some reads of single commits. */
const MAX_INTERVALS = 120
const DEFAULT_SINCE = '1h'

/** Returns the start in epoch ms. @throws Refusal `invalid` */
const startOf = ({ query, now }: RequestContext): number => {
  const text = firstValueOf(query, 'since') ?? DEFAULT_SINCE
  const age = parseDuration(text)
  const start = age === undefined ? parseTime(text) : now - age / MILLISECOND
  if (start === undefined || start >= now)
    throw invalid(
      'history.invalid',
      `Invalid since: ${quoteValue(text)} is neither a duration before now such as 1h nor an earlier time such as 2026-01-31T12:00:00Z`
    )
  return start
}

/** @throws Refusal `invalid` */
const intervalsOf = ({ query }: RequestContext): number => {
  const text = firstValueOf(query, 'intervals') ?? '60'
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > MAX_INTERVALS)
    throw invalid(
      'history.invalid',
      `Invalid intervals: ${quoteValue(text)} is not an integer from 1 to ${MAX_INTERVALS}`
    )
  return count
}

type Log = Pick<LogReader, 'firstIndex' | 'durableIndex' | 'records'>

export const commitRateRoutes = (log: Log): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/rate',
    operationId: 'readCommitRate',
    summary: 'Count the commits in equal intervals from a time to now',
    access: anyToken(),
    tenancy: 'none',
    refusesUnknown: true,
    query: {
      since: 'Start: a duration before now, or an RFC 3339 time; default: 1h',
      intervals: `Number of intervals: 1 to ${MAX_INTERVALS}; default: 60`
    },
    response: commitRate,
    handle: async request => {
      request.requireToken()
      const [start, count] = [startOf(request), intervalsOf(request)]
      const width = (request.now - start) / count
      const counts: number[] = []
      let index = await indexAt(log, start)
      for (let at = 1; at <= count; at++) {
        const next = await indexAt(log, at === count ? Infinity : Math.ceil(start + at * width), index)
        counts.push(next - index)
        index = next
      }
      return json({ Since: formatTime(start), Until: formatTime(request.now), Counts: counts })
    }
  })
]
