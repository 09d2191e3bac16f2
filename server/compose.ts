// The composition root: registers the implementations of all ports in a container per server.
import { container, type DependencyContainer } from 'tsyringe'
import { decisionRules } from '../actors/aggregates.js'
import { Committer } from '../actors/committer.js'
import { DECISION_RULES } from '../actors/ports.js'
import { every, factory, optional } from '../actors/factories.js'
import { Destinations } from '../actors/outgoing/destinations.js'
import type { LogFiles } from '../actors/snapshot/log-files.js'
import type { EventLog } from '../events/log/log.js'
import { SegmentEventLog } from '../events/log/segments/segment-event-log.js'
import { noDatacenters } from '../projections/queries/execute.js'
import type { SnapshotStores } from '../projections/restore-views.js'
import { Views } from '../projections/read-models.js'
import { AgentTokens } from './settings/agent-tokens.js'
import { snapshotStoresIn } from '../projections/snapshot-stores.js'
import { LogEvidence } from '../http/wire/log-evidence.js'
import { DNS_SERVER, DnsServer } from './dns/dns-server.js'
import { ServerLogFiles } from './log-files.js'
import { destinationRules } from './outgoing.js'
import { createLogger, type Logger } from './telemetry/logging/logger.js'
import { LogLines } from './telemetry/logging/lines.js'
import {
  ARCHIVE_SHELF,
  LOG_FILES,
  BESIDE_LOG,
  COMMIT_RULE,
  DATACENTERS,
  EVENT_LOG,
  LOGGER,
  SETTINGS
} from './settings/ports.js'
import { viewSettings, type Settings, LiveSettings } from './settings/settings.js'
import { registerRoutes } from '../http/routes/all.js'
import { openApiRoute } from '../http/routes/operator/openapi.js'
import { BodyMemoryLimit, BodyFiles } from '../http/wire/bodies/request-body.js'
import { openApiSteps } from '../http/openapi/document.js'
import { requiredReasons } from '../http/wire/reason.js'
import { API_ROUTES, MORE_ROUTES, ROUTES, type Route } from '../http/wire/route.js'
import { DiskArchiveStore } from '../http/routes/snapshot/disk-archive-store.js'
import { LocalCatchUp } from '../http/stream/catch-up/local-source.js'
import { CpuShare } from '../http/stream/catch-up/cpu-share.js'
import { CATCH_UP, type CatchUpSource } from '../http/stream/catch-up/source.js'
import { ThreadCatchUp } from '../http/stream/catch-up/thread-source.js'
import { StreamLimits } from '../http/stream/event-streams.js'
import { singleServer, SERVERS, type Servers } from '../http/routes/operator/cluster-servers.js'
import { BUILT_PAGES, Pages } from '../http/wire/pages.js'
import { FEDERATION, noFederation } from '../http/routes/internal/federation-states.js'
import { singleDatacenter, DATACENTER_LIST } from '../http/routes/catalog/datacenter-list.js'

/** Undefined for a log in memory. */
export const snapshotStoresOf = (log: EventLog): SnapshotStores | undefined =>
  log instanceof SegmentEventLog ? snapshotStoresIn(log) : undefined

/** Streams that are behind read from the files on another thread, or from memory. */
const catchUpOf = (
  log: EventLog,
  { stream }: Settings,
  logger: Logger,
  { batchBytes }: StreamLimits
): CatchUpSource => {
  const options = { share: stream.catch_up_share, pieceBytes: batchBytes }
  if (!(log instanceof SegmentEventLog))
    return new LocalCatchUp(log, { ...options, share: new CpuShare(options.share) })
  return new ThreadCatchUp({
    ...options,
    path: log.path,
    newest: () => log.newestSegment,
    erasures: () => log.erasures,
    onDurable: listener => log.onDurable(listener),
    onDeath: error =>
      logger.error({ err: error }, 'the thread that reads the log for streams ended unexpectedly')
  })
}

/** All routes, including the one that describes them. */
const describedRoutes = (groups: readonly (readonly Route[])[]): readonly Route[] => {
  const routes: Route[] = [...groups.flat(), openApiRoute(() => openApiSteps(routes))]
  return routes
}

/** Returns a logger for use before the container exists. */
export const startLogger = (settings: Settings): Logger => createLogger(settings)

/** Returns a container for a server of these settings. `SETTINGS` are those of the start. */
export const compose = (live: LiveSettings, log: EventLog): DependencyContainer => {
  const settings = live.current
  const scope = container.createChildContainer()
  scope.registerInstance(LiveSettings, live)
  scope.registerInstance(SETTINGS, settings)
  scope.registerInstance(AgentTokens, new AgentTokens(settings))
  registerLog(scope, log, settings)
  const lines = new LogLines()
  scope.registerInstance(LogLines, lines)
  scope.registerInstance(LOGGER, createLogger(settings, undefined, lines))
  scope.registerInstance(DECISION_RULES, decisionRules)
  scope.registerInstance(Views, new Views(viewSettings(settings)))
  scope.registerInstance(Destinations, new Destinations(destinationRules(settings)))
  const shelf = factory(
    [optional(LOG_FILES)],
    files => new DiskArchiveStore(live, async () => (files ? (await files.signing()).vkey : ''))
  )
  scope.register(DiskArchiveStore, shelf)
  scope.register(ARCHIVE_SHELF, { useToken: DiskArchiveStore })
  scope.registerInstance(COMMIT_RULE, requiredReasons(live))
  scope.registerInstance(DATACENTERS, noDatacenters)
  scope.registerInstance(DATACENTER_LIST, singleDatacenter)
  scope.registerInstance(FEDERATION, noFederation)
  scope.registerInstance(Pages, BUILT_PAGES)
  const alone = (views: Views, committer: Committer): Servers => singleServer(settings, views, committer)
  scope.register(SERVERS, factory([Views, Committer], alone))
  registerHttp(scope, live)
  return scope
}

const registerLog = (scope: DependencyContainer, log: EventLog, settings: Settings): void => {
  scope.registerInstance(EVENT_LOG, log)
  const beside = snapshotStoresOf(log)
  if (beside) scope.registerInstance(BESIDE_LOG, beside)
  if (!(log instanceof SegmentEventLog)) return
  const filesOf = (evidence: LogEvidence): LogFiles => new ServerLogFiles(log, evidence, settings)
  scope.register(LOG_FILES, factory([LogEvidence], filesOf))
}

const registerHttp = (scope: DependencyContainer, live: LiveSettings): void => {
  const settings = live.current
  scope.registerInstance(BodyMemoryLimit, new BodyMemoryLimit(live, 'http_body_bytes_total'))
  scope.registerInstance(
    BodyFiles,
    new BodyFiles(settings.data_dir, new BodyMemoryLimit(live, 'http_upload_bytes_total'))
  )
  scope.register(CATCH_UP, factory([EVENT_LOG, SETTINGS, LOGGER, StreamLimits], catchUpOf))
  registerRoutes(scope)
  scope.register(
    ROUTES,
    factory([API_ROUTES, every(MORE_ROUTES)], (api, more) => describedRoutes([api, ...more]))
  )
  if (settings.ports.dns !== -1) scope.register(DNS_SERVER, { useToken: DnsServer })
}
