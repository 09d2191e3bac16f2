import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import { factory } from '../../../actors/factories.js'
import { Timers } from '../../../actors/timers.js'
import { Views } from '../../../projections/read-models.js'
import { component, type Component } from '../../component.js'
import { LEADER_PROCESS } from '../../leader-process-registration.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import { LOGGER, OWN_LOG } from '../../settings/ports.js'
import type { Settings } from '../../settings/settings.js'
import { REPLICATION_STATUS } from '../../../http/routes/acl/system.js'
import { remotePrimary } from '../../settings/datacenters.js'
import { MORE_ROUTES } from '../../../http/wire/route.js'
import { ReplicationFollower } from './follower.js'
import { replicationRoutes } from './replication-route.js'

/** Registers the feed in the primary datacenter, and elsewhere the follower, which runs while this server leads. */
export const registerReplication = (scope: DependencyContainer, settings: Settings): void => {
  if (remotePrimary(settings) === undefined) return registerReplicationFeed(scope)
  scope.register(
    REPLICATION_STATUS,
    factory([ReplicationFollower], ({ status }) => status)
  )
  scope.register(LEADER_PROCESS, { useToken: ReplicationFollower })
}

/** Registers the feed, also in a worker of the primary. */
export const registerReplicationFeed = (scope: DependencyContainer): void => {
  const feed = factory(
    [Views, Committer, Timers, OWN_LOG, ShutdownSignal, LOGGER],
    (views, committer, timers, log, closing, logger) =>
      replicationRoutes({ views, committer, timers, log }, closing.signal, error =>
        logger.warn({ err: error }, 'the replication feed of another datacenter has failed')
      )
  )
  scope.register(MORE_ROUTES, feed)
}

export const replicationComponents = (settings: Settings): readonly Component[] =>
  remotePrimary(settings) === undefined ? [] : [component([ReplicationFollower, Metrics], { start: measure })]

const measure = ({ status }: ReplicationFollower, metrics: Metrics): void => {
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
