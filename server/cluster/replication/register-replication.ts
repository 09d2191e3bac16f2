// Has a server tell other datacenters what it has, as the primary, or take over what the primary has.
import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import { LeaderProcesses } from '../../../actors/processes/leader-processes.js'
import { Timers } from '../../../actors/timers.js'
import type { ProvableLog } from '../../../events/log/provable-log.js'
import { Views } from '../../../projections/read-models.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import { LOGGER, SETTINGS } from '../../settings/ports.js'
import { REPLICATION_STATUS } from '../../../http/routes/acl/replication-status-port.js'
import { remotePrimary } from '../../settings/datacenters.js'
import { DATACENTER_ROUTES } from '../../../http/wire/route.js'
import { ReplicationFollower } from './follower.js'
import { replicationRoutes } from './replication-route.js'

/** Gives it what is asked of it. To be called before its routes are resolved. */
export const registerReplication = (scope: DependencyContainer, log: ProvableLog): void => {
  const settings = scope.resolve(SETTINGS)
  if (remotePrimary(settings) === undefined) return registerReplicationFeed(scope, log)
  const follower = scope.resolve(ReplicationFollower)
  scope.registerInstance(REPLICATION_STATUS, follower.status)
  measure(scope.resolve(Metrics), follower)
}

/** Has one of the primary, or a worker of it, tell what it shows. To be called before its routes are resolved. */
export const registerReplicationFeed = (scope: DependencyContainer, log: ProvableLog): void => {
  scope.register(DATACENTER_ROUTES, {
    useFactory: instanceCachingFactory(made => {
      const logger = made.resolve(LOGGER)
      const parts = {
        views: made.resolve(Views),
        committer: made.resolve(Committer),
        timers: made.resolve(Timers),
        log
      }
      return replicationRoutes(parts, made.resolve(ShutdownSignal).signal, error =>
        logger.warn({ err: error }, 'another datacenter was not told all that it asked for')
      )
    })
  })
}

/** Has it taken over what the primary has, while the server leads. To be called after what it must have was named. */
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
