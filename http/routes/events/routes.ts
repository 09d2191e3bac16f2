// User events (spec: state.md §9).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { compilePattern, PatternError } from '../../../projections/language/pattern.js'
import { json } from '../../wire/response.js'
import { respondWithCheckpoint } from '../../wire/reads/blocking.js'
import { readable } from '../../wire/reads/filter.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, requires, route, type Route } from '../../wire/route.js'
import { userEvent } from '../../schemas/events.js'
import { indexOfEvents, type UserEvents } from './user-events.js'

const VERSION = 1
const facts = { tag: 'Events', tenancy: 'none' } as const
/** A regular expression that says for whom the event is; agents match it. */
const recipients = ({ query }: RequestContext, kind: 'node' | 'service' | 'tag'): string => {
  const pattern = query.get(kind) ?? ''
  try {
    compilePattern(pattern)
  } catch (error) {
    if (!(error instanceof PatternError)) throw error
    throw invalid(`Invalid ${kind} filter: parameter "${kind}" is no regular expression: ${error.message}`)
  }
  return pattern
}

export const userEventRoutes = (userEvents: UserEvents): readonly Route[] => [
  route({
    ...facts,
    access: requires('event:write'),
    method: 'PUT',
    path: '/v1/event/fire/*name',
    operationId: 'fireEvent',
    summary: 'Fire an event; the body is its payload',
    idempotency: { refused: 'what is fired is in no commit, and repeated would be fired again' },
    query: { node: 'Which nodes it is for', service: 'Which services', tag: 'Which tags' },
    rawBody: { type: 'application/octet-stream', description: 'The payload', example: 'v2.1' },
    response: userEvent,
    handle: request => {
      const { incoming } = request
      const name = request.param('name')
      if (name === '') throw invalid('Missing name')
      request.require('event', 'write', name)
      const fired = {
        ID: request.newId(),
        Name: name,
        Payload: incoming.body && incoming.body.length > 0 ? incoming.body.toString('base64') : null,
        NodeFilter: recipients(request, 'node'),
        ServiceFilter: recipients(request, 'service'),
        TagFilter: recipients(request, 'tag'),
        Version: VERSION
      }
      if (fired.TagFilter !== '' && fired.ServiceFilter === '')
        throw invalid('Cannot provide tag filter without service filter: parameter "service" is missing')
      userEvents.fire(fired)
      return json({ ...fired, LTime: 0 })
    }
  }),
  route({
    ...facts,
    access: anyToken('events without event:read are left out'),
    blocking: true,
    runs: 'leader',
    method: 'GET',
    path: '/v1/event/list',
    operationId: 'listEvents',
    summary: 'The newest events',
    query: { name: 'Only those of this name' },
    response: Type.Array(userEvent),
    handle: request =>
      respondWithCheckpoint(request, () => {
        request.requireToken()
        const name = request.query.filled('name')
        const all = name === undefined ? userEvents.list : userEvents.list.filter(one => one.Name === name)
        const { entries, headers } = readable(request, all, one => request.may('event', 'read', one.Name))
        const mark = indexOfEvents(entries.at(-1))
        return { mark, watch: userEvents.watch, answer: json(entries, headers) }
      })
  })
]
