// Starts a server that is one of a cluster. Nothing of a cluster is loaded but by this.
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../actors/clock.js'
import { LeaderProcesses } from '../actors/processes/leader-processes.js'
import { ActorSystem } from '../actors/system.js'
import { ClusterLink } from '../events/log/cluster/link.js'
import type { SharedLog } from '../events/log/cluster/shared-log.js'
import type { ClusterHost } from './cluster-host.js'
import { startServer, type RunningServer } from './running-server.js'
import { Metrics } from './metrics/metrics.js'
import { LOGGER } from './program/ports.js'
import { MemberNodes } from './routes/agent/member-nodes.js'
import type { LiveSettings } from './settings/live-settings.js'
import type { Settings } from './settings/settings.js'
import { measureCluster } from './cluster/cluster-metrics.js'
import { ServerCluster } from './cluster/server-cluster.js'
import { admit, openClusteredLog, sharedLogOf, type ClusterLogOptions } from './clustered-log.js'

export interface ClusteredOptions extends ClusterLogOptions {
  /** Replaces parts of the container, for tests. */
  readonly override?: (scope: DependencyContainer) => void
  /** In place of etcd, for tests. */
  readonly shared?: SharedLog
}

/** As `startServer`, with the log of the cluster. It listens before it has caught up: what it cannot answer yet waits or is refused. */
export const startClusteredServer = async (
  live: LiveSettings,
  { override, shared: given, ...options }: ClusteredOptions
): Promise<RunningServer> => {
  const settings = live.current
  const shared = given ?? (await sharedLogOf(settings))
  try {
    const link = new ClusterLink(shared)
    const log = await openClusteredLog(settings, link, options)
    const { prefix } = settings.cluster.etcd
    const cluster = new ServerCluster(settings, {
      shared,
      link,
      log,
      admit: () => admit(log, shared, prefix)
    })
    return await startServer(live, log, override, { cluster: hostOf(cluster, settings) })
  } catch (error) {
    await shared.close()
    throw error
  }
}

const hostOf = (cluster: ServerCluster, { datacenter }: Settings): ClusterHost => ({
  register: scope => cluster.register(scope),
  nameLeaderWork: scope => {
    const members = cluster.nameLeaderWork(scope)
    const [system, clock, logger] = [scope.resolve(ActorSystem), scope.resolve(Clock), scope.resolve(LOGGER)]
    scope
      .resolve(LeaderProcesses)
      .whileLeading(new MemberNodes({ members, system, clock, logger, datacenter }))
  },
  start: (scope, ports) => {
    measureCluster(scope.resolve(Metrics), cluster)
    cluster.start(scope, ports)
  },
  leave: () => cluster.leave(),
  close: () => cluster.close()
})
