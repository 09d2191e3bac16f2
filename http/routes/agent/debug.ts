// Diagnostics of a server: its configuration and profiles.
import { invalid } from '../../../actors/refusal.js'
import type { Profiles } from './profiles.js'
import { json } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requires, route, type Route } from '../../wire/route.js'
import * as Type from 'typebox'
import { isObject } from '../../../events/values.js'
import { keyByPath } from '../../../server/settings/keys.js'
import type { Settings } from '../../../server/settings/settings.js'

const HIDDEN = '[redacted]'

/** The password in a URL, anywhere in a text. */
const PASSWORD = /(\/\/[^\s/:@]*:)[^\s/@]+@/g

const mapped = (group: Readonly<Record<string, unknown>>, map: (value: unknown, name: string) => unknown) =>
  Object.fromEntries(Object.entries(group).map(([name, value]) => [name, map(value, name)]))

/** Keeps the names of a map. @param shows fields of its values that are no secrets */
const hidden = (value: unknown, shows: readonly string[] = []): unknown =>
  isObject(value)
    ? mapped(value, each =>
        isObject(each) && shows.length > 0
          ? mapped(each, (inner, field) => (shows.includes(field) ? shown(inner, '') : HIDDEN))
          : HIDDEN
      )
    : HIDDEN

const shown = (value: unknown, path: string): unknown => {
  const { secret, shows } = keyByPath.get(path)?.notes ?? {}
  if (secret === true) return hidden(value, shows)
  if (typeof value === 'string') return value.replaceAll(PASSWORD, `$1${HIDDEN}@`)
  if (Array.isArray(value)) return value.map(one => shown(one, ''))
  return isObject(value)
    ? mapped(value, (inner, name) => shown(inner, path === '' ? name : `${path}.${name}`))
    : value
}

/** Named and nested as in the file, with durations in milliseconds. Unset keys are absent, and secrets are replaced. */
export const settingsViewOf = (settings: Settings): unknown => shown(settings, '')

const configurationView = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The keys of the configuration, nested as in the file; durations are milliseconds. Secrets are replaced by [redacted]',
  examples: [{ datacenter: 'dc1', encryption: { key: '[redacted]' }, log: { level: 'info' } }]
})

const cpuProfile = Type.Object(
  {
    nodes: Type.Array(Type.Unknown(), { description: 'Functions, as they were called by others' }),
    startTime: Type.Number({ description: 'Microseconds' }),
    endTime: Type.Number({ description: 'Microseconds' }),
    samples: Type.Optional(
      Type.Array(Type.Integer(), { description: 'IDs of the nodes that were seen running' })
    ),
    timeDeltas: Type.Optional(Type.Array(Type.Integer(), { description: 'Microseconds between them' }))
  },
  {
    $id: 'CpuProfile',
    description: 'A .cpuprofile, as Chrome’s developer tools open it',
    examples: [{ nodes: [], startTime: 0, endTime: 10_000_000, samples: [], timeDeltas: [] }]
  }
)

const heapProfile = Type.Object(
  {
    head: Type.Unknown({
      description: 'Functions with what they have allocated, as they were called by others'
    }),
    samples: Type.Array(Type.Unknown(), { description: 'The allocations that were looked at' })
  },
  {
    $id: 'HeapProfile',
    description: 'A .heapprofile, as Chrome’s developer tools open it',
    examples: [{ head: {}, samples: [] }]
  }
)

const facts = {
  tag: 'Agent',
  method: 'GET',
  access: requires('operator:read'),
  tenancy: 'none',
  runs: 'here'
} as const

const SECONDS = { usual: 10, most: 60 }
const query = {
  seconds: `For how long it is taken: a whole number from 1 to ${SECONDS.most}; ${SECONDS.usual} unless given`
}
const outcomes = { 429: { description: 'Another profile of this kind is taken just now' } }

/** Returns the duration of a profile and its early end. @throws Refusal `invalid` */
const waitingOf = (request: RequestContext) => {
  const given = request.query.filled('seconds') ?? String(SECONDS.usual)
  const seconds = /^\d{1,3}$/.test(given) ? Number(given) : 0
  if (seconds < 1 || seconds > SECONDS.most)
    throw invalid('agent.invalid', `seconds must be a whole number from 1 to ${SECONDS.most}, not "${given}"`)
  return { time: seconds * 1000, onGone: (gone: () => void) => request.onGone(gone) }
}

export const agentDebugRoutes = (profiles: Profiles): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/agent/configuration',
    operationId: 'readConfiguration',
    summary: 'The configuration that the server runs with, without its secrets',
    response: configurationView,
    handle: request => {
      request.require('operator', 'read')
      return json(settingsViewOf(request.settings))
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
