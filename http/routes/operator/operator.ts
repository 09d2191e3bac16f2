// What operators see and set of the servers of the cluster.
import type { Static } from 'typebox'
import { inCluster } from '../../../actors/ref.js'
import { invalid } from '../../../actors/refusal.js'
import {
  type Autopilot,
  type AutopilotSettings,
  AUTOPILOT_TOPIC,
  AUTOPILOT_KEY
} from '../../../events/autopilot.js'
import { formatDuration, parseDuration } from '../../../events/duration.js'
import { json } from '../../wire/response.js'
import { readOptions } from '../../wire/reads/blocking.js'
import { casOf } from '../config/entry-request.js'
import { historyOfResource, clusterResource } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { bodyRoute, requires, route, type Route } from '../../wire/route.js'
import {
  autopilotBody,
  autopilotConfiguration,
  autopilotHealth,
  autopilotState,
  raftConfiguration
} from '../../schemas/operator.js'
import { stored } from '../../schemas/config.js'
import type { Servers } from './cluster-servers.js'
import { raftServers, serverHealth, serverStates } from './servers.js'
import { addressOf } from './status.js'

const facts = { tag: 'Operator', blocking: false, caching: 'none', tenancy: 'none' } as const
const read = { ...facts, method: 'GET', access: requires('operator:read'), consistency: 'all' } as const
const write = { ...facts, access: requires('operator:write'), consistency: 'none' } as const

/** @throws Refusal `invalid`, `denied` */
const requireRead = (request: RequestContext): void => {
  readOptions(request)
  request.require('operator', 'read')
}

/** Nanoseconds. @throws Refusal `invalid` */
const durationOf = (field: string, given: string | number = 0): number => {
  const ns = typeof given === 'number' ? Math.trunc(given) : parseDuration(given)
  if (ns === undefined || ns < 0 || ns > Number.MAX_SAFE_INTEGER)
    throw invalid(`Error parsing autopilot config: field "${field}" must be a duration such as 200ms`)
  return ns
}

const settingsIn = (given: Static<typeof autopilotBody>): AutopilotSettings => ({
  CleanupDeadServers: given.CleanupDeadServers ?? false,
  LastContactThreshold: durationOf('LastContactThreshold', given.LastContactThreshold),
  MaxTrailingLogs: given.MaxTrailingLogs ?? 0,
  MinQuorum: given.MinQuorum ?? 0,
  ServerStabilizationTime: durationOf('ServerStabilizationTime', given.ServerStabilizationTime),
  RedundancyZoneTag: given.RedundancyZoneTag ?? '',
  DisableUpgradeMigration: given.DisableUpgradeMigration ?? false,
  UpgradeVersionTag: given.UpgradeVersionTag ?? ''
})

const shown = (configuration: Autopilot) => ({
  ...configuration,
  LastContactThreshold: formatDuration(configuration.LastContactThreshold),
  ServerStabilizationTime: formatDuration(configuration.ServerStabilizationTime)
})

export const operatorRoutes = (servers: Servers): readonly Route[] => [
  route({
    ...read,
    runs: 'here',
    path: '/v1/operator/raft/configuration',
    operationId: 'readRaftConfiguration',
    summary: 'The servers of the cluster, who leads and who votes',
    response: raftConfiguration,
    handle: request => {
      requireRead(request)
      return json(raftServers(servers))
    }
  }),
  route({
    ...write,
    method: 'DELETE',
    path: '/v1/operator/raft/peer',
    process: 'main',
    operationId: 'removeRaftPeer',
    summary: 'Forget a server of the cluster that is not heard of any more',
    idempotency: 'nothing written',
    query: { id: 'ID of the server', address: 'Its address, in place of id' },
    handle: async request => {
      const { query } = request
      const [id, address] = [query.get('id'), query.get('address')]
      if (id === undefined && address === undefined)
        throw invalid(
          "Must specify either ?id with the server's ID or ?address with IP:port of peer to remove"
        )
      if (id !== undefined && address !== undefined) throw invalid('Must specify only one of ?id or ?address')
      request.require('operator', 'write')
      const [named, text] = id === undefined ? ['address', address] : ['id', id]
      const list = servers.list()
      const known = list.find(server => server.id === id || addressOf(server) === address)
      if (!known) throw invalid(`${named} "${text}" was not found in the Raft configuration`)
      if (list.length === 1)
        throw invalid(`${named} "${text}" is the only server of the cluster, which cannot be removed`)
      await servers.forget(known.id)
      return json(true)
    }
  }),
  route({
    ...read,
    path: '/v1/operator/autopilot/configuration',
    operationId: 'readAutopilotConfiguration',
    summary: 'How the servers of the cluster are looked after',
    past: historyOfResource(() => clusterResource(AUTOPILOT_TOPIC, AUTOPILOT_KEY)),
    response: autopilotConfiguration,
    handle: request => {
      requireRead(request)
      return json(shown(request.views.autopilot.current))
    }
  }),
  bodyRoute({
    ...write,
    method: 'PUT',
    path: '/v1/operator/autopilot/configuration',
    operationId: 'updateAutopilotConfiguration',
    summary: 'Set how the servers of the cluster are looked after; kept, and without effect',
    query: { cas: 'Store only if this is the index of the last change, 0 if there was none' },
    body: { schema: autopilotBody, name: 'Autopilot', failure: 'Error parsing autopilot config' },
    response: stored,
    handle: (request, given) => {
      const settings = settingsIn(given)
      const cas = casOf(request)
      request.require('operator', 'write')
      const isHeld = cas === undefined || cas === request.views.autopilot.current.ModifyIndex
      const command = request.command('SetAutopilot', { settings, cas })
      return request.write(inCluster(AUTOPILOT_TOPIC, AUTOPILOT_KEY), command, () => json(isHeld))
    }
  }),
  route({
    ...read,
    runs: 'here',
    path: '/v1/operator/autopilot/health',
    operationId: 'readAutopilotHealth',
    summary: 'Whether the servers of the cluster are healthy: 200, or 429',
    response: autopilotHealth,
    outcomes: {
      429: {
        description: 'A server cannot write its log or is not heard of, or nobody leads',
        response: autopilotHealth
      }
    },
    handle: request => {
      requireRead(request)
      const health = serverHealth(servers)
      return { ...json(health), status: health.Healthy ? 200 : 429 }
    }
  }),
  route({
    ...read,
    runs: 'here',
    path: '/v1/operator/autopilot/state',
    operationId: 'readAutopilotState',
    summary: 'The servers of the cluster by ID, with their health and roles',
    response: autopilotState,
    handle: request => {
      requireRead(request)
      return json(serverStates(servers))
    }
  })
]
