// Which commit an index or a time stands for, and of which there are answers: what somebody needs to know who looks back.
import type { EventLog } from '../../../events/log/log.js'
import { formatTime } from '../../../events/time.js'
import type { HistoricalStateReader } from '../../history/historical-state-reader.js'
import { pointInTime } from '../../schemas/history.js'
import { json } from '../../wire/response.js'
import { anyToken, route, type Route } from '../../wire/route.js'

export const pointInTimeRoutes = (
  log: Pick<EventLog, 'durableIndex' | 'timeAt'>,
  reader: Pick<HistoricalStateReader, 'oldest'>
): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/moment',
    operationId: 'readMoment',
    summary:
      'Which commit an index or a time stands for, when it was made, and of which ones there are answers',
    access: anyToken(),
    tenancy: 'none',
    consistency: 'consistent',
    refusesUnknown: true,
    past: { needs: () => [] },
    response: pointInTime,
    handle: async request => {
      request.requireToken()
      const Newest = log.durableIndex
      const { index, moment: time } = request.past ?? { index: Newest, moment: await log.timeAt(Newest) }
      const told = { Index: index, Time: formatTime(time), Oldest: await reader.oldest(), Newest }
      return { ...json(told), index }
    }
  })
]
