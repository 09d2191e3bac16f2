// Starts a cluster member. Only this module loads the cluster code.
import { setTimeout } from 'node:timers/promises'
import type { DependencyContainer } from 'tsyringe'
import { nodeRef } from '../../../actors/catalog/catalog.js'
import { Clock, Timers } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { ErasureProcess } from '../../../actors/erasure/erasure-process.js'
import { LeaderProcesses } from '../../../actors/processes/leader-processes.js'
import { CompactionFloor } from '../../../actors/processes/compaction-floor.js'
import { EtcdQuotaGuard } from '../../../actors/processes/etcd-quota-guard.js'
import { ActorSystem } from '../../../actors/system.js'
import { ClusterLink } from '../../../events/log/cluster/cluster-link.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { SharedLog } from '../../../events/log/cluster/shared-log.js'
import { SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import { LogUnusable } from '../../../events/log/log.js'
import { Views } from '../../../projections/read-models.js'
import { factory } from '../../../actors/factories.js'
import { component, type Capability, type Component } from '../../component.js'
import { memberComponents, type MemberComponents, type OptionalComponents } from '../../components.js'
import { registerLeaderProcesses } from '../../leader-process-registration.js'
import { Listeners, RequestDrain } from '../../components.js'
import { runServer, type RunningServer } from '../../running-server.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { LOGGER, OWN_LOG, SETTINGS } from '../../settings/ports.js'
import type { AdmitMachine } from '../../../http/routes/internal/join.js'
import { MemberNodes } from '../../../http/routes/agent/member-nodes.js'
import type { LiveSettings, Settings } from '../../settings/settings.js'
import { keepCertificates } from '../etcd/certificate-renewal.js'
import type { EtcdSupervisor } from '../etcd/etcd-supervisor.js'
import { checkAdmission, NameTaken, replaceNamesakes } from './admission.js'
import { CLUSTER_MEMBER, ClusterDependencies } from './cluster-dependencies.js'
import { ServerCluster } from './server-cluster.js'
import { SHARED_LOG } from './shared-log.js'
import { ADMIT_MACHINE } from './register-cluster.js'
import { RestoredArchives } from './shared-restores.js'
import { admitToCluster, openClusteredLog, sharedLogOf } from './clustered-log.js'
import type { LocalLogOptions, ClusterLogOptions } from './clustered-log.js'

const measureCluster = (metrics: Metrics, cluster: ServerCluster): void => {
  metrics.gauge('annals_cluster_leading', '1 on the server that leads the cluster, 0 on the others', () =>
    cluster.role() === 'leading' ? 1 : 0
  )
  metrics.gauge(
    'annals_cluster_last_contact_seconds',
    'For how long nothing has proved that what this server shows is the newest',
    () => cluster.lastContact() / 1000
  )
  metrics.gauge(
    'annals_cluster_behind_commits',
    'Commits of the cluster that this server lacks',
    () => cluster.behind
  )
  metrics.gauge(
    'annals_cluster_clock_offset_seconds',
    'How far the clock of this server is ahead of that of the leader; on the leader, of the median of all clocks',
    () => cluster.clockOffset() / 1000
  )
  metrics.gauge(
    'annals_cluster_servers',
    'Servers of the cluster that are heard of',
    () => cluster.servers.list().filter(({ isLive }) => isLive).length
  )
}

/** @param quota in bytes */
const measureQuota = (metrics: Metrics, guard: EtcdQuotaGuard, quota: number): void => {
  metrics.gauge('annals_cluster_etcd_bytes', 'What etcd holds, as the leader sees it', () => guard.bytes)
  metrics.gauge('annals_cluster_etcd_quota_bytes', 'What it may hold (`cluster.etcd.quota`)', () => quota)
  metrics.gauge('annals_cluster_etcd_short', '1 on the leader while it takes only deletions for that', () =>
    guard.isShort ? 1 : 0
  )
}

/** Loads the certificate library with the first machine that joins. */
const lazyAdmission =
  (settings: Settings): AdmitMachine =>
  async input =>
    (await import('../etcd/admit-machine.js')).admitMachine(settings, input)

const measureMembers = (metrics: Metrics, supervisor: EtcdSupervisor): void => {
  metrics.gauge(
    'annals_cluster_etcd_members',
    'Members of the managed etcd that answer',
    () => supervisor.members.filter(({ status }) => status !== undefined).length
  )
  metrics.gauge('annals_cluster_etcd_alarms', 'Alarms of the managed etcd', () =>
    supervisor.members.reduce((sum, { alarms }) => sum + alarms.length, 0)
  )
  metrics.gauge(
    'annals_cluster_etcd_restarts',
    'How often this server has started its ended member of etcd again',
    () => supervisor.restarts
  )
}

const RETRY_MS = 500

export interface ClusteredOptions extends ClusterLogOptions {
  /** Replaces registrations, for tests. */
  readonly override?: (scope: DependencyContainer) => void
  /** Replaces etcd, for tests. */
  readonly shared?: SharedLog
  /** Workers that share the server's ports and its own log. */
  readonly workers?: Capability & LocalLogOptions
}

/** Like `startServer`, with the log of the cluster. It listens before it has caught up, so requests may wait or be refused. */
export const startClusteredServer = async (
  live: LiveSettings,
  { override, shared: given, workers, ...options }: ClusteredOptions
): Promise<RunningServer> => {
  const settings = live.current
  const supervisor = settings.cluster.etcd.managed
    ? await (await import('../etcd/etcd-supervisor.js')).EtcdSupervisor.start(settings, options.report)
    : undefined
  const shared = given ?? sharedLogOf(settings)
  const ending = new AbortController()
  void keepCertificates(settings, options.report, ending.signal)
  try {
    const link = new ClusterLink(shared)
    const log = await openClusteredLog(settings, link, { ...options, feed: workers?.logFeed })
    await checkStart(settings, shared, log)
    workers?.use(log)
    const { prefix } = settings.cluster.etcd
    const cluster = new ServerCluster(settings, {
      shared,
      link,
      log,
      admit: async () => {
        await endForeign(() => admitToCluster(log, shared, prefix), options.fatal)
        await checkAdmission(settings, shared)
        await replaceNamesakes(settings, shared)
      },
      onWaiting: options.waiting?.onChange ?? (() => {})
    })
    const running = await runServer(live, log, {
      register: scope => {
        cluster.register(scope)
        registerLeaderWork(scope)
        if (supervisor) scope.registerInstance(ADMIT_MACHINE, lazyAdmission(settings))
      },
      components: clusterMemberComponents,
      workers,
      override
    })
    if (supervisor) measureMembers(running.scope.resolve(Metrics), supervisor)
    const close = async (): Promise<void> => {
      ending.abort()
      await running.close()
      await supervisor?.stop()
    }
    return { ...running, close }
  } catch (error) {
    ending.abort()
    await shared.close()
    await supervisor?.stop()
    throw error
  }
}

/** Stops a server whose folder belongs to the log of another cluster, because its commits can never be shared. */
const endForeign = async (admission: () => Promise<void>, end: ClusterLogOptions['fatal']): Promise<void> => {
  try {
    await admission()
  } catch (error) {
    if (error instanceof LogUnusable) end?.(error)
    throw error
  }
}

interface Closable {
  close(): Promise<void>
}

/** Checks that the server may join. Without etcd this is unknown, so a join checks it again and waits instead of ending. @throws JoinRefused */
const checkStart = async (settings: Settings, shared: SharedLog, log: Closable): Promise<void> => {
  // A killed server keeps its name until its lease expires.
  const givesUpAt = performance.now() + settings.cluster.lease_ttl + RETRY_MS
  for (;;)
    try {
      await checkAdmission(settings, shared)
      return
    } catch (error) {
      if (error instanceof SharedUnreachable) return
      if (!(error instanceof NameTaken) || performance.now() > givesUpAt) {
        await log.close()
        throw error
      }
      await setTimeout(RETRY_MS)
    }
}

/** Registers the leader processes, with those of a cluster. */
const registerLeaderWork = (scope: DependencyContainer): void => {
  scope.register(CompactionFloor, compactionFloor)
  scope.register(EtcdQuotaGuard, quotaGuard)
  registerLeaderProcesses(scope, [{ useToken: CompactionFloor }, { useToken: EtcdQuotaGuard }, memberNodes])
}

const clusterComponents: MemberComponents = {
  sharedLog: component([SHARED_LOG], { needs: [OWN_LOG], stop: shared => shared.close() }),
  dependencies: component([ClusterDependencies, ServerCluster], {
    needs: [Committer, RequestDrain, SHARED_LOG],
    start: (dependencies, cluster) => cluster.use(dependencies)
  }),
  membership: component(
    [ServerCluster, ClusterDependencies, Listeners, RestoredArchives, EtcdQuotaGuard, Metrics, SETTINGS],
    {
      needs: [ClusterDependencies, LeaderProcesses, Listeners],
      start: (server, dependencies, { ports }, archives, guard, metrics, { cluster }) => {
        measureQuota(metrics, guard, cluster.etcd.quota)
        measureCluster(metrics, server)
        archives.start()
        server.start(dependencies, ports)
      },
      stop: server => server.leave()
    }
  )
}

export const clusterMemberComponents = (
  settings: Settings,
  more?: OptionalComponents
): readonly Component[] => memberComponents(settings, clusterComponents, more)

const compactionFloor = factory(
  [ClusterDependencies, CLUSTER_MEMBER, ErasureProcess, Timers, LOGGER],
  ({ members, leadership, sightings }, { settings: { cluster }, shared, log }, erasures, timers, logger) =>
    new CompactionFloor({
      shared,
      members,
      timers,
      limits: { keep: cluster.keep_commits, copies: cluster.copies },
      term: () => leadership.term,
      head: () => Math.max(sightings.head, log.durableIndex),
      erased: () => erasures.erasedUpTo,
      onFailure: error =>
        logger.warn({ err: error }, 'etcd could not delete commits that are no longer needed there')
    })
)

const quotaGuard = factory(
  [CompactionFloor, CLUSTER_MEMBER, Committer, Timers, LOGGER],
  (floor, { settings: { cluster }, shared }, committer, timers, logger) =>
    new EtcdQuotaGuard({
      shared,
      raise: () => floor.raise(),
      limit: reason => committer.limit(reason),
      quota: cluster.etcd.quota,
      timers,
      onChange: reason =>
        reason === undefined
          ? logger.info('etcd has free space again: all writes are accepted')
          : logger.error(`writes are refused: ${reason} (docs/reference/cluster.md)`),
      onFailure: error => logger.warn({ err: error }, 'the size of etcd could not be read')
    })
)

const { partition } = DEFAULT_TENANCY

const memberNodes = factory(
  [ClusterDependencies, Views, ActorSystem, Clock, LOGGER, SETTINGS],
  ({ members }, { catalog }, system, clock, logger, { datacenter }) =>
    new MemberNodes({
      members,
      idOf: node => catalog.host(partition, node)?.state.node.ID,
      isKnown: id => catalog.nodeById(id) !== undefined,
      ask: (node, command) => system.ask(nodeRef(partition, node), command),
      clock,
      logger,
      datacenter
    })
)
