// The servers of the cluster and their settings, for operators.
import type { Static } from 'typebox'
import { inCluster } from '../../../actors/ref.js'
import { invalidWith, invalid } from '../../../actors/refusal.js'
import {
  type Autopilot,
  AUTOPILOT_KEY,
  autopilotEvents,
  type AutopilotSettings
} from '../../../events/cluster.js'
import { formatDuration, parseDuration, MILLISECOND } from '../../../events/duration.js'
import { json } from '../../wire/response.js'
import { readOptions } from '../../wire/reads/blocking.js'
import { casOf } from '../config/entry-request.js'
import { historyOfResource, clusterResource } from '../../wire/history-declaration.js'
import { bodyRoute, requires, route, type Route, type RouteFacts } from '../../wire/route.js'
import {
  autopilotBody,
  autopilotConfiguration,
  autopilotHealth,
  autopilotState,
  raftConfiguration
} from '../../schemas/operator.js'
import { stored } from '../../schemas/config.js'
import type { Servers, Server } from './cluster-servers.js'
import { addressOf } from './status.js'
import { formatTime } from '../../../events/time.js'
import { COMPATIBLE_VERSION } from '../../../events/version.js'

const invalidParameter = invalidWith('operator.invalid')

const PROTOCOL_VERSION = '3'

const raftServers = (servers: Servers) => ({
  Servers: servers.list().map(server => ({
    ID: server.id,
    Node: server.name,
    Address: addressOf(server),
    Leader: server.isLeader,
    ProtocolVersion: PROTOCOL_VERSION,
    Voter: true,
    LastIndex: server.lastIndex
  })),
  // As in the reference, the configuration has no index of its own.
  Index: 0
})

const statusOf = ({ isLive }: Server): string => (isLive ? 'alive' : 'failed')

const condition = (server: Server, term: number) => ({
  Version: COMPATIBLE_VERSION,
  LastContact: formatDuration(server.lastContact * MILLISECOND),
  LastTerm: term,
  LastIndex: server.lastIndex,
  Healthy: server.isHealthy,
  StableSince: formatTime(server.since)
})

const identity = (server: Server) => ({ ID: server.id, Name: server.name, Address: addressOf(server) })

/** Returns true if all servers are healthy and one leads. */
const isHealthy = (servers: Servers): boolean =>
  servers.leader() !== undefined && servers.list().every(server => server.isHealthy)

const serverHealth = (servers: Servers) => ({
  Healthy: isHealthy(servers),
  FailureTolerance: servers.tolerance(),
  Servers: servers.list().map(server => {
    const { Version, ...rest } = condition(server, servers.term())
    return {
      ...identity(server),
      SerfStatus: statusOf(server),
      Version,
      Leader: server.isLeader,
      Voter: true,
      ...rest
    }
  })
})

const serverStates = (servers: Servers) => {
  const list = servers.list()
  const states = list.map(server => {
    const { Healthy, ...rest } = condition(server, servers.term())
    const state = {
      ...identity(server),
      NodeStatus: statusOf(server),
      ...rest,
      Healthy,
      ReadReplica: false,
      Status: server.isLeader ? 'leader' : 'voter',
      Meta: server.meta,
      NodeType: 'voter'
    }
    return [server.id, state] as const
  })
  return {
    Healthy: isHealthy(servers),
    FailureTolerance: servers.tolerance(),
    OptimisticFailureTolerance: servers.tolerance(),
    Servers: Object.fromEntries(states),
    Leader: servers.leader()?.id ?? '',
    Voters: list.map(({ id }) => id)
  }
}

const facts = { tag: 'Operator', tenancy: 'none' } as const
const read = { ...facts, method: 'GET', access: requires('operator:read'), consistency: 'all' } as const
const write = { ...facts, access: requires('operator:write') } as const

/** Creates a read route. Contradicting options are rejected even though most have no effect. */
const readRoute = ({
  handle,
  ...others
}: Omit<RouteFacts, 'method' | 'tag' | 'access'> & Pick<Route, 'handle'>): Route =>
  route({
    ...read,
    ...others,
    handle: request => {
      readOptions(request)
      request.require('operator', 'read')
      return handle(request)
    }
  })

/** Nanoseconds. @throws Refusal `invalid` */
const durationOf = (field: string, given: string | number = 0): number => {
  const ns = typeof given === 'number' ? Math.trunc(given) : parseDuration(given)
  if (ns === undefined || ns < 0 || ns > Number.MAX_SAFE_INTEGER)
    throw invalidParameter(
      `Error parsing autopilot config: field "${field}" must be a duration such as 200ms`
    )
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

const peerRemovalRoute = (servers: Servers): Route =>
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
          'operator.invalid',
          "Must specify either ?id with the server's ID or ?address with IP:port of peer to remove"
        )
      if (id !== undefined && address !== undefined)
        throw invalidParameter('Must specify only one of ?id or ?address')
      request.require('operator', 'write')
      const [named, text] = id === undefined ? ['address', address] : ['id', id]
      const list = servers.list()
      const known = list.find(server => server.id === id || addressOf(server) === address)
      if (!known) throw invalidParameter(`${named} "${text}" was not found in the Raft configuration`)
      if (list.length === 1)
        throw invalidParameter(
          `${named} "${text}" is the only server of the cluster, which cannot be removed`
        )
      await servers.forget(known.id)
      return json(true)
    }
  })

export const operatorRoutes = (servers: Servers): readonly Route[] => [
  readRoute({
    runs: 'here',
    path: '/v1/operator/raft/configuration',
    operationId: 'readRaftConfiguration',
    summary: 'The servers of the cluster, who leads and who votes',
    response: raftConfiguration,
    handle: () => json(raftServers(servers))
  }),
  peerRemovalRoute(servers),
  readRoute({
    path: '/v1/operator/autopilot/configuration',
    operationId: 'readAutopilotConfiguration',
    summary: 'How the servers of the cluster are looked after',
    past: historyOfResource(() => clusterResource(autopilotEvents.topic, AUTOPILOT_KEY)),
    response: autopilotConfiguration,
    handle: request => json(shown(request.views.autopilot.current))
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
      return request.write(inCluster(autopilotEvents.topic, AUTOPILOT_KEY), command, () => json(isHeld))
    }
  }),
  readRoute({
    runs: 'here',
    path: '/v1/operator/autopilot/health',
    operationId: 'readAutopilotHealth',
    summary: 'Whether the servers of the cluster are healthy: 200, or 429',
    response: autopilotHealth,
    outcomes: {
      429: {
        description: 'A server cannot write its log or is unresponsive, or there is no leader',
        response: autopilotHealth
      }
    },
    handle: () => {
      const health = serverHealth(servers)
      return { ...json(health), status: health.Healthy ? 200 : 429 }
    }
  }),
  readRoute({
    runs: 'here',
    path: '/v1/operator/autopilot/state',
    operationId: 'readAutopilotState',
    summary: 'The servers of the cluster by ID, with their health and roles',
    response: autopilotState,
    handle: () => json(serverStates(servers))
  })
]
