// What a server with other datacenters has beyond others. Loaded only if the settings name some.
import { datacenterComponents, registerDatacenters } from './cluster/datacenters/register-datacenters.js'
import { type Capability, component, type Component } from './component.js'
import { outgoingCertificates } from './core.js'
import { remotePrimary } from './settings/datacenters.js'
import type { Settings } from './settings/settings.js'
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../actors/committer.js'
import { factory } from '../actors/factories.js'
import { Timers } from '../actors/clock.js'
import { Views } from '../projections/read-models.js'
import { LEADER_PROCESS } from './leader-process-registration.js'
import { Metrics } from './telemetry/metrics/metrics.js'
import { ShutdownSignal } from '../http/wire/shutdown-signal.js'
import { LOGGER, OWN_LOG } from './settings/ports.js'
import { REPLICATION_STATUS } from '../http/routes/acl/system.js'
import { MORE_ROUTES } from '../http/wire/route.js'
import { ReplicationFollower } from './cluster/replication/follower.js'
import { replicationRoutes } from './cluster/replication/replication-route.js'

/** Registers the feed in the primary datacenter, and elsewhere the follower, which runs while this server leads. */
const registerReplication = (scope: DependencyContainer, settings: Settings): void => {
  if (remotePrimary(settings) === undefined) return registerReplicationFeed(scope)
  scope.register(
    REPLICATION_STATUS,
    factory([ReplicationFollower], ({ status }) => status)
  )
  scope.register(LEADER_PROCESS, { useToken: ReplicationFollower })
}

/** Registers the feed, also in a worker of the primary. */
const registerReplicationFeed = (scope: DependencyContainer): void => {
  const feed = factory(
    [Views, Committer, Timers, OWN_LOG, ShutdownSignal, LOGGER],
    (views, committer, timers, log, closing, logger) =>
      replicationRoutes({ views, committer, timers, log }, closing.signal, error =>
        logger.warn({ err: error }, 'the replication feed of another datacenter has failed')
      )
  )
  scope.register(MORE_ROUTES, feed)
}

const replicationComponents = (settings: Settings): readonly Component[] =>
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

export const datacenterServices = (settings: Settings): Capability => ({
  register: scope => {
    registerDatacenters(scope, settings)
    registerReplication(scope, settings)
  },
  components: [...datacenterComponents(settings), ...replicationComponents(settings)]
})

/** A worker sends requests to other datacenters and serves replication, but follows no other datacenter. */
export const datacenterServicesOfWorker = (settings: Settings): Capability => ({
  register: scope => {
    registerDatacenters(scope, settings)
    if (remotePrimary(settings) === undefined) registerReplicationFeed(scope)
  },
  components: [outgoingCertificates, ...datacenterComponents(settings)]
})
