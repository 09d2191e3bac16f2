// Making a thing again what it was (docs/evidence.md).
import { invalid } from '../../../../actors/refusal.js'
import { ALIASES } from '../../../../projections/stream/topics.js'
import { reverted } from '../../../schemas/revert.js'
import { firstValueOf, integer } from '../../../stream/parameter-values.js'
import { present, unsigned64 } from '../../../wire/query.js'
import type { RequestContext } from '../../../wire/request-context.js'
import { anyToken, route, type Route } from '../../../wire/route.js'
import { revertibleOf, type Reverts, type RevertRequest } from './reverts.js'

/** @throws Refusal `invalid` */
const required = ({ query }: RequestContext, name: 'topic' | 'key' | 'to'): string => {
  const text = firstValueOf(query, name)
  if (text === undefined)
    throw invalid(
      `Invalid ${name}: a revert is of one thing, by its topic and key, to what it was at an index`
    )
  return text
}

/** @throws Refusal `invalid` */
const wishOf = (request: RequestContext): RevertRequest => {
  const { query } = request
  const name = required(request, 'topic')
  const topic = ALIASES.get(name)?.topic ?? name
  const { isOnNode } = revertibleOf(topic)
  const key = required(request, 'key')
  const node = firstValueOf(query, 'node')
  if (isOnNode && node === undefined)
    throw invalid(`Invalid node: several nodes may have a ${topic} of this key: it must be named`)
  if (!isOnNode && node !== undefined) throw invalid(`Invalid node: things of ${topic} are on none`)
  const cas = firstValueOf(query, 'cas')
  return {
    sought: { topic, key, ...(node === undefined ? {} : { node }) },
    to: integer(required(request, 'to'), 'to'),
    cas: cas === undefined ? undefined : integer(cas, 'cas'),
    isTrial: query.has('dry-run')
  }
}

/** @param routes those by which things are written */
export const revertRoutes = (reverts: Reverts, routes: readonly Route[]): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'PUT',
    path: '/v1/event/revert',
    operationId: 'revert',
    summary: 'Make a thing again what it was at an index, by the ordinary write',
    access: anyToken('what reading and writing the thing itself need'),
    tenancy: 'many',
    refusesUnknown: true,
    query: {
      topic: 'Topic of its events, such as KV or ACLPolicy',
      key: 'Key of its events: an ID, a name, or the key itself',
      to: unsigned64('Index of a commit: the thing becomes what it was after it'),
      node: 'Of topics Service and Check: the node that it is on',
      cas: unsigned64('Act only if this commit is the last one that changed the thing'),
      'dry-run': present('Commit nothing; tell what would change, or why it would be refused')
    },
    response: reverted,
    outcomes: {
      410: {
        description: 'What the thing was at that index is no longer kept, or erased: the text says which'
      }
    },
    handle: request => reverts.answer(request, wishOf(request), routes)
  })
]
