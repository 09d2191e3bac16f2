// What the server says of itself (spec: state.md §8, decisions.md 32).
import * as Type from 'typebox'
import { cpus, freemem, hostname, loadavg, platform, release, totalmem, uptime } from 'node:os'
import { invalid } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { json, plain } from '../../wire/answer.js'
import type { CheckRunners } from '../../../actors/processes/check-runners.js'
import type { EventLog } from '../../../events/log/log.js'
import type { Metrics } from '../../metrics/metrics.js'
import type { Settings } from '../../settings/settings.js'
import type { ApiRequest } from '../../wire/request.js'
import { readable } from '../../wire/reads/filtered.js'
import { anyToken, needs, route, type Route } from '../../wire/route.js'
import { agentSelf, host, memberShown, metricsShown } from '../../schemas/agent-answers.js'
import { COMPATIBLE_VERSION, programVersion } from '../../program/version.js'
import { hostPort } from '../../settings/listeners.js'
import { RPC_PORT, serverAddress } from '../operator/status.js'

const SERF_PORT = 8301
const ALIVE = 1
const PROTOCOL = { Min: 1, Max: 5, Cur: 2 }
const facts = {
  tag: 'Agent',
  method: 'GET',
  blocking: false,
  consistency: 'none',
  caching: 'none',
  tenancy: 'none',
  runs: 'here'
} as const

/** The server as a member of its own cluster of one. */
export const member = (settings: Settings) => ({
  Name: settings.node_name,
  Addr: settings.bind,
  Port: SERF_PORT,
  Tags: {
    role: 'consul',
    dc: settings.datacenter,
    id: settings.node_id,
    build: `${COMPATIBLE_VERSION}:annals`,
    acls: settings.acl.enabled ? '1' : '0',
    bootstrap: '1',
    port: String(RPC_PORT),
    segment: '',
    vsn: String(PROTOCOL.Cur),
    vsn_min: String(PROTOCOL.Min),
    vsn_max: String(PROTOCOL.Max)
  },
  Status: ALIVE,
  ProtocolMin: PROTOCOL.Min,
  ProtocolMax: PROTOCOL.Max,
  ProtocolCur: PROTOCOL.Cur,
  DelegateMin: 2,
  DelegateMax: 5,
  DelegateCur: 4
})

/** Facts of the machine. `now` is in epoch milliseconds. */
const hostOf = (now: number) => ({
  Memory: { total: totalmem(), available: freemem(), used: totalmem() - freemem() },
  CPU: cpus().map(({ model, speed }, cpu) => ({ cpu, modelName: model, mhz: speed })),
  Host: {
    hostname: hostname(),
    uptime: Math.floor(uptime()),
    os: platform(),
    kernelVersion: release(),
    load: loadavg()
  },
  CollectionTime: Math.floor(now * 1e6),
  Errors: null
})

const self = ({ settings, views }: ApiRequest, log: EventLog, checkRunners: CheckRunners) => {
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
      // Go's clients take this for granted: by it they have servers join.
      SerfAdvertiseAddrLAN: `tcp://${hostPort(settings.bind, SERF_PORT)}`
    },
    Coord: { Vec: [0, 0, 0, 0, 0, 0, 0, 0], Error: 1.5, Adjustment: 0, Height: 0.00001 },
    Member: member(settings),
    Stats: {
      ...(settings.advertise_namespaces ? { license: { features: 'Namespaces' } } : {}),
      agent: { check_monitors: String(monitors), check_ttls: String(ttls) },
      consul: {
        acl: settings.acl.enabled ? 'enabled' : 'disabled',
        bootstrap: 'true',
        known_datacenters: '1',
        leader: 'true',
        leader_addr: serverAddress(settings),
        server: 'true'
      },
      raft: { applied_index: String(views.index), commit_index: String(log.durableIndex), state: 'Leader' },
      runtime: { os: process.platform, arch: process.arch, version: process.version }
    },
    Meta: settings.node_meta
  }
}

export const agentSelfRoutes = (
  log: EventLog,
  checkRunners: CheckRunners,
  metrics: Metrics
): readonly Route[] => [
  route({
    ...facts,
    access: needs('agent:read', 'on the name of the server'),
    path: '/v1/agent/self',
    operationId: 'readAgent',
    summary: 'The configuration and state of the server',
    response: agentSelf,
    handle: request => {
      request.require('agent', 'read', request.settings.node_name)
      return json(self(request, log, checkRunners))
    }
  }),
  route({
    ...facts,
    access: anyToken('members without node:read are left out'),
    path: '/v1/agent/members',
    operationId: 'listMembers',
    summary: 'The members of the cluster: this server',
    query: { wan: 'With the datacenter in the names' },
    response: Type.Array(memberShown),
    handle: request => {
      const { settings, query } = request
      const { node_name, datacenter } = settings
      const own = member(settings)
      const shown = query.filled('wan') ? { ...own, Name: `${node_name}.${datacenter}` } : own
      const { entries, headers } = readable(request, [shown], () =>
        request.may('node', 'read', node_name, DEFAULT_TENANCY)
      )
      return json(entries, headers)
    }
  }),
  route({
    ...facts,
    access: needs('operator:read'),
    path: '/v1/agent/host',
    operationId: 'readHost',
    summary: 'The machine that the server runs on',
    response: host,
    handle: request => {
      request.require('operator', 'read')
      return json(hostOf(request.now))
    }
  }),
  route({
    ...facts,
    access: needs('agent:read', 'on the name of the server'),
    path: '/v1/agent/metrics',
    operationId: 'readMetrics',
    summary: 'What the server counts about itself',
    query: { format: '`prometheus` for the text format of Prometheus' },
    response: metricsShown,
    rawResponse: {
      type: 'text/plain',
      description: 'With format: the text format of Prometheus',
      example: 'annals_log_index 42\n'
    },
    handle: async request => {
      const { settings } = request
      request.require('agent', 'read', settings.node_name)
      const format = request.query.filled('format')
      if (format === undefined) return json(await metrics.toJson(settings.compat))
      if (format !== 'prometheus') throw invalid(`format "${format}" is not known: only "prometheus" is`)
      return { ...plain(200, await metrics.prometheus()), type: metrics.prometheusType }
    }
  })
]
