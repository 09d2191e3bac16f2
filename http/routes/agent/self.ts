// The server's description of itself (spec: state.md §8, decisions.md 32).
import * as Type from 'typebox'
import { statfs } from 'node:fs/promises'
import { cpus, freemem, hostname, loadavg, platform, release, totalmem, uptime } from 'node:os'
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { json, plain } from '../../wire/response.js'
import type { CheckRunners } from '../../../actors/processes/check-runners.js'
import type { LogReader } from '../../../events/log/log.js'
import type { Metrics } from '../../../server/telemetry/metrics/metrics.js'
import type { Settings } from '../../../server/settings/settings.js'
import type { RequestContext } from '../../wire/request-context.js'
import { readable } from '../../wire/reads/filter.js'
import { anyToken, requires, route, type Route } from '../../wire/route.js'
import { agentSelf, host, memberView, metricsView } from '../../schemas/agent-responses.js'
import { COMPATIBLE_VERSION, programVersion } from '../../../events/version.js'
import { advertisedOf, hostPort } from '../../../server/settings/listeners.js'
import type { Server, Servers } from '../operator/cluster-servers.js'
import { ORIGIN } from '../../../projections/catalog/vivaldi.js'
import type { DatacenterList, RemoteServer } from '../catalog/datacenter-list.js'
import type { WorkerState } from './worker-states.js'
import { addressOf, RPC_PORT } from '../operator/status.js'

const SERF_PORT = 8301
const ALIVE = 1
const FAILED = 4
const PROTOCOL = { Min: 1, Max: 5, Cur: 2 }
const facts = {
  tag: 'Agent',
  method: 'GET',
  tenancy: 'none',
  runs: 'here'
} as const

const member = (
  { acl }: Pick<Settings, 'acl'>,
  { id, name, bind, isLive }: RemoteServer,
  { datacenter, isOnly }: { readonly datacenter: string; readonly isOnly: boolean }
) => ({
  Name: name,
  Addr: bind,
  Port: SERF_PORT,
  Tags: {
    role: 'consul',
    dc: datacenter,
    id,
    build: `${COMPATIBLE_VERSION}:annals`,
    acls: acl.enabled ? '1' : '0',
    ...(isOnly ? { bootstrap: '1' } : {}),
    port: String(RPC_PORT),
    segment: '',
    vsn: String(PROTOCOL.Cur),
    vsn_min: String(PROTOCOL.Min),
    vsn_max: String(PROTOCOL.Max)
  },
  Status: isLive ? ALIVE : FAILED,
  ProtocolMin: PROTOCOL.Min,
  ProtocolMax: PROTOCOL.Max,
  ProtocolCur: PROTOCOL.Cur,
  DelegateMin: 2,
  DelegateMax: 5,
  DelegateCur: 4
})

/** Returns the server's own entry. The cluster may not know it yet. */
const itselfIn = ({ settings, views }: RequestContext, servers: Servers): Server =>
  servers.list().find(({ id }) => id === settings.node_id) ?? {
    id: settings.node_id,
    name: settings.node_name,
    bind: settings.bind,
    address: advertisedOf(settings),
    version: programVersion(),
    meta: settings.node_meta,
    isLeader: false,
    isLive: true,
    isHealthy: false,
    lastIndex: views.index,
    lastContact: 0,
    since: 0
  }

/** Returns undefined for a folder that cannot be read, such as that of a log in memory. */
const diskOf = async (path: string) => {
  try {
    const { bsize, blocks, bavail, bfree } = await statfs(path)
    const [total, used] = [blocks * bsize, (blocks - bfree) * bsize]
    return { path, total, free: bavail * bsize, used, usedPercent: (100 * used) / (total || 1) }
  } catch {
    return undefined
  }
}

/** @param now in epoch ms */
const hostOf = async (now: number, folder: string) => ({
  Memory: { total: totalmem(), available: freemem(), used: totalmem() - freemem() },
  CPU: cpus().map(({ model, speed }, cpu) => ({ cpu, modelName: model, mhz: speed })),
  Host: {
    hostname: hostname(),
    uptime: Math.floor(uptime()),
    os: platform(),
    kernelVersion: release(),
    load: loadavg()
  },
  Disk: await diskOf(folder),
  CollectionTime: Math.floor(now * 1e6),
  Errors: null
})

const shownWorkers = (states: readonly WorkerState[]) =>
  Object.fromEntries(
    states.map(({ number, pid, state, since, sign, behind }) => [
      `worker_${number}`,
      {
        pid: pid === undefined ? '' : String(pid),
        state,
        since: new Date(since).toISOString(),
        applied_index: String(sign?.index ?? 0),
        behind_commits: String(behind),
        memory_bytes: String(sign?.bytes ?? 0)
      }
    ])
  )

const self = (request: RequestContext, { log, checkRunners, servers, area, workers }: AgentSelfParts) => {
  const { settings, views } = request
  const itself = itselfIn(request, servers)
  const leader = servers.leader()
  const isOnly = servers.list().length <= 1
  const { ttls, monitors } = checkRunners.counts
  return {
    Config: {
      Datacenter: settings.datacenter,
      PrimaryDatacenter: settings.primary_datacenter,
      NodeName: settings.node_name,
      NodeID: settings.node_id,
      Revision: `annals-${programVersion()}`,
      Server: true,
      Version: `${COMPATIBLE_VERSION}${settings.advertise_namespaces ? '+ent' : ''}`
    },
    DebugConfig: {
      SessionTTLMin: '10s',
      ACLsEnabled: settings.acl.enabled,
      ACLDefaultPolicy: settings.acl.default_policy,
      DataDir: settings.data_dir,
      // Go's clients require it for joins.
      SerfAdvertiseAddrLAN: `tcp://${hostPort(settings.bind, SERF_PORT)}`
    },
    Coord: ORIGIN,
    Member: member(settings, itself, { datacenter: settings.datacenter, isOnly }),
    Stats: {
      ...(settings.advertise_namespaces ? { license: { features: 'Namespaces' } } : {}),
      agent: { check_monitors: String(monitors), check_ttls: String(ttls) },
      consul: {
        acl: settings.acl.enabled ? 'enabled' : 'disabled',
        bootstrap: String(isOnly),
        known_datacenters: String(1 + area.others().length),
        leader: String(itself.isLeader),
        leader_addr: leader ? addressOf(leader) : '',
        server: 'true'
      },
      raft: {
        applied_index: String(views.index),
        commit_index: String(log.durableIndex),
        state: itself.isLeader ? 'Leader' : 'Follower'
      },
      runtime: { os: process.platform, arch: process.arch, version: process.version },
      ...shownWorkers(workers())
    },
    Meta: settings.node_meta
  }
}

interface AgentSelfParts {
  readonly log: LogReader
  readonly checkRunners: CheckRunners
  readonly servers: Servers
  readonly area: DatacenterList
  readonly metrics: Metrics
  readonly workers: () => readonly WorkerState[]
}

const memberListRoute = (parts: AgentSelfParts): Route =>
  route({
    ...facts,
    access: anyToken('members without node:read are left out'),
    path: '/v1/agent/members',
    operationId: 'listMembers',
    summary: 'The members of the cluster',
    query: { wan: 'Also those of other datacenters, with the datacenter in the names' },
    response: Type.Array(memberView),
    handle: request => {
      const { settings, query } = request
      const isWide = query.filled('wan') !== undefined
      const own = { name: settings.datacenter, servers: parts.servers.list() }
      const all = (isWide ? [own, ...parts.area.others()] : [own]).flatMap(({ name: datacenter, servers }) =>
        servers.map(server => ({ server, datacenter, isOnly: servers.length <= 1 }))
      )
      const { entries, headers } = readable(request, all, ({ server }) =>
        request.may('node', 'read', server.name, DEFAULT_TENANCY)
      )
      const shown = entries.map(({ server, ...place }) => {
        const { Name, ...rest } = member(settings, server, place)
        return { Name: isWide ? `${Name}.${place.datacenter}` : Name, ...rest }
      })
      return json(shown, headers)
    }
  })

export const agentSelfRoutes = (parts: AgentSelfParts): readonly Route[] => [
  route({
    ...facts,
    access: requires('agent:read', 'on the name of the server'),
    path: '/v1/agent/self',
    operationId: 'readAgent',
    summary: 'The configuration and state of the server',
    response: agentSelf,
    handle: request => {
      request.require('agent', 'read', request.settings.node_name)
      return json(self(request, parts))
    }
  }),
  memberListRoute(parts),
  route({
    ...facts,
    access: requires('operator:read'),
    path: '/v1/agent/host',
    operationId: 'readHost',
    summary: 'The machine that the server runs on',
    response: host,
    handle: async request => {
      request.require('operator', 'read')
      return json(await hostOf(request.now, request.settings.data_dir))
    }
  }),
  route({
    ...facts,
    access: requires('agent:read', 'on the name of the server'),
    path: '/v1/agent/metrics',
    operationId: 'readMetrics',
    summary: 'What the server counts about itself',
    query: { format: '`prometheus` for the text format of Prometheus' },
    response: metricsView,
    rawResponse: {
      type: 'text/plain',
      description: 'With format: the text format of Prometheus',
      example: 'annals_log_index 42\n'
    },
    handle: async request => {
      const { settings } = request
      request.require('agent', 'read', settings.node_name)
      const format = request.query.filled('format')
      if (format === undefined) return json(await parts.metrics.toJson(settings.compat))
      if (format !== 'prometheus')
        throw invalid('agent.invalid', `format "${format}" is not known: only "prometheus" is`)
      return { ...plain(200, await parts.metrics.prometheus()), type: parts.metrics.prometheusType }
    }
  })
]
