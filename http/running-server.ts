// A whole server from its start to its end: log, read models, processes, HTTP.
import { existsSync } from 'node:fs'
import type { DependencyContainer } from 'tsyringe'
import { accessAggregate } from '../actors/access/aggregate.js'
import type { AccessCommand } from '../actors/access/commands.js'
import { clusterAggregate } from '../actors/cluster/aggregate.js'
import { SERVER } from '../actors/command.js'
import { Deadlines } from '../actors/deadlines.js'
import { partitionAggregate } from '../actors/partition/aggregate.js'
import { BackgroundRemoval } from '../actors/processes/background-removal.js'
import { Expiry } from '../actors/processes/expiry.js'
import { oidcRequestExpiry } from '../actors/processes/oidc-request-expiry.js'
import { tokenExpiry } from '../actors/processes/token-expiry.js'
import { RESTORE } from '../actors/ports.js'
import { DEFAULT_TENANCY } from '../events/envelope.js'
import type { EventLog } from '../events/log/log.js'
import type { App } from './app.js'
import { checkpointOf, writeCheckpoint } from './checkpoint.js'
import { appOf, compose, logFolder, snapshotsOf } from './compose.js'
import { LOGGER } from './ports.js'
import { openApiOf } from './openapi.js'
import { keepOwnNode, registerOwnNode } from './own-node.js'
import type { Route } from './route.js'
import { allRoutes } from './routes/all.js'
import { openApiRoute } from './routes/openapi.js'
import { DnsServer } from './dns/dns-server.js'
import { HttpServer } from './server.js'
import type { Settings } from './settings.js'
import { ServerSnapshots } from './state-snapshot/server-snapshots.js'
import { TokenUseFile } from './token-use-file.js'

/** A server that listens. */
export interface RunningServer {
  readonly app: App
  readonly port: number
  /** Port of DNS over UDP and TCP; undefined when it is off. */
  readonly dnsPort: number | undefined
  /** Finishes what is in flight, flushes and closes the log, and leaves a checkpoint beside it. */
  readonly close: () => Promise<void>
}

/** Makes what must be there from the first start (tenancy.md §1, acl.md §2). */
const seed = async ({ system, settings, ids, clock }: App): Promise<void> => {
  const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now() }
  const partition = { ...common, name: 'CreateDefaultPartition', data: null } as const
  await system.ask(partitionAggregate, partition, () => undefined)
  if (!settings.acl.enabled) return
  const secret = settings.acl.tokens.initial_management
  const commands: AccessCommand[] = [
    { ...common, name: 'CreateBuiltinPolicy', data: null },
    ...(secret
      ? [{ ...common, name: 'CreateInitialManagement' as const, data: { secret, newAccessor: ids.uuid() } }]
      : []),
    { ...common, name: 'CreateAnonymousToken', data: null },
    ...Object.entries(settings.acl.legacy_tokens).map(([name, { secret: legacy, rules }]) => ({
      ...common,
      name: 'CreateLegacyToken' as const,
      data: { newAccessor: ids.uuid(), secret: legacy, name, rules }
    }))
  ]
  for (const command of commands) await system.ask(accessAggregate, command, () => undefined)
}

/** Gives the cluster its ID at its first start. */
const identify = async ({ system, ids, clock }: App): Promise<void> => {
  const common = { tenancy: DEFAULT_TENANCY, caller: SERVER, at: clock.now() }
  const command = { ...common, name: 'IdentifyCluster' as const, data: { newId: ids.uuid() } }
  await system.ask(clusterAggregate, command, () => undefined)
}

const observe = ({ metrics, views, log, streams, logins }: App): void => {
  metrics.gauge('annals_commit_index', 'Index of the last commit applied', () => views.index)
  metrics.gauge('annals_durable_index', 'Index of the last commit on disk', () => log.durableIndex)
  metrics.gauge('annals_acl_tokens', 'Number of ACL tokens', () => views.tokens.size)
  metrics.gauge('annals_kv_entries', 'Number of KV entries', () => views.kv.size)
  metrics.gauge('annals_sessions', 'Number of sessions', () => views.sessions.size)
  metrics.gauge('annals_blocking_keys', 'Keys that blocking queries wait for', () => views.watch.size)
  metrics.gauge('annals_compiled_chains', 'Discovery chains kept', () => views.chains.count)
  metrics.gauge('annals_logins_waiting', 'Logins that wait for an identity provider', () => logins.size)
  metrics.gauge(
    'annals_oidc_requests',
    'OIDC logins that wait for their callback',
    () => views.oidcRequests.size
  )
  metrics.gauge('annals_event_streams', 'Open event streams', () => streams.size)
  metrics.gauge('annals_event_streams_behind', 'Event streams that read from the log', () => streams.behind)
  metrics.gauge('annals_event_stream_lag', 'Commits that the slowest event stream lacks', () => streams.lag)
}

/** Leaves a checkpoint beside the log, if all that the read models show is in it. A log in memory has no folder. */
const recordState = async ({ settings, views, log, committer }: App): Promise<void> => {
  if (!existsSync(logFolder(settings.data_dir))) return
  if (committer.isReadable && log.durableIndex === views.index)
    await writeCheckpoint(settings.data_dir, checkpointOf(views))
}

/**
 * Makes the read models from the log, seeds what must be there, and listens.
 * @param override replaces parts of the container, for tests
 */
export const startServer = async (
  settings: Settings,
  log: EventLog,
  override: (scope: DependencyContainer) => void = () => {}
): Promise<RunningServer> => {
  const closing = new AbortController()
  const scope = compose(settings, log)
  override(scope)
  const snapshots = new ServerSnapshots(settings, log, snapshotsOf(log), scope.resolve(LOGGER))
  scope.registerInstance(RESTORE, views => snapshots.restore(views))
  const app = appOf(scope, closing.signal)
  await app.committer.rebuild()
  await seed(app)
  await identify(app)
  await registerOwnNode(app)
  keepOwnNode(app, scope.resolve(Deadlines))
  const expiry = scope.resolve(Expiry)
  expiry.follow(tokenExpiry)
  expiry.follow(oidcRequestExpiry)
  app.coordinateBatches.start()
  app.checkRunners.start(settings.node_name)
  app.sessionExpiry.start()
  const uses = new TokenUseFile(settings.data_dir, app.tokenUse, app.logger)
  const isOnDisk = existsSync(logFolder(settings.data_dir))
  if (isOnDisk) await uses.open(app.views.tokens)
  const removal = scope.resolve(BackgroundRemoval)
  removal.start()
  observe(app)
  snapshots.start(app.metrics)
  const routes: Route[] = [...allRoutes, openApiRoute(() => openApiOf(routes))]
  const server = new HttpServer(app, routes)
  const port = await server.listen()
  const dns = settings.ports.dns === -1 ? undefined : new DnsServer(app)
  const dnsPort = await dns?.listen()
  return {
    app,
    port,
    dnsPort,
    close: async () => {
      scope.resolve(Deadlines).stop()
      removal.stop()
      snapshots.stop()
      closing.abort()
      // Blocking queries look whether the server ends whenever they are woken.
      app.views.watch.touchAll()
      app.checkRunners.stop()
      app.streams.close()
      await Promise.all([server.close(), dns?.close()])
      await app.logins.close()
      if (isOnDisk) await uses.close()
      app.committer.stop()
      await log.close()
      await recordState(app)
    }
  }
}
