// Every route of the API, in the order of the documentation.
import { ErasureProcess } from '../../actors/erasure/erasure-process.js'
import { eraseRoutes } from './events/erase.js'
import { Lifecycle, scoped, type DependencyContainer, type InjectionToken } from 'tsyringe'
import { Committer } from '../../actors/committer.js'
import { every, factory, optional, registerAll, type Provider } from '../../actors/factories.js'
import { Clock } from '../../actors/clock.js'
import { Ids } from '../../actors/ids.js'
import { Logins } from '../../actors/login/logins.js'
import { CheckRunners } from '../../actors/processes/check-runners.js'
import { CoordinateBatches } from '../../actors/processes/coordinate-batches.js'
import { CursorPositions } from '../../actors/processes/cursor-positions.js'
import { SessionExpiration } from '../../actors/processes/session-expiration.js'
import { SnapshotRestores } from '../../actors/snapshot/restores.js'
import { DenialLog } from '../audit/denial-log.js'
import { HistoryEndpoint } from '../history/history-endpoint.js'
import { BaseSnapshotResources } from '../history/versions.js'
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
import { UsageCollection } from '../wire/collected-usage.js'
import { suggestionRoutes } from './acl/suggestions.js'
import { usageRoutes } from './acl/usage.js'
import { TokenUse } from '../wire/token-use.js'
import { NO_PEER_CONTACT } from '../wire/contact.js'
import { AddressAllowances } from '../wire/sockets/address-allowances.js'
import { SerializedLists, ReadCache } from '../wire/reads/serialized-lists.js'
import { PathRouter } from '../wire/route-table.js'
import { API_ROUTES, type Route } from '../wire/route.js'
import { REQUEST_ROUTING } from '../wire/request-routing.js'
import { authMethodRoutes } from './acl/auth-methods.js'
import { impactRoutes } from './acl/impact/impact-routes.js'
import { Impacts } from './acl/impact/impacts.js'
import { bindingRuleRoutes } from './acl/binding-rules.js'
import { loginRoutes } from './acl/login.js'
import { explainRoutes, ruleRoutes } from './acl/rules.js'
import { oidcRoutes } from './acl/oidc.js'
import { signInCodeRoutes } from './acl/sign-in-codes.js'
import { policyRoutes } from './acl/policies.js'
import { policyProposalRoutes } from './acl/policy-proposals.js'
import { lastUseRoutes } from './acl/last-uses.js'
import { EarlierHolders } from './acl/earlier-holders.js'
import { permissionHolderRoutes } from './acl/permission-holders.js'
import { permissionRoutes } from './acl/permission-routes.js'
import { reviewRoutes } from './acl/review.js'
import { roleRoutes } from './acl/roles.js'
import { TokenListBytes } from './acl/token-list-bytes.js'
import { tokenRoutes } from './acl/tokens.js'
import { agentCheckRoutes } from './agent/checks.js'
import { agentDebugRoutes } from './agent/debug.js'
import { agentHealthRoutes } from './agent/health.js'
import { agentMonitorRoutes } from './agent/monitor.js'
import { OwnNode } from './agent/own-node.js'
import { agentSelfRoutes } from './agent/self.js'
import { agentSettingRoutes } from './agent/agent-settings.js'
import { agentServiceRoutes } from './agent/services.js'
import { configRoutes } from './config/entries.js'
import { discoveryChainRoutes } from './config/discovery-chain.js'
import { catalogReadRoutes } from './catalog/read.js'
import { catalogWriteRoutes } from './catalog/write.js'
import { coordinateRoutes } from './catalog/coordinates.js'
import { gatewayServiceRoutes } from './catalog/gateway-services.js'
import { healthRoutes } from './catalog/health.js'
import { EventPolls, eventPollRoutes } from '../stream/poll.js'
import { auditFacetRoutes, AuditFacets } from '../stream/audit-facets.js'
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
import { cursorRoutes } from './events/cursors.js'
import { redeliveryRoutes } from './events/redelivery.js'
import { Redelivery } from '../webhooks/redelivery.js'
import { groupRoutes } from './events/groups.js'
import { holdRoutes } from './events/holds.js'
import { CursorLags } from '../stream/cursor-lags.js'
import { ConsumerGroups } from '../stream/groups/consumer-groups.js'
import { auditRoutes } from './events/audit.js'
import { checkpointRoutes, proofRoutes } from './events/evidence.js'
import { tileRoutes } from './events/tiles.js'
import { baseSnapshotRoutes } from './events/base-snapshot.js'
import { recordRoutes } from './events/records.js'
import { historyRoutes } from './events/history.js'
import { Reverts, revertRoutes } from './events/revert/reverts.js'
import { commitRateRoutes } from './events/commit-rate.js'
import { searchRoutes } from './events/search.js'
import { pointInTimeRoutes, stateRoutes } from './events/state.js'
import { userEventRoutes, UserEvents } from './events/user-events.js'
import { subscriptionRoutes } from './events/subscriptions.js'
import { changeRoutes } from './changes/changes.js'
import { ChangeSetReverts } from './changes/change-set-reverts.js'
import { transactionRoutes } from './txn/txn.js'

/** After a restore there is what every server has, also where its log has come from another one. */
@scoped(Lifecycle.ContainerScoped)
class CompleteRestores implements Pick<SnapshotRestores, 'restore'> {
  constructor(
    private readonly restores: SnapshotRestores,
    private readonly seed: InitialResources,
    private readonly ownNode: OwnNode
  ) {}

  async restore(...[bytes, caller, pin]: Parameters<SnapshotRestores['restore']>): Promise<void> {
    await this.restores.restore(bytes, caller, pin)
    await this.seed.plant()
    await this.ownNode.register()
  }
}

type RouteGroup = readonly Route[] | Provider<readonly Route[]>

/** Routes that are about the server that is asked, whichever datacenter a client names. */
const ofThisServer = (routes: readonly Route[]): readonly Route[] =>
  routes.map(each => ({ ...each, dc: 'ignored' }))

/** The routes about resources and about this server, with what each group gets beyond the request. */
const groups: readonly RouteGroup[] = [
  factory([optional(REPLICATION_STATUS)], (status = NOT_REPLICATING) => accessRoutes(status)),
  factory([TokenUse, TokenListBytes], tokenRoutes),
  factory([TokenUse], lastUseRoutes),
  permissionRoutes,
  factory([TimeTravel, EarlierHolders], permissionHolderRoutes),
  factory([UsageCollection], usageRoutes),
  factory([TokenUse, UsageCollection], reviewRoutes),
  factory([UsageCollection], suggestionRoutes),
  policyRoutes,
  factory([Impacts], policyProposalRoutes),
  factory([Logins, LOGGER], authMethodRoutes),
  bindingRuleRoutes,
  factory([Logins, LOGGER], loginRoutes),
  factory([Logins, Ids, Clock, LOGGER], (logins, ids, clock, logger) =>
    oidcRoutes(logins, ids, new AddressAllowances(clock), logger)
  ),
  factory([Ids, Clock], signInCodeRoutes),
  roleRoutes,
  namespaceRoutes,
  partitionRoutes,
  configRoutes,
  ruleRoutes,
  queryRoutes,
  factory([QueryRunner, ReadCache], queryRunRoutes),
  internalQueryRoutes,
  factory([SERVERS, DATACENTER_LIST], internalDatacenterRoutes),
  factory([FEDERATION], federationRoutes),
  factory([SerializedLists], kvRoutes),
  factory([SessionExpiration], sessionRoutes),
  factory([ReadCache], discoveryChainRoutes),
  factory([ReadCache], intentionRoutes),
  legacyIntentionRoutes,
  explainRoutes,
  transactionRoutes,
  factory([EventStreamEndpoint], eventStreamRoutes),
  factory(
    [EVENT_LOG, CursorPositions, SubscriptionRequests, CursorLags, WebhookTargets, Webhooks],
    (log, positions, requests, lags, targets, webhooks) =>
      cursorRoutes({ log, positions, requests, lags, targets, webhooks })
  ),
  factory([ConsumerGroups, SubscriptionRequests], groupRoutes),
  factory([Redelivery, SubscriptionRequests], redeliveryRoutes),
  factory([EventAudits, DenialLog, ShutdownSignal], auditRoutes),
  factory([AuditFacets], auditFacetRoutes),
  factory([EVENT_LOG, ErasureProcess], eraseRoutes),
  holdRoutes,
  factory([EventPolls], eventPollRoutes),
  factory([EVENT_LOG, HistoricalStateReader], pointInTimeRoutes),
  factory([EVENT_LOG], commitRateRoutes),
  searchRoutes,
  factory([SubscriptionRequests], stateRoutes),
  factory([StreamRegistry], subscriptionRoutes),
  factory([LogEvidence], checkpointRoutes),
  factory([LogEvidence, SETTINGS], tileRoutes),
  factory([LogEvidence], proofRoutes),
  factory([EVENT_LOG], recordRoutes),
  factory([EVENT_LOG, BaseSnapshotResources, SnapshotSave, LOGGER], (log, base, saving, logger) =>
    baseSnapshotRoutes({ log, base, saving, logger })
  ),
  factory([UserEvents], userEventRoutes),
  catalogWriteRoutes,
  factory([ReadCache, DATACENTER_LIST, SerializedLists], catalogReadRoutes),
  gatewayServiceRoutes,
  factory([ReadCache, SerializedLists], healthRoutes),
  factory([CoordinateBatches, DATACENTER_LIST], coordinateRoutes),
  factory(
    [EVENT_LOG, CheckRunners, SERVERS, DATACENTER_LIST, Metrics, optional(WORKER_STATES)],
    (log, checkRunners, servers, area, metrics, workers = () => []) =>
      ofThisServer(agentSelfRoutes({ log, checkRunners, servers, area, metrics, workers }))
  ),
  factory([LogLines, ShutdownSignal], (lines, closing) => ofThisServer(agentMonitorRoutes(lines, closing))),
  factory([Profiles], profiles => ofThisServer(agentDebugRoutes(profiles))),
  factory([Reload, AgentTokens], (reload, tokens) => ofThisServer(agentSettingRoutes(reload, tokens))),
  ofThisServer(agentServiceRoutes),
  factory([CheckRunners], runners => ofThisServer(agentCheckRoutes(runners))),
  ofThisServer(agentHealthRoutes),
  factory(
    [EVENT_LOG, optional(BESIDE_LOG), optional(LOG_FILES), CompleteRestores, SnapshotSave, LOGGER],
    (log, beside, files, restores, save, logger) =>
      snapshotRoutes({ log, beside, files }, restores, save, logger)
  ),
  factory([SERVERS], operatorRoutes),
  factory([EVENT_LOG], operatorLogRoutes),
  factory([SERVERS], statusRoutes),
  factory(
    [Committer, ShutdownSignal, SERVERS, optional(REQUEST_ROUTING), SETTINGS],
    (committer, closing, servers, contacts, { cluster }) =>
      probeRoutes({
        committer,
        closing,
        servers,
        contact: () => contacts?.contact() ?? NO_PEER_CONTACT,
        maxStale: cluster.max_stale
      })
  )
]

const isProvider = (group: RouteGroup): group is Provider<readonly Route[]> => !Array.isArray(group)

const RESOURCE_ROUTES: InjectionToken<readonly Route[]> = Symbol('ResourceRoutes')

/** Registers every route of the API but those between servers: each group gets what it needs beyond the request. */
export const registerRoutes = (scope: DependencyContainer): void => {
  registerAll(
    scope,
    RESOURCE_ROUTES,
    groups.map(group => (isProvider(group) ? group : { useValue: group }))
  )
  const resources = every<readonly Route[]>(RESOURCE_ROUTES)
  scope.register(
    API_ROUTES,
    factory(
      [resources, TimeTravel, HistoryEndpoint, PathRouter, Reverts, ChangeSetReverts, Impacts],
      allRoutes
    )
  )
}

const allRoutes = (
  resources: readonly (readonly Route[])[],
  travel: TimeTravel,
  history: HistoryEndpoint,
  router: PathRouter,
  reverts: Reverts,
  changeSetReverts: ChangeSetReverts,
  impacts: Impacts
): readonly Route[] => {
  const routes = resources.flat()
  return [
    ...routes,
    ...historyRoutes(history, new ReadablePaths(routes, router)),
    ...revertRoutes(reverts, routes),
    ...changeRoutes(changeSetReverts, impacts, routes),
    ...impactRoutes(impacts, routes)
  ].map(each => travel.withPast(each))
}
