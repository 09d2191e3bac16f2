// The state at an index as events, equal to the begin of a stream with `snapshot=true` (docs/reference/history.md).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { CHECK_TOPIC } from '../../../events/check.js'
import { KV_TOPIC } from '../../../events/kv.js'
import { NODE_TOPIC } from '../../../events/node.js'
import { SERVICE_TOPIC } from '../../../events/service.js'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { newlineDelimited, type Subscription, Selector } from '../../../projections/stream/subscription.js'
import { Message } from '../../../projections/stream/message.js'
import { ALL_TENANCIES } from '../../../projections/stream/required-permissions.js'
import { commitOf, factsOfState, SNAPSHOT_TOPICS } from '../../../projections/stream/snapshot.js'
import { streamedCommit } from '../../schemas/events.js'
import type { SubscriptionRequests } from '../../stream/subscription-requests.js'
import { jsonArrayOf } from '../../stream/control-lines.js'
import { parameterSourceOf, subscriptionOf } from '../../stream/subscription-parsing.js'
import { SELECTION } from '../../stream/parameter-values.js'
import { jsonText, json } from '../../wire/response.js'
import type { TopicSelection } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, route, type Route } from '../../wire/route.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import type { LogReader } from '../../../events/log/log.js'
import { timeAt } from '../../../events/log/lookups.js'
import { formatTime } from '../../../events/time.js'
import type { HistoricalStateReader } from '../../history/historical-state-reader.js'
import { pointInTime } from '../../schemas/history.js'

const { topic, filter: filterAs, ns, namespace: namespaceAs, partition: partitionAs } = SELECTION

const requestedSubscription = (request: RequestContext): Subscription =>
  subscriptionOf(parameterSourceOf(request), newlineDelimited)

/** Services and checks exist only on nodes. */
const CATALOG_TOPICS: readonly string[] = [NODE_TOPIC, SERVICE_TOPIC, CHECK_TOPIC]

/** Selects the requested topics with the topics that they depend on. A single requested folder of keys limits the keys. */
const resourcesOf = ({ filter, tenancy: { partition, namespace } }: Subscription): TopicSelection => {
  const requested = SNAPSHOT_TOPICS.filter(requestedTopic => filter.keysOf(requestedTopic)?.size !== 0)
  const isOfCatalog = requested.some(requestedTopic => CATALOG_TOPICS.includes(requestedTopic))
  const [folder = '', ...others] = requested.every(requestedTopic => requestedTopic === KV_TOPIC)
    ? (filter.keysOf(KV_TOPIC) ?? [])
    : []
  return {
    topics: [...new Set([...requested, ...(isOfCatalog ? CATALOG_TOPICS : [])])],
    shown: requested,
    ...(partition === ALL_TENANCIES ? {} : { partition }),
    ...(namespace === ALL_TENANCIES ? {} : { namespace }),
    ...(folder.endsWith('/') && others.length === 0 ? { prefix: folder } : {})
  }
}

export const stateRoutes = (streams: Pick<SubscriptionRequests, 'requireRights'>): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/state',
    operationId: 'readState',
    summary:
      'The state at an index or time (`at`) as the last event of each resource: the snapshot of a stream',
    access: anyToken('as GET /v1/event/stream'),
    tenancy: 'none',
    consistency: 'consistent',
    refusesUnknown: true,
    query: { topic, filter: filterAs, ns, namespace: namespaceAs, partition: partitionAs },
    past: { needs: request => [resourcesOf(requestedSubscription(request))] },
    response: Type.Array(streamedCommit),
    handle: async request => {
      const subscription = requestedSubscription(request)
      streams.requireRights(request, subscription)
      if (!request.past)
        throw invalid(
          'history.invalid',
          'Missing at: it names an index or a time; GET /v1/event/stream?snapshot=true returns the current state'
        )
      const { views } = request
      const selector = new Selector(subscription, request.usage.credited)
      try {
        const lines = function* (): Steps<Buffer[]> {
          const pace = new StepPace()
          const all: Buffer[] = []
          for (const fact of factsOfState(views, subscription)) {
            const line = selector.frame(new Message(commitOf(fact)))
            if (line) all.push(line)
            if (pace.isOver(line?.length)) yield
          }
          return all
        }
        return { ...jsonText(jsonArrayOf(await request.runInChunks(lines()))), index: views.index }
      } catch (error) {
        throw error instanceof FilterTooExpensive ? invalid('history.invalid', error.message) : error
      }
    }
  })
]

export const pointInTimeRoutes = (
  log: Pick<LogReader, 'durableIndex' | 'records'>,
  reader: Pick<HistoricalStateReader, 'oldest'>
): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/moment',
    operationId: 'readMoment',
    summary: 'Resolve an index or a time to a commit, and return the range of indexes that `at` accepts',
    access: anyToken(),
    tenancy: 'none',
    consistency: 'consistent',
    refusesUnknown: true,
    past: { needs: () => [] },
    response: pointInTime,
    handle: async request => {
      request.requireToken()
      const Newest = log.durableIndex
      const { index, moment: time } = request.past ?? { index: Newest, moment: await timeAt(log, Newest) }
      return {
        ...json({ Index: index, Time: formatTime(time), Oldest: await reader.oldest(), Newest }),
        index
      }
    }
  })
]
