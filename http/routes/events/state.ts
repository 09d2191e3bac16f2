// What was true at an index, as the events that made it so: what a stream with `snapshot=true` would have begun with (docs/evidence.md).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { CHECK_TOPIC } from '../../../events/check.js'
import { KV_TOPIC } from '../../../events/kv.js'
import { NODE_TOPIC } from '../../../events/node.js'
import { SERVICE_TOPIC } from '../../../events/service.js'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { newlineDelimited } from '../../../projections/stream/framing.js'
import { Message } from '../../../projections/stream/message.js'
import { ALL_TENANCIES } from '../../../projections/stream/required-permissions.js'
import { Selector } from '../../../projections/stream/selector.js'
import { commitOf, factsOfState, SNAPSHOT_TOPICS } from '../../../projections/stream/snapshot.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import { streamedCommit } from '../../schemas/events.js'
import type { SubscriptionRequests } from '../../stream/subscription-requests.js'
import { jsonArrayOf } from '../../stream/control-lines.js'
import { parameterSourceOf, subscriptionOf } from '../../stream/subscription-parsing.js'
import { SELECTION } from '../../stream/route.js'
import { jsonText } from '../../wire/response.js'
import type { TopicSelection } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, route, type Route } from '../../wire/route.js'
import { inCooperativeChunks } from '../../wire/cooperative-chunks.js'

const { topic, filter: filterAs, ns, namespace: namespaceAs, partition: partitionAs } = SELECTION

const wanted = (request: RequestContext): Subscription =>
  subscriptionOf(parameterSourceOf(request), newlineDelimited)

/** Services and checks are on nodes, without which there are none. */
const CATALOG_TOPICS: readonly string[] = [NODE_TOPIC, SERVICE_TOPIC, CHECK_TOPIC]

/** All things of the topics that are asked for, and of those that they stand on; where one folder of keys is, those in it. */
const resourcesOf = ({ filter, tenancy: { partition, namespace } }: Subscription): TopicSelection => {
  const asked = SNAPSHOT_TOPICS.filter(each => filter.keysOf(each)?.size !== 0)
  const isOfCatalog = asked.some(each => CATALOG_TOPICS.includes(each))
  const [folder = '', ...others] = asked.every(each => each === KV_TOPIC)
    ? (filter.keysOf(KV_TOPIC) ?? [])
    : []
  return {
    topics: [...new Set([...asked, ...(isOfCatalog ? CATALOG_TOPICS : [])])],
    shown: asked,
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
      'What was true at an index or time (`at`), as the last event of each thing that there was: the snapshot of a stream',
    access: anyToken('as GET /v1/event/stream'),
    tenancy: 'none',
    consistency: 'consistent',
    refusesUnknown: true,
    query: { topic, filter: filterAs, ns, namespace: namespaceAs, partition: partitionAs },
    past: { needs: request => [resourcesOf(wanted(request))] },
    response: Type.Array(streamedCommit),
    handle: async request => {
      const subscription = wanted(request)
      streams.requireRights(request, subscription)
      if (!request.past)
        throw invalid(
          'Missing at: it names an index or a time; GET /v1/event/stream?snapshot=true tells what is true now'
        )
      const { views } = request
      const selector = new Selector(subscription, request.authority.authorizer)
      try {
        const lines: Buffer[] = []
        await inCooperativeChunks(factsOfState(views, subscription), fact => {
          const line = selector.frame(new Message(commitOf(fact)))
          if (line) lines.push(line)
        })
        return { ...jsonText(jsonArrayOf(lines)), index: views.index }
      } catch (error) {
        throw error instanceof FilterTooExpensive ? invalid(error.message) : error
      }
    }
  })
]
