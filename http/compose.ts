// The composition root: which class stands for which port. Every server, and every test, has a container of its own.
import { join } from 'node:path'
import { container, type DependencyContainer } from 'tsyringe'
import { Clock } from '../actors/clock.js'
import { Committer } from '../actors/committer.js'
import { Ids } from '../actors/ids.js'
import { SessionExpiry } from '../actors/processes/session-expiry.js'
import { Logins } from '../actors/login/logins.js'
import { CheckRunners } from '../actors/processes/check-runners.js'
import { CoordinateBatches } from '../actors/processes/coordinate-batches.js'
import { Destinations, type DestinationRules } from '../actors/outgoing/destinations.js'
import { SnapshotRestores } from '../actors/snapshot/restores.js'
import { ActorSystem } from '../actors/system.js'
import type { EventLog } from '../events/log/log.js'
import { SegmentEventLog, type SegmentLogOptions } from '../events/log/segments/log.js'
import { noDatacenters } from '../projections/queries/failover.js'
import type { Beside } from '../projections/restore.js'
import { Views } from '../projections/views.js'
import { AgentTokens } from './program/agent-tokens.js'
import type { App } from './program/app.js'
import { besideLog } from './program/beside-log.js'
import { AuthFailures } from './wire/sockets/auth-failures.js'
import { ReadCache } from './wire/reads/cache.js'
import { isLocalServer } from './settings/listeners.js'
import { createLogger } from './logging/logger.js'
import { LogLines } from './logging/lines.js'
import { Metrics } from './metrics/metrics.js'
import { ARCHIVE_SHELF, BESIDE_LOG, EVENT_LOG, LOGGER, SETTINGS } from './program/ports.js'
import { Reload } from './program/reload.js'
import type { Settings } from './settings/settings.js'
import { LiveSettings } from './settings/live-settings.js'
import { DiskShelf } from './routes/snapshot/disk-shelf.js'
import { EventStreams } from './stream/event-streams.js'
import { viewSettings } from './program/view-settings.js'
import { UserEvents } from './routes/events/user-events.js'
import { TokenListBytes } from './routes/acl/token-list-bytes.js'
import { TokenUse } from './program/token-use.js'

/** Where the log lies below the data directory. */
export const logFolder = (dataDir: string): string => join(dataDir, 'log')

/** Where requests for callers may go. */
export const destinationRules = (settings: Settings): DestinationRules => ({
  allow: settings.outgoing.allow,
  isLocalServer: isLocalServer(settings)
})

/** The log of the settings' data directory, as its writer. @throws LogUnusable */
export const openLog = (
  { data_dir, encryption, log }: Settings,
  more: Pick<SegmentLogOptions, 'report' | 'fatal' | 'readOnly'> = {}
): Promise<SegmentEventLog> =>
  SegmentEventLog.open({
    path: logFolder(data_dir),
    sectorBytes: log.sector_bytes,
    scrubInterval: log.scrub_interval,
    compress: log.compress,
    allowNetworkFileSystem: log.allow_network_filesystem,
    ...more,
    ...(encryption.key === undefined ? {} : { key: Buffer.from(encryption.key, 'base64') })
  })

/** What stands beside a log; undefined for a log that is kept nowhere. */
export const besideOf = (log: EventLog): Beside | undefined =>
  log instanceof SegmentEventLog ? besideLog(log) : undefined

/** A container with everything that a server of these settings is made of. `SETTINGS` are those of the start. */
export const compose = (live: LiveSettings, log: EventLog): DependencyContainer => {
  const settings = live.current
  const scope = container.createChildContainer()
  scope.registerInstance(LiveSettings, live)
  scope.registerInstance(SETTINGS, settings)
  scope.registerInstance(AgentTokens, new AgentTokens(settings))
  scope.registerInstance(EVENT_LOG, log)
  const beside = besideOf(log)
  if (beside) scope.registerInstance(BESIDE_LOG, beside)
  const lines = new LogLines()
  scope.registerInstance(LogLines, lines)
  scope.registerInstance(LOGGER, createLogger(settings, undefined, lines))
  scope.registerInstance(Views, new Views(viewSettings(settings)))
  scope.registerInstance(Destinations, new Destinations(destinationRules(settings)))
  scope.registerInstance(ARCHIVE_SHELF, new DiskShelf(live))
  return scope
}

/** What the routes of a container's server work with. */
export const appOf = (scope: DependencyContainer, closing: AbortSignal): App => {
  const live = scope.resolve(LiveSettings)
  return {
    get settings() {
      return live.current
    },
    reload: scope.resolve(Reload),
    agentTokens: scope.resolve(AgentTokens),
    authFailures: scope.resolve(AuthFailures),
    views: scope.resolve(Views),
    system: scope.resolve(ActorSystem),
    committer: scope.resolve(Committer),
    log: scope.resolve(EVENT_LOG),
    beside: besideOf(scope.resolve(EVENT_LOG)),
    clock: scope.resolve(Clock),
    ids: scope.resolve(Ids),
    logger: scope.resolve(LOGGER),
    logLines: scope.resolve(LogLines),
    metrics: scope.resolve(Metrics),
    streams: scope.resolve(EventStreams),
    userEvents: scope.resolve(UserEvents),
    checkRunners: scope.resolve(CheckRunners),
    coordinateBatches: scope.resolve(CoordinateBatches),
    tokenUse: scope.resolve(TokenUse),
    tokenLists: new TokenListBytes(scope.resolve(TokenUse)),
    sessionExpiry: scope.resolve(SessionExpiry),
    logins: scope.resolve(Logins),
    restores: scope.resolve(SnapshotRestores),
    cache: new ReadCache(scope.resolve(Clock)),
    datacenters: noDatacenters,
    closing
  }
}
