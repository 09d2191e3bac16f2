// What helps to find out why a server is slow or large: its configuration, and profiles of it.
import { invalid } from '../../../actors/refusal.js'
import type { Profiles } from './profiles.js'
import { configurationShown, cpuProfile, heapProfile } from '../../schemas/agent-debug.js'
import { shownSettings } from '../../../server/settings/shown-settings.js'
import { json } from '../../wire/answer.js'
import type { ApiRequest } from '../../wire/request.js'
import { needs, route, type Route } from '../../wire/route.js'

const facts = {
  tag: 'Agent',
  method: 'GET',
  access: needs('operator:read'),
  blocking: false,
  consistency: 'none',
  caching: 'none',
  tenancy: 'none',
  runs: 'here'
} as const

const SECONDS = { usual: 10, most: 60 }
const query = {
  seconds: `For how long it is taken: a whole number from 1 to ${SECONDS.most}; ${SECONDS.usual} unless given`
}
const outcomes = { 429: { description: 'Another profile of this kind is taken just now' } }

/** How long a profile is taken. @throws Refusal `invalid` */
const waitingOf = (request: ApiRequest) => {
  const given = request.query.filled('seconds') ?? String(SECONDS.usual)
  const seconds = /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (seconds < 1 || seconds > SECONDS.most)
    throw invalid(`seconds must be a whole number from 1 to ${SECONDS.most}, not "${given}"`)
  return { time: seconds * 1000, onGone: (gone: () => void) => request.incoming.onGone(gone) }
}

export const agentDebugRoutes = (profiles: Profiles): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/agent/configuration',
    operationId: 'readConfiguration',
    summary: 'The configuration that the server runs with, without its secrets',
    response: configurationShown,
    handle: request => {
      request.require('operator', 'read')
      return json(shownSettings(request.settings))
    }
  }),
  route({
    ...facts,
    path: '/v1/agent/profile/cpu',
    operationId: 'profileCpu',
    summary: 'What the processor does for the main process of the server, from now on for some seconds',
    query,
    response: cpuProfile,
    outcomes,
    handle: async request => {
      request.require('operator', 'read')
      return json(await profiles.cpu(waitingOf(request)))
    }
  }),
  route({
    ...facts,
    path: '/v1/agent/profile/heap',
    operationId: 'profileHeap',
    summary: 'Where the main process of the server allocates what it keeps, from now on for some seconds',
    query,
    response: heapProfile,
    outcomes,
    handle: async request => {
      request.require('operator', 'read')
      return json(await profiles.heap(waitingOf(request)))
    }
  })
]
