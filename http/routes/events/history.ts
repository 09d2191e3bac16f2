// The versions of a resource, addressed by topic and key or by the path that reads it.
import * as Type from 'typebox'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { CHECK_TOPIC } from '../../../events/check.js'
import { SERVICE_TOPIC } from '../../../events/service.js'
import type { HistoryTarget } from '../../../projections/history/history-target.js'
import { isTopic } from '../../../projections/stream/topics.js'
import { ALIASES, ALL_TOPICS } from '../../../projections/stream/topic-filter.js'
import type { HistoryEndpoint } from '../../history/history-endpoint.js'
import { HISTORY_QUERY } from '../../history/versions.js'
import type { ReadablePaths } from '../../history/readable-paths.js'
import { version } from '../../schemas/history.js'
import { firstValueOf, quoteValue } from '../../stream/parameter-values.js'
import type { RouteResponse } from '../../wire/response.js'
import { checkRequest } from '../../wire/pipelined-request.js'
import { refuseUnknown } from '../../wire/query-parameters.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, route, type Route, type RouteFacts } from '../../wire/route.js'

const facts = {
  process: 'main',
  method: 'GET',
  tag: 'Events',
  access: anyToken('the permission to read the resource, and operator:read for the caller'),
  blocking: true,
  consistency: 'consistent',
  response: Type.Array(version)
} as const

const requiredParameter = (request: RequestContext, name: 'topic' | 'key'): string => {
  const text = firstValueOf(request.query, name)
  if (text === undefined)
    throw invalid('history.invalid', `Invalid ${name}: a history needs the topic and the key of one resource`)
  return text
}

/** @throws Refusal `invalid` */
const topicOf = (request: RequestContext): string => {
  const name = requiredParameter(request, 'topic')
  const topic = ALIASES.get(name)?.topic ?? name
  if (topic === ALL_TOPICS || !isTopic(topic))
    throw invalid('history.invalid', `Invalid topic query: unknown topic ${quoteValue(name)}`)
  return topic
}

/** @throws Refusal `invalid` for a topic without nodes */
const nodeIn = (request: RequestContext, topic: string): Pick<HistoryTarget, 'node'> => {
  const node = firstValueOf(request.query, 'node')
  if (node === undefined) return {}
  if (topic !== SERVICE_TOPIC && topic !== CHECK_TOPIC)
    throw invalid(
      'history.invalid',
      `Invalid node: ${quoteValue(node)}: only topics ${SERVICE_TOPIC} and ${CHECK_TOPIC} have a node`
    )
  return { node }
}

const historyOfPath = async (
  request: RequestContext,
  endpoint: HistoryEndpoint,
  paths: ReadablePaths
): Promise<RouteResponse> => {
  request.requireToken()
  const path = `/v1/${request.url.slice('/v1/history/'.length).replace(/\?.*$/, '')}`
  const reader = paths.find(path)
  const label = quoteValue(`/v1/${request.param('path')}`)
  if (!reader) throw new Refusal('history.not-found', `Not found: no endpoint reads ${label}`)
  const { past, query, tenancy, refusesUnknown: _, ...others } = reader.route
  const subRequest = request.withRoute(reader.route, reader.params)
  const routeFacts: RouteFacts = {
    ...historyFacts,
    query: { ...query, ...HISTORY_QUERY },
    tenancy: tenancy ?? 'one'
  }
  refuseUnknown(routeFacts, request.query)
  checkRequest(others, subRequest)
  const resource = past?.resource?.(subRequest)
  if (!resource)
    throw invalid('history.invalid', `Bad request: ${label} does not read one resource with a history`)
  // Refusals use the spelling of the request instead of the stored key.
  return endpoint.answer(subRequest, resource, { label })
}

const historyFacts = {
  ...facts,
  tenancy: 'many',
  path: '/v1/history/*path',
  operationId: 'readHistoryOfPath',
  summary: 'The versions of the resource at a path, newest first',
  query: HISTORY_QUERY
} as const

export const historyRoutes = (endpoint: HistoryEndpoint, paths: ReadablePaths): readonly Route[] => [
  route({
    ...facts,
    refusesUnknown: true,
    path: '/v1/event/history',
    operationId: 'readHistory',
    summary: 'The versions of a resource, newest first',
    query: {
      topic: 'Topic of its events, such as KV or ACLToken',
      key: 'Key of its events: an ID, a name, or the key itself',
      node: 'Of topics Service and Check: only the resource on this node, if several nodes have the key',
      ...HISTORY_QUERY
    },
    handle: async request => {
      request.requireToken()
      const topic = topicOf(request)
      const key = requiredParameter(request, 'key')
      const { resource, newest } = await endpoint.find(request, { topic, key, ...nodeIn(request, topic) })
      return endpoint.answer(request, resource, { known: newest })
    }
  }),
  route({ ...historyFacts, handle: request => historyOfPath(request, endpoint, paths) })
]
