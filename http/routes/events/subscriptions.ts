// The readers of the event stream, for operators.
import { eventSubscriptions } from '../../schemas/event-subscriptions.js'
import type { StreamRegistry } from '../../stream/stream-registry.js'
import { json } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'

export const subscriptionRoutes = (registry: StreamRegistry): readonly Route[] => [
  route({
    tag: 'Events',
    method: 'GET',
    path: '/v1/event/subscriptions',
    operationId: 'listEventSubscriptions',
    summary: 'List the readers of the event stream with their positions, and the reasons of the last ends',
    access: requires('operator:read'),
    tenancy: 'none',
    runs: 'here',
    refusesUnknown: true,
    response: eventSubscriptions,
    handle: async request => {
      request.require('operator', 'read')
      const { open, ended } = await registry.all()
      return json({ Open: open, Ended: ended })
    }
  })
]
