// What became of one thing, version by version: by topic and key, or by the path that reads it.
import * as Type from 'typebox'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { CHECK_TOPIC } from '../../../events/check.js'
import { SERVICE_TOPIC } from '../../../events/service.js'
import type { HistoryTarget } from '../../../projections/history/history-target.js'
import { ALIASES, ALL_TOPICS, isTopic } from '../../../projections/stream/topics.js'
import type { HistoryEndpoint } from '../../history/history-endpoint.js'
import { HISTORY_QUERY } from '../../history/history-parameters.js'
import type { ReadablePaths } from '../../history/readable-paths.js'
import { version } from '../../schemas/history.js'
import { firstValueOf, quoteValue } from '../../stream/parameter-values.js'
import type { RouteResponse } from '../../wire/response.js'
import { checkRequest } from '../../wire/check-request.js'
import { refuseUnknown } from '../../wire/query-parameters.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, route, type Route, type RouteFacts } from '../../wire/route.js'

const facts = {
  process: 'main',
  method: 'GET',
  tag: 'Events',
  access: anyToken('what reading the thing itself needs, and operator:read for who'),
  blocking: true,
  consistency: 'consistent',
  response: Type.Array(version)
} as const

const given = (request: RequestContext, name: 'topic' | 'key'): string => {
  const text = firstValueOf(request.query, name)
  if (text === undefined)
    throw invalid(`Invalid ${name}: a history is of one thing, by its topic and its key`)
  return text
}

/** @throws Refusal `invalid` */
const topicOf = (request: RequestContext): string => {
  const name = given(request, 'topic')
  const topic = ALIASES.get(name)?.topic ?? name
  if (topic === ALL_TOPICS || !isTopic(topic))
    throw invalid(`Invalid topic query: unknown topic ${quoteValue(name)}`)
  return topic
}

/** On which node a service or check is. @throws Refusal `invalid` where no node tells things apart */
const nodeIn = (request: RequestContext, topic: string): Pick<HistoryTarget, 'node'> => {
  const node = firstValueOf(request.query, 'node')
  if (node === undefined) return {}
  if (topic !== SERVICE_TOPIC && topic !== CHECK_TOPIC)
    throw invalid(
      `Invalid node: ${quoteValue(node)}: only topics ${SERVICE_TOPIC} and ${CHECK_TOPIC} have a node`
    )
  return { node }
}

/** The history of what a path reads. */
const historyOfPath = async (
  request: RequestContext,
  endpoint: HistoryEndpoint,
  paths: ReadablePaths
): Promise<RouteResponse> => {
  request.requireToken()
  const path = `/v1/${request.incoming.url.slice('/v1/history/'.length).replace(/\?.*$/, '')}`
  const reader = paths.find(path)
  const called = quoteValue(`/v1/${request.param('path')}`)
  if (!reader) throw new Refusal('missing', `Not found: no endpoint reads ${called}`)
  const { past, query, tenancy, refusesUnknown: _, ...others } = reader.route
  const inner = request.withRoute(reader.route, reader.params)
  const own: RouteFacts = {
    ...historyFacts,
    query: { ...query, ...HISTORY_QUERY },
    tenancy: tenancy ?? 'one'
  }
  refuseUnknown(own, request.query)
  checkRequest(others, inner)
  const resource = past?.resource?.(inner)
  if (!resource) throw invalid(`Bad request: ${called} does not read one thing of which the log tells`)
  // The path says how the request spells the name; the key says how a resource that exists spells it.
  return endpoint.answer(inner, resource, { called })
}

const historyFacts = {
  ...facts,
  tenancy: 'many',
  path: '/v1/history/*path',
  operationId: 'readHistoryOfPath',
  summary: 'The versions of what a path reads, the newest first',
  query: HISTORY_QUERY
} as const

/** @param paths of the other routes */
export const historyRoutes = (endpoint: HistoryEndpoint, paths: ReadablePaths): readonly Route[] => [
  route({
    ...facts,
    refusesUnknown: true,
    path: '/v1/event/history',
    operationId: 'readHistory',
    summary: 'The versions of one thing, the newest first',
    query: {
      topic: 'Topic of its events, such as KV or ACLToken',
      key: 'Key of its events: an ID, a name, or the key itself',
      node: 'Of topics Service and Check: only what is on this node, where several have that key',
      ...HISTORY_QUERY
    },
    handle: async request => {
      request.requireToken()
      const [topic, key] = [topicOf(request), given(request, 'key')]
      const sought = { topic, key, ...nodeIn(request, topic) }
      const { resource: thing, newest } = await endpoint.find(request, sought)
      return endpoint.answer(request, thing, { known: newest })
    }
  }),
  route({ ...historyFacts, handle: request => historyOfPath(request, endpoint, paths) })
]
