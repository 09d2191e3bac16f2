// The search for resources of all kinds by name, key or ID.
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import type { Event } from '../../../events/envelope.js'
import { withFilterKeys } from '../../../projections/filter-keys.js'
import { eventOf, type Fact } from '../../../projections/projection.js'
import { factsOfTopic } from '../../../projections/stream/snapshot.js'
import { visibleEvent } from '../../../projections/stream/topics.js'
import { searchHit } from '../../schemas/history.js'
import { firstValueOf, quoteValue } from '../../stream/parameter-values.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import type { RequestContext } from '../../wire/request-context.js'
import { json } from '../../wire/response.js'
import { anyToken, route, type Route } from '../../wire/route.js'

/** Kinds with many resources come last. */
const TOPICS = [
  'ACLPolicy',
  'ACLRole',
  'ACLAuthMethod',
  'ACLBindingRule',
  'Namespace',
  'Partition',
  'ConfigEntry',
  'PreparedQuery',
  'Node',
  'Session',
  'ACLToken',
  'Service',
  'Check',
  'KV'
] as const

const MAX_LENGTH = 200
const MAX_HITS = 50
/** Visible matches after which the search ends. */
const MAX_MATCHES = 1000

const NAMES = ['Name', 'ServiceName', 'Description'] as const

interface Named {
  readonly Key: string
  readonly Payload: Fact['Payload']
}

const fieldOf = ({ Payload }: Named, name: string): string => {
  const value: unknown = Reflect.get(Object(Object.values(Payload)[0]), name)
  return typeof value === 'string' ? value : ''
}

/** @param text in lower case */
const matches = (resource: Named, text: string): boolean =>
  resource.Key.toLowerCase().includes(text) ||
  NAMES.some(name => fieldOf(resource, name).toLowerCase().includes(text))

const nameOf = (event: Event): string =>
  NAMES.map(name => fieldOf(event, name)).find(name => name !== '') ?? event.Key

interface Hit {
  readonly Topic: string
  readonly Key: string
  readonly Name: string
  readonly Namespace: string
  readonly Partition: string
  readonly Node?: string
  readonly Index: number
}

const hitOf = (event: Event, Index: number): Hit => {
  const Node = event.Topic === 'Service' || event.Topic === 'Check' ? fieldOf(event, 'Node') : ''
  const { Topic, Key, Namespace, Partition } = event
  return { Topic, Key, Name: nameOf(event), Namespace, Partition, ...(Node === '' ? {} : { Node }), Index }
}

function* hitsOf(
  { views, usage: { credited: authorizer } }: RequestContext,
  text: string
): Steps<readonly Hit[]> {
  const pace = new StepPace()
  const hits: Hit[] = []
  for (const topic of TOPICS)
    for (const fact of factsOfTopic(views, topic)) {
      if (pace.isOver()) yield
      if (!matches(fact, text)) continue
      const seen = visibleEvent(authorizer, withFilterKeys(eventOf(fact)), 'resource')
      // Fields that the caller may not read find nothing.
      if (!seen || !matches(seen, text)) continue
      hits.push(hitOf(seen, fact.Index))
      if (hits.length === MAX_MATCHES) return hits
    }
  return hits
}

/** @throws Refusal `invalid` */
const textOf = ({ query }: RequestContext): string => {
  const text = (firstValueOf(query, 'q') ?? '').trim()
  if (text === '' || text.length > MAX_LENGTH)
    throw invalid('history.invalid', `Invalid q: ${quoteValue(text)} must have 1 to ${MAX_LENGTH} characters`)
  return text.toLowerCase()
}

export const searchRoutes: readonly Route[] = [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/search',
    operationId: 'searchResources',
    summary: `Find resources of all kinds by a part of their name, key, ID or description: at most ${MAX_HITS}, the most recently changed first`,
    access: anyToken('and for every hit the permission to read it'),
    tenancy: 'none',
    refusesUnknown: true,
    query: { q: `The text, regardless of letter case: 1 to ${MAX_LENGTH} characters` },
    response: Type.Array(searchHit),
    handle: async request => {
      request.requireToken()
      const text = textOf(request)
      const hits = await request.runInChunks(hitsOf(request, text))
      const isFirst = ({ Name }: Hit): number => Number(Name.toLowerCase().startsWith(text))
      const sorted = hits.toSorted((one, other) => isFirst(other) - isFirst(one) || other.Index - one.Index)
      return json(sorted.slice(0, MAX_HITS))
    }
  })
]
