import { existsSync } from 'node:fs'
import type { DependencyContainer } from 'tsyringe'
import { Clock, ClockWatch } from '../actors/clock.js'
import { Committer } from '../actors/committer.js'
import { Logins } from '../actors/login/logins.js'
import { ResponseExpiration } from '../actors/processes/response-expiration.js'
import { CheckRunners } from '../actors/processes/check-runners.js'
import { LeaderProcesses } from '../actors/processes/leader-processes.js'
import { SnapshotRestores } from '../actors/snapshot/restores.js'
import { ActorSystem } from '../actors/system.js'
import { Views } from '../projections/read-models.js'
import { Deadlines } from '../actors/deadlines.js'
import { Destinations } from '../actors/outgoing/destinations.js'
import { GuardedClient } from '../actors/outgoing/guarded-client.js'
import { OutgoingTls } from '../actors/outgoing/outgoing-tls.js'
import { ErasureProcess } from '../actors/erasure/erasure-process.js'
import { PEER_SERVERS, RESTORE } from '../actors/ports.js'
import { LOG_TOPIC } from '../events/retention.js'
import type { ProvableLog } from '../events/log/provable-log.js'
import { stateDigestOf, writeStateDigest } from './snapshots/state-digest.js'
import type { ClusterHost } from './cluster/members/cluster-port.js'
import { Closers } from './closers.js'
import { reportClampedCursors } from './cursor-reports.js'
import { snapshotStoresOf, compose, destinationRules, identityOf } from './compose.js'
import { exposuresOf } from './settings/listeners.js'
import { INTERVAL_MS, Metrics } from './telemetry/metrics/metrics.js'
import { ServerMetrics } from './observe.js'
import { EVENT_LOG, LOGGER, SETTINGS } from './settings/ports.js'
import { AgentTokens } from './settings/agent-tokens.js'
import { ShutdownSignal } from '../http/wire/shutdown-signal.js'
import { LogEvidence } from '../http/wire/log-evidence.js'
import { LogWitnesses } from './log-witnesses.js'
import { Reload } from './settings/reload.js'
import { keepNodeId } from './settings/node-id.js'
import { logFolder } from './settings/settings.js'
import { DenialLog } from '../http/audit/denial-log.js'
import { ErasureCheckpointFile } from './erasure-checkpoint-file.js'
import { logFileStampsIn } from './log-files.js'
import { ErasureTargetsBesideLog } from '../http/audit/erasure-targets.js'
import { EventStreams } from '../http/stream/event-streams.js'
import { TokenUse } from '../http/wire/token-use.js'
import { LogLines } from './telemetry/logging/lines.js'
import { registerReloadable } from './reloadable.js'
import { reportResponsesRetained, registerLeaderProcesses } from './leader-process-registration.js'
import { InitialResources } from '../http/initial-resources.js'
import { DnsServer } from './dns/dns-server.js'
import { HttpServer } from '../http/wire/sockets/server.js'
import { Webhooks } from '../http/webhooks/webhooks.js'
import type { LiveSettings } from './settings/live-settings.js'
import { ServerSnapshots } from './snapshots/server-snapshots.js'
import { LiveMaterial, OUTGOING_SIDE } from '../http/wire/tls/material.js'
import { TokenUseFile } from './token-use-file.js'

export interface ServerPorts {
  /** Undefined if it is off. */
  readonly port: number | undefined
  readonly httpsPort: number | undefined
  readonly dnsPort: number | undefined
}

export interface RunningServer extends ServerPorts {
  readonly scope: DependencyContainer
  /** Finishes requests in flight, closes the log, and writes a state digest. */
  readonly close: () => Promise<void>
}

/** An optional companion with the lifecycle of the server, such as the workers. */
export interface Companion {
  /** Registers itself before anything that listens is resolved. */
  readonly equip: (scope: DependencyContainer) => void
  /** Called when the server listens. */
  readonly begin: (scope: DependencyContainer, ports: ServerPorts) => Promise<void>
  /** Called during the shutdown, before requests in flight end. */
  readonly close: () => Promise<void>
}

interface CompanionFactories {
  readonly cluster?: ClusterHost | undefined
  /** Shares the server's ports. */
  readonly companion?: Companion | undefined
}

/** Writes the state digest if the state is durable. A log in memory has no folder. */
const recordState = async (scope: DependencyContainer): Promise<void> => {
  const { data_dir: dataDir } = scope.resolve(SETTINGS)
  if (!existsSync(logFolder(dataDir))) return
  const views = scope.resolve(Views)
  if (scope.resolve(Committer).isReadable && scope.resolve(EVENT_LOG).durableIndex === views.index)
    await writeStateDigest(dataDir, stateDigestOf(views))
}

/**
 * Builds the read models, creates the initial resources, and listens. After a failure, everything is closed and the data folder released.
 * @param override replaces registrations, for tests
 * @throws ListenError if a port is unavailable
 */
export const startServer = async (
  live: LiveSettings,
  log: ProvableLog,
  override: (scope: DependencyContainer) => void = () => {},
  { cluster, companion }: CompanionFactories = {}
): Promise<RunningServer> => {
  const closers = new Closers()
  closers.add(() => log.close())
  try {
    if (existsSync(logFolder(live.current.data_dir))) keepNodeId(live.current)
    const { scope, ...ports } = await begin(live, log, { override, cluster, companion }, closers)
    const close = async (): Promise<void> => {
      await closers.close()
      await recordState(scope)
    }
    return { scope, ...ports, close }
  } catch (error) {
    // The first error matters more than errors of the cleanup.
    await closers.close().catch(() => {})
    throw error
  }
}

interface Beginning extends CompanionFactories {
  readonly override: (scope: DependencyContainer) => void
}

/** @param closers receives the closer of each part before the part starts */
const begin = async (
  live: LiveSettings,
  log: ProvableLog,
  { override, cluster, companion }: Beginning,
  closers: Closers
): Promise<Omit<RunningServer, 'close'>> => {
  const settings = live.current
  const scope = compose(live, log)
  cluster?.register(scope)
  if (cluster) closers.add(() => cluster.close())
  override(scope)
  companion?.equip(scope)
  const logger = scope.resolve(LOGGER)
  const snapshots = new ServerSnapshots(settings, log, snapshotStoresOf(log), logger)
  scope.registerInstance(RESTORE, made => snapshots.restore(made))
  const views = scope.resolve(Views)
  const system = scope.resolve(ActorSystem)
  const committer = scope.resolve(Committer)
  const clock = scope.resolve(Clock)
  const { endpoint } = settings.tracing
  // Loaded only if the settings need it.
  if (endpoint !== undefined)
    closers.add(
      (await import('./telemetry/tracing/begin-tracing.js')).beginTracing(scope, settings, endpoint, '')
    )
  const metrics = scope.resolve(Metrics)
  const reload = scope.resolve(Reload)
  const evidence = scope.resolve(LogEvidence)
  closers.add(() => evidence.close())
  closers.add(() => committer.stop())
  await evidence.open(log)
  await committer.rebuild()
  const destinations = scope.resolve(Destinations)
  reload.register(next => () => destinations.use(destinationRules(next)))
  const tls = scope.resolve(OutgoingTls)
  const certificates = new LiveMaterial({ live, reload, logger }, OUTGOING_SIDE, material =>
    tls.use(material)
  )
  closers.add(() => certificates.close())
  const datacenters =
    Object.keys(settings.datacenters).length > 0 ? await import('./datacenter-services.js') : undefined
  datacenters?.startDatacenterServices(scope, closers, log)
  const client = scope.resolve(GuardedClient)
  closers.add(() => client.close())
  for (const exposure of exposuresOf(settings)) logger.warn(exposure)
  const deadlines = scope.resolve(Deadlines)
  closers.add(() => deadlines.stop())
  const watch = scope.resolve(ClockWatch)
  watch.signals.on('jumped', ms => logger.warn({ ms }, 'the clock was set, or the machine slept'))
  closers.add(() => watch.stop())
  watch.start()
  const witnesses = scope.resolve(LogWitnesses)
  closers.add(() => witnesses.close())
  await witnesses.open()
  const checkRunners = scope.resolve(CheckRunners)
  closers.add(() => checkRunners.stop())
  checkRunners.start(settings.node_name)
  reportClampedCursors(committer, logger)
  scope.resolve(ResponseExpiration).eraseForgotten(reportResponsesRetained(scope))
  if (existsSync(logFolder(settings.data_dir))) {
    const uses = new TokenUseFile(settings.data_dir, scope.resolve(TokenUse), logger)
    closers.add(() => uses.close())
    await uses.open(views.tokens)
  }
  const logins = scope.resolve(Logins)
  closers.add(() => logins.close())
  scope.resolve(ServerMetrics).register()
  closers.add(() => snapshots.stop())
  const others = scope.isRegistered(PEER_SERVERS) ? scope.resolve(PEER_SERVERS) : undefined
  snapshots.start({ views, system, clock, metrics, others })
  if (others)
    committer.signals.on('applied', ({ Events }) => {
      if (!others.decides() && Events.some(({ Topic }) => Topic === LOG_TOPIC)) snapshots.lookAtRetention()
    })
  const streams = scope.resolve(EventStreams)
  const erasures = scope.resolve(ErasureProcess)
  closers.add(() => {
    // It may be waiting for another server's base snapshot.
    snapshots.stop()
    return erasures.stop()
  })
  erasures.start({
    secretsAfter: settings.erasure.secrets_after,
    supersede: (index, needsBase) => snapshots.supersede(views, index, needsBase),
    ...scope.resolve(ErasureTargetsBesideLog).host,
    onErased: () => streams.forget(),
    onFailure: error => logger.error({ err: error }, 'something that was to be erased is still there'),
    files: () => logFileStampsIn(logFolder(settings.data_dir)),
    checkpoint: new ErasureCheckpointFile(settings.data_dir, () => identityOf(log))
  })
  const intervals = setInterval(() => metrics.beginInterval(), INTERVAL_MS).unref()
  closers.add(() => clearInterval(intervals))
  const server = scope.resolve(HttpServer)
  const dns = settings.ports.dns === -1 ? undefined : scope.resolve(DnsServer)
  const closing = scope.resolve(ShutdownSignal)
  const processes = scope.resolve(LeaderProcesses)
  const restores = scope.resolve(SnapshotRestores)
  const denials = scope.resolve(DenialLog)
  closers.add(() => denials.flush())
  closers.add(async () => {
    closing.begin()
    // Woken blocking queries notice the shutdown.
    views.watch.touchAll()
    const ended = [streams.close(), restores.stop()]
    // Waits for a cursor end immediately.
    processes.end()
    await Promise.all([...ended, server.close(), dns?.close(), companion?.close()])
  })
  registerLeaderProcesses(scope, cluster)
  datacenters?.registerDatacenterProcesses(scope)
  const webhooks = scope.resolve(Webhooks)
  // Before the streams that they read.
  closers.add(() => webhooks.stop())
  if (!cluster) await processes.begin()
  const sharing = companion ? 'first' : 'alone'
  const ports = { ...(await server.listen(sharing)), dnsPort: await dns?.listen(sharing) }
  if (cluster) {
    closers.add(() => cluster.leave())
    cluster.start(scope, ports)
  }
  await companion?.begin(scope, ports)
  registerReloadable(
    reload,
    logger,
    scope.resolve(LogLines),
    scope.resolve(AgentTokens),
    scope.resolve(InitialResources),
    system
  )
  return { scope, ...ports }
}
