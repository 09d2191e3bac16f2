// The components of a standalone server, a cluster member and a worker: their start order and what they need.
import test, { type ExecutionContext } from 'ava'
import { mkdirSync } from 'node:fs'
import { nameOf, startOrder, type Component } from '../../server/component.js'
import { standaloneComponents } from '../../server/components.js'
import { clusterMemberComponents } from '../../server/cluster/members/clustered-server.js'
import { workerComponents } from '../../server/cluster/workers/worker.js'
import { Workers } from '../../server/cluster/workers/workers.js'
import { datacenterServices, datacenterServicesOfWorker } from '../../server/datacenter-services.js'
import { logFolder, type Settings } from '../../server/settings/settings.js'
import { traceExport } from '../../server/trace-export.js'
import { testSettings } from '../support/server.js'

/** Returns a line for each component in the order of the start, with its needs. */
const graphOf = (components: readonly Component[]): readonly string[] =>
  startOrder(components).map(({ token, needs }) =>
    needs.length === 0 ? nameOf(token) : `${nameOf(token)}: ${needs.map(nameOf).join(', ')}`
  )

/** Compares a graph with what is expected, and prints it. */
const check = (t: ExecutionContext, components: readonly Component[], expected: string): void => {
  const graph = graphOf(components)
  t.log(graph.join('\n'))
  t.deepEqual(graph, expected.trim().split(/\n\s*/))
}

const settingsOf = (t: ExecutionContext, config: Record<string, unknown> = {}): Settings => {
  const settings = testSettings(t, { config })
  mkdirSync(logFolder(settings.data_dir), { recursive: true })
  return settings
}

/** The settings of a secondary datacenter with all capabilities. */
const secondary = (t: ExecutionContext): Settings =>
  settingsOf(t, {
    datacenter: 'dc2',
    primary_datacenter: 'dc1',
    datacenters: { dc1: { url: 'http://127.0.0.1:1' } }
  })

/** What servers that can lead have in common. */
const FROM_CLIENT_TO_DRAIN = `
  GuardedClient: Destinations, OutgoingCertificates
  Logger
  Deadlines
  ClockWatch: Deadlines
  LogWitnesses: LogEvidence, OutgoingCertificates, GuardedClient
  CheckRunners: Committer, Deadlines, GuardedClient
  CursorReports: Committer
  ResponseExpiration: Committer
  TokenUseFile: Committer
  AccessUsageFiles: Committer
  Logins
  ServerMetrics
  ServerSnapshots: Committer
  ErasureProcess: Committer, Deadlines, ServerSnapshots
  DenialLog: OwnLog
  HttpServer
  ImpactThread
  RequestDrain: Committer, Deadlines, DenialLog, HttpServer, ServerMetrics, CheckRunners, ErasureProcess, GuardedClient, ImpactThread, LogWitnesses, Logins, ServerSnapshots
`.trim()

const END_OF_MEMBER = `
  ClusterDependencies: Committer, RequestDrain, SharedLog
  Webhooks: RequestDrain
  LeaderProcesses: RequestDrain, Webhooks, ClusterDependencies
  Listeners: RequestDrain, LeaderProcesses
  ServerCluster: ClusterDependencies, LeaderProcesses, Listeners
`.trim()

const END_OF_WORKER = `
  Reload
  Deadlines
  ReportsToMain: Committer
  ServerMetrics
  DenialLog: OwnLog
  HttpServer
  RequestDrain: Committer, Deadlines, DenialLog, HttpServer, ServerMetrics, ReportsToMain
  FeedFollower: Committer, RequestDrain
  Listeners: RequestDrain, FeedFollower
`.trim()

test('a standalone server leads before it listens', t => {
  check(
    t,
    standaloneComponents(settingsOf(t)),
    `
    OwnLog
    LogEvidence: OwnLog
    Committer: OwnLog, LogEvidence
    Destinations: Committer
    OutgoingCertificates
    ${FROM_CLIENT_TO_DRAIN}
    Webhooks: RequestDrain
    LeaderProcesses: RequestDrain, Webhooks
    Listeners: RequestDrain, LeaderProcesses
    Reload: Destinations, Listeners
  `
  )
})

test('a cluster member joins after it listens, and leaves before its requests end', t => {
  check(
    t,
    clusterMemberComponents(settingsOf(t)),
    `
    OwnLog
    ClusterCertificates
    SharedLog: OwnLog
    LogEvidence: OwnLog
    Committer: OwnLog, LogEvidence
    Destinations: Committer
    OutgoingCertificates
    ${FROM_CLIENT_TO_DRAIN}
    ${END_OF_MEMBER}
    Reload: Destinations, Listeners
  `
  )
})

test('a worker listens after it has caught up', t => {
  check(
    t,
    workerComponents({}),
    `
    OwnLog
    ClusterCertificates
    Committer: OwnLog
    ${END_OF_WORKER}
  `
  )
})

test('a cluster member with traces, other datacenters and workers', t => {
  const settings = secondary(t)
  const more = {
    tracing: traceExport('http://127.0.0.1:1', '').components,
    datacenters: datacenterServices(settings).components,
    workers: new Workers(settings).components
  }
  check(
    t,
    clusterMemberComponents(settings, more),
    `
    OwnLog
    ClusterCertificates
    SharedLog: OwnLog
    Traces
    LogEvidence: OwnLog
    Committer: OwnLog, LogEvidence
    Destinations: Committer
    OutgoingCertificates
    RemoteTokenCache
    DatacenterConnections: OutgoingCertificates
    RoundTrips: DatacenterConnections
    FederationStates: DatacenterConnections
    ReplicationFollower
    ${FROM_CLIENT_TO_DRAIN}
    ${END_OF_MEMBER}
    Workers: Listeners
    Reload: Destinations, Listeners
  `
  )
})

test('a worker with traces and other datacenters', t => {
  const more = {
    tracing: traceExport('http://127.0.0.1:1', '/1').components,
    datacenters: datacenterServicesOfWorker(secondary(t)).components
  }
  check(
    t,
    workerComponents(more),
    `
    OwnLog
    ClusterCertificates
    Traces
    Committer: OwnLog
    OutgoingCertificates
    RemoteTokenCache
    DatacenterConnections: OutgoingCertificates
    RoundTrips: DatacenterConnections
    FederationStates: DatacenterConnections
    ${END_OF_WORKER}
  `
  )
})
