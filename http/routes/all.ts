// Every route of the API, in the order of the documentation.
import { ErasureProcess } from '../../actors/erasure/erasure-process.js'
import { eraseRoutes } from './events/erase.js'
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../actors/committer.js'
import { Clock } from '../../actors/clock.js'
import { Ids } from '../../actors/ids.js'
import { Logins } from '../../actors/login/logins.js'
import { CheckRunners } from '../../actors/processes/check-runners.js'
import { CoordinateBatches } from '../../actors/processes/coordinate-batches.js'
import { CursorPositions } from '../../actors/processes/cursor-positions.js'
import { SessionExpiration } from '../../actors/processes/session-expiration.js'
import { SnapshotRestores } from '../../actors/snapshot/restores.js'
import type { LogFiles } from '../../actors/snapshot/log-files.js'
import type { SnapshotStores } from '../../projections/restore-views.js'
import { DenialLog } from '../audit/denial-log.js'
import { HistoryEndpoint } from '../history/history-endpoint.js'
import { HistoricalStateReader } from '../history/historical-state-reader.js'
import { ReadablePaths } from '../history/readable-paths.js'
import { TimeTravel } from '../history/time-travel.js'
import { LogLines } from '../../server/telemetry/logging/lines.js'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import { NOT_REPLICATING, REPLICATION_STATUS, accessRoutes } from './acl/system.js'
import { AgentTokens } from '../../server/settings/agent-tokens.js'
import { ShutdownSignal } from '../wire/shutdown-signal.js'
import { LOG_FILES, BESIDE_LOG, EVENT_LOG, LOGGER, SETTINGS } from '../../server/settings/ports.js'
import { Profiles } from './agent/profiles.js'
import { LogEvidence } from '../wire/log-evidence.js'
import { Reload } from '../../server/settings/reload.js'
import { InitialResources } from '../initial-resources.js'
import { SERVERS } from './operator/cluster-servers.js'
import { DATACENTER_LIST } from './catalog/datacenter-list.js'
import { WORKER_STATES } from './agent/worker-states.js'
import { TokenUse } from '../wire/token-use.js'
import { NO_PEER_CONTACT } from '../wire/contact.js'
import { AddressAllowances } from '../wire/sockets/address-allowances.js'
import { ReadCache } from '../wire/reads/cache.js'
import type { Route } from '../wire/route.js'
import { REQUEST_ROUTING } from '../wire/request-routing.js'
import { authMethodRoutes } from './acl/auth-methods.js'
import { bindingRuleRoutes } from './acl/binding-rules.js'
import { loginRoutes } from './acl/login.js'
import { explainRoutes, ruleRoutes } from './acl/rules.js'
import { oidcRoutes } from './acl/oidc.js'
import { policyRoutes } from './acl/policies.js'
import { lastUseRoutes } from './acl/last-uses.js'
import { permissionRoutes } from './acl/permission-routes.js'
import { roleRoutes } from './acl/roles.js'
import { TokenListBytes } from './acl/token-list-bytes.js'
import { tokenRoutes } from './acl/tokens.js'
import { agentCheckRoutes } from './agent/checks.js'
import { agentDebugRoutes } from './agent/debug.js'
import { agentHealthRoutes } from './agent/health.js'
import { agentMonitorRoutes } from './agent/monitor.js'
import { OwnNode } from './agent/own-node.js'
import { agentSelfRoutes } from './agent/self.js'
import { agentReloadRoutes } from './agent/reload.js'
import { agentTokenRoutes } from './agent/token.js'
import { agentServiceRoutes } from './agent/services.js'
import { configRoutes } from './config/entries.js'
import { discoveryChainRoutes } from './config/discovery-chain.js'
import { catalogReadRoutes } from './catalog/read.js'
import { catalogWriteRoutes } from './catalog/write.js'
import { coordinateRoutes } from './catalog/coordinates.js'
import { gatewayServiceRoutes } from './catalog/gateway-services.js'
import { healthRoutes } from './catalog/health.js'
import { EventPolls, eventPollRoutes } from '../stream/poll.js'
import { EventAudits } from '../stream/audits.js'
import { WebhookTargets, Webhooks } from '../webhooks/webhooks.js'
import { SubscriptionRequests } from '../stream/subscription-requests.js'
import { EventStreamEndpoint, eventStreamRoutes } from '../stream/route.js'
import { StreamRegistry } from '../stream/stream-registry.js'
import { SnapshotSave } from './snapshot/save-snapshot.js'
import { snapshotRoutes } from './snapshot/snapshot.js'
import { queryRoutes } from './queries/queries.js'
import { QueryRunner } from './queries/query-run.js'
import { queryRunRoutes } from './queries/query-runs.js'
import { FEDERATION, federationRoutes } from './internal/federation-states.js'
import { internalDatacenterRoutes, internalQueryRoutes } from './internal/datacenter.js'
import { kvRoutes } from './kv/kv.js'
import { sessionRoutes } from './sessions/sessions.js'
import { intentionRoutes } from './config/intentions.js'
import { legacyIntentionRoutes } from './config/legacy-intentions.js'
import { namespaceRoutes } from './tenancy/namespaces.js'
import { operatorLogRoutes } from './operator/log.js'
import { operatorRoutes } from './operator/operator.js'
import { partitionRoutes } from './tenancy/partitions.js'
import { probeRoutes } from './operator/probes.js'
import { statusRoutes } from './operator/status.js'
import { CursorLags, cursorRoutes } from './events/cursors.js'
import { auditRoutes } from './events/audit.js'
import { checkpointRoutes, proofRoutes } from './events/evidence.js'
import { historyRoutes } from './events/history.js'
import { Reverts, revertRoutes } from './events/revert/reverts.js'
import { pointInTimeRoutes, stateRoutes } from './events/state.js'
import { userEventRoutes, UserEvents } from './events/user-events.js'
import { subscriptionRoutes } from './events/subscriptions.js'
import { transactionRoutes } from './txn/txn.js'

/** The routes of a container's server: each gets what it needs beyond the request. */
export const allRoutes = (scope: DependencyContainer): readonly Route[] => {
  const routes = resourceRoutes(scope)
  const paths = new ReadablePaths(routes)
  const travel = scope.resolve(TimeTravel)
  return [
    ...routes,
    ...historyRoutes(scope.resolve(HistoryEndpoint), paths),
    ...revertRoutes(scope.resolve(Reverts), routes)
  ].map(each => travel.withPast(each))
}

/** Those that do not look at others. */
const resourceRoutes = (scope: DependencyContainer): readonly Route[] => {
  const log = scope.resolve(EVENT_LOG)
  const logger = scope.resolve(LOGGER)
  const logins = scope.resolve(Logins)
  const checkRunners = scope.resolve(CheckRunners)
  const cache = scope.resolve(ReadCache)
  const evidence = scope.resolve(LogEvidence)
  const servers = scope.resolve(SERVERS)
  const area = scope.resolve(DATACENTER_LIST)
  const contacts = scope.isRegistered(REQUEST_ROUTING) ? scope.resolve(REQUEST_ROUTING) : undefined
  const workers = scope.isRegistered(WORKER_STATES) ? scope.resolve(WORKER_STATES) : () => []
  return [
    ...accessRoutes(
      scope.isRegistered(REPLICATION_STATUS) ? scope.resolve(REPLICATION_STATUS) : NOT_REPLICATING
    ),
    ...tokenRoutes(scope.resolve(TokenUse), scope.resolve(TokenListBytes)),
    ...lastUseRoutes(scope.resolve(TokenUse)),
    ...permissionRoutes,
    ...policyRoutes,
    ...authMethodRoutes(logins, logger),
    ...bindingRuleRoutes,
    ...loginRoutes(logins, logger),
    ...oidcRoutes(logins, scope.resolve(Ids), new AddressAllowances(scope.resolve(Clock)), logger),
    ...roleRoutes,
    ...namespaceRoutes,
    ...partitionRoutes,
    ...configRoutes,
    ...ruleRoutes,
    ...queryRoutes,
    ...queryRunRoutes(scope.resolve(QueryRunner), cache),
    ...internalQueryRoutes,
    ...internalDatacenterRoutes(servers, area),
    ...federationRoutes(scope.resolve(FEDERATION)),
    ...kvRoutes,
    ...sessionRoutes(scope.resolve(SessionExpiration)),
    ...discoveryChainRoutes(cache),
    ...intentionRoutes(cache),
    ...legacyIntentionRoutes,
    ...explainRoutes,
    ...transactionRoutes,
    ...eventStreamRoutes(scope.resolve(EventStreamEndpoint)),
    ...cursorRoutes({
      log,
      positions: scope.resolve(CursorPositions),
      requests: scope.resolve(SubscriptionRequests),
      lags: scope.resolve(CursorLags),
      targets: scope.resolve(WebhookTargets),
      webhooks: scope.resolve(Webhooks)
    }),
    ...auditRoutes(scope.resolve(EventAudits), scope.resolve(DenialLog), scope.resolve(ShutdownSignal)),
    ...eraseRoutes(log, scope.resolve(ErasureProcess)),
    ...eventPollRoutes(scope.resolve(EventPolls)),
    ...pointInTimeRoutes(log, scope.resolve(HistoricalStateReader)),
    ...stateRoutes(scope.resolve(SubscriptionRequests)),
    ...subscriptionRoutes(scope.resolve(StreamRegistry)),
    ...checkpointRoutes(evidence),
    ...proofRoutes(evidence),
    ...userEventRoutes(scope.resolve(UserEvents)),
    ...catalogWriteRoutes,
    ...catalogReadRoutes(cache, area),
    ...gatewayServiceRoutes,
    ...healthRoutes(cache),
    ...coordinateRoutes(scope.resolve(CoordinateBatches), area),
    ...ofThisServer([
      ...agentSelfRoutes({ log, checkRunners, servers, area, metrics: scope.resolve(Metrics), workers }),
      ...agentMonitorRoutes(scope.resolve(LogLines), scope.resolve(ShutdownSignal)),
      ...agentDebugRoutes(scope.resolve(Profiles)),
      ...agentReloadRoutes(scope.resolve(Reload)),
      ...agentTokenRoutes(scope.resolve(AgentTokens)),
      ...agentServiceRoutes,
      ...agentCheckRoutes(checkRunners),
      ...agentHealthRoutes
    ]),
    ...snapshotRoutes(
      { log, beside: besideOf(scope), files: filesOf(scope) },
      restoresOf(scope),
      scope.resolve(SnapshotSave),
      logger
    ),
    ...operatorRoutes(servers),
    ...operatorLogRoutes(log),
    ...statusRoutes(servers),
    ...probeRoutes({
      committer: scope.resolve(Committer),
      closing: scope.resolve(ShutdownSignal),
      servers,
      contact: () => contacts?.contact() ?? NO_PEER_CONTACT,
      maxStale: scope.resolve(SETTINGS).cluster.max_stale
    })
  ]
}

/** Routes that are about the server that is asked, whichever datacenter a client names. */
const ofThisServer = (routes: readonly Route[]): readonly Route[] =>
  routes.map(each => ({ ...each, dc: 'ignored' }))

const besideOf = (scope: DependencyContainer): SnapshotStores | undefined =>
  scope.isRegistered(BESIDE_LOG) ? scope.resolve(BESIDE_LOG) : undefined

const filesOf = (scope: DependencyContainer): LogFiles | undefined =>
  scope.isRegistered(LOG_FILES) ? scope.resolve(LOG_FILES) : undefined

/** After a restore there is what every server has, also where its log has come from another one. */
const restoresOf = (scope: DependencyContainer): Pick<SnapshotRestores, 'restore'> => {
  const [restores, seed, ownNode] = [
    scope.resolve(SnapshotRestores),
    scope.resolve(InitialResources),
    scope.resolve(OwnNode)
  ]
  return {
    restore: async (bytes, caller, pin) => {
      await restores.restore(bytes, caller, pin)
      await seed.plant()
      await ownNode.register()
    }
  }
}
