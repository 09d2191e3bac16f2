import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import { LeaderProcesses } from '../../../actors/processes/leader-processes.js'
import { Timers } from '../../../actors/timers.js'
import type { ProvableLog } from '../../../events/log/provable-log.js'
import { Views } from '../../../projections/read-models.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import { LOGGER, SETTINGS } from '../../settings/ports.js'
import { REPLICATION_STATUS } from '../../../http/routes/acl/system.js'
import { remotePrimary } from '../../settings/datacenters.js'
import { DATACENTER_ROUTES } from '../../../http/wire/route.js'
import { ReplicationFollower } from './follower.js'
import { replicationRoutes } from './replication-route.js'

/** Must be called before the routes are resolved. */
export const registerReplication = (scope: DependencyContainer, log: ProvableLog): void => {
  const settings = scope.resolve(SETTINGS)
  if (remotePrimary(settings) === undefined) return registerReplicationFeed(scope, log)
  const follower = scope.resolve(ReplicationFollower)
  scope.registerInstance(REPLICATION_STATUS, follower.status)
  measure(scope.resolve(Metrics), follower)
}

/** Registers the feed, also in a worker of the primary. Must be called before the routes are resolved. */
export const registerReplicationFeed = (scope: DependencyContainer, log: ProvableLog): void => {
  scope.register(DATACENTER_ROUTES, {
    useFactory: instanceCachingFactory(container => {
      const logger = container.resolve(LOGGER)
      const parts = {
        views: container.resolve(Views),
        committer: container.resolve(Committer),
        timers: container.resolve(Timers),
        log
      }
      return replicationRoutes(parts, container.resolve(ShutdownSignal).signal, error =>
        logger.warn({ err: error }, 'the replication feed of another datacenter has failed')
      )
    })
  })
}

/** Starts the follower whenever this server leads. */
export const registerReplicationFollower = (scope: DependencyContainer): void => {
  if (!scope.isRegistered(REPLICATION_STATUS)) return
  scope.resolve(LeaderProcesses).whileLeading(scope.resolve(ReplicationFollower))
}

const measure = (metrics: Metrics, { status }: ReplicationFollower): void => {
  metrics.gauge(
    'annals_replication_lag_commits',
    'Commits of the primary datacenter, as far as was heard of them, that are not looked at here yet',
    () => status.lag
  )
  metrics.gauge(
    'annals_replication_last_success_age_seconds',
    'Time since everything that the primary datacenter has was last known to be here; since the start where it never was',
    () => status.age
  )
}
