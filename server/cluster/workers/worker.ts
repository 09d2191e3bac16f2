// A worker: a further process of a server that answers reads, and forwards everything else to the main process.
import type { Readable } from 'node:stream'
import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import { Deadlines } from '../../../actors/deadlines.js'
import { OutgoingTls } from '../../../actors/outgoing/outgoing-tls.js'
import { RESTORE } from '../../../actors/ports.js'
import { Timers } from '../../../actors/timers.js'
import { WorkerStore } from '../../../events/log/cluster/worker-store.js'
import type { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { ProvableLog } from '../../../events/log/provable-log.js'
import { ReadOnlyStore } from '../../../events/log/segments/read-only-store.js'
import { restore } from '../../../projections/restore-views.js'
import { Views } from '../../../projections/read-models.js'
import { DenialLog } from '../../../http/audit/denial-log.js'
import { Clock } from '../../../actors/clock.js'
import { CLUSTER } from '../members/cluster-port.js'
import { registerClusterRoutes } from '../members/register-cluster.js'
import { snapshotStoresOf, compose, openLog } from '../../compose.js'
import { DnsServer } from '../../dns/dns-server.js'
import { createLogger } from '../../telemetry/logging/logger.js'
import { LogLines } from '../../telemetry/logging/lines.js'
import { INTERVAL_MS, Metrics } from '../../telemetry/metrics/metrics.js'
import { ServerMetrics } from '../../observe.js'
import { Closers } from '../../closers.js'
import { ShutdownSignal } from '../../../http/wire/shutdown-signal.js'
import { SiblingProcesses } from '../../../http/wire/sibling-processes.js'
import { LOGGER, SETTINGS } from '../../settings/ports.js'
import { Reload } from '../../settings/reload.js'
import { TokenUse } from '../../../http/wire/token-use.js'
import { remotePrimary } from '../../settings/datacenters.js'
import { LiveSettings } from '../../settings/live-settings.js'
import { EventStreams } from '../../../http/stream/event-streams.js'
import { StreamRegistry } from '../../../http/stream/stream-registry.js'
import { REQUEST_ROUTING, type RequestRouting } from '../../../http/wire/request-routing.js'
import { AuthFailures } from '../../../http/wire/sockets/auth-failures.js'
import { HttpServer } from '../../../http/wire/sockets/server.js'
import { FeedFollower } from './feed-follower.js'
import { handleMainMessages } from './worker-messages.js'
import type { WorkerReport, WorkerStart } from './message-types.js'
import { type SendToMain, LinesToMain, MessageBatches } from './lines-to-main.js'
import { reportTokenUses } from './main-messages.js'
import { WorkerPort } from './worker-port.js'
import { WorkerRequests } from './worker-requests.js'
import { LiveMaterial, OUTGOING_SIDE } from '../../../http/wire/tls/material.js'
import { type DeniedAttempt, AggregatedAttempts } from '../../../http/audit/denied-attempt.js'

/** Sends denied attempts to the main process. */
class DenialsToMain extends DenialLog {
  readonly #attempts = new AggregatedAttempts(attempt => attempt)
  readonly #batches: MessageBatches

  constructor(scope: DependencyContainer, send: SendToMain) {
    super(scope.resolve(LiveSettings), scope.resolve(Views), scope.resolve(Clock), scope.resolve(LOGGER))
    this.#batches = new MessageBatches(() => this.#take(), send)
  }

  override note(attempt: DeniedAttempt): void {
    if (!this.isOn) return
    this.#attempts.add(attempt)
    this.#batches.wake()
  }

  override async flush(): Promise<void> {
    this.#batches.flush()
  }

  #take() {
    const { tried, leftOut } = this.#attempts.take()
    const attempts = tried.map(({ kept: attempt, count }) => ({ attempt, count }))
    return attempts.length === 0 ? undefined : ({ kind: 'denials', attempts, leftOut } as const)
  }
}

/** The connection of a worker to the main process. */
interface MainLink {
  /** Records and messages for all workers. */
  readonly feed: Readable
  /** The newest position of the feed. */
  readonly position: Pick<SharedCounter, 'value'>
  readonly send: SendToMain
  /** In a cluster: resolves when all acknowledged writes were sent. Rejects if that is unknown. */
  readonly newest: () => Promise<void>
}

export interface RunningWorker {
  readonly scope: DependencyContainer
  readonly port: number | undefined
  readonly dnsPort: number | undefined
  /** Resolves when the feed ends; rejects if it cannot be followed. */
  readonly followed: Promise<void>
  /** Newest applied commit. */
  readonly index: number
  readonly report: () => Promise<WorkerReport>
  /** Ends after the requests in flight. */
  readonly close: () => Promise<void>
}

/** Opens the log read-only, while the main process writes it. @throws LogUnusable */
const openFed = async (live: LiveSettings) => {
  let store: WorkerStore | undefined
  const log = await openLog(live.current, {
    readOnly: true,
    over: own => (own instanceof ReadOnlyStore ? (store = new WorkerStore(own)) : own)
  })
  if (!store) throw new LogUnusable('the log is not one that is followed')
  return { log, store }
}

/** Builds the read models from the log files, follows the main process, and listens. @param override for tests @throws ListenError LogUnusable */
export const startWorker = async (
  start: WorkerStart,
  link: MainLink,
  override: (scope: DependencyContainer) => void = () => {}
): Promise<RunningWorker> => {
  const closers = new Closers()
  try {
    return await begin(start, link, override, closers)
  } catch (error) {
    await closers.close().catch(() => {})
    throw error
  }
}

/** Lets the worker send requests to other datacenters, and serve replication. */
const useDatacenters = async (
  scope: DependencyContainer,
  closers: Closers,
  log: ProvableLog
): Promise<void> => {
  const services = {
    live: scope.resolve(LiveSettings),
    reload: scope.resolve(Reload),
    logger: scope.resolve(LOGGER)
  }
  const tls = scope.resolve(OutgoingTls)
  const certificates = new LiveMaterial(services, OUTGOING_SIDE, material => tls.use(material))
  closers.add(() => certificates.close())
  const { registerDatacenters } = await import('../datacenters/register-datacenters.js')
  registerDatacenters(scope, closers)
  if (remotePrimary(scope.resolve(SETTINGS)) === undefined)
    (await import('../replication/register-replication.js')).registerReplicationFeed(scope, log)
}

const begin = async (
  start: WorkerStart,
  link: MainLink,
  override: (scope: DependencyContainer) => void,
  closers: Closers
): Promise<RunningWorker> => {
  let { settings } = start
  const live = new LiveSettings(() => settings)
  const { log, store } = await openFed(live)
  closers.add(() => log.close())
  const scope = compose(live, log)
  override(scope)
  const lines = scope.resolve(LogLines)
  const logger = createLogger(settings, undefined, lines)
  scope.registerInstance(LOGGER, logger)
  scope.registerInstance(RESTORE, async views => {
    await restore(views, log, snapshotStoresOf(log), (snapshot, reason) =>
      logger.warn({ snapshot, reason }, 'a snapshot was skipped')
    )
  })
  const linesToMain = new LinesToMain(lines, link.send)
  const denials = new DenialsToMain(scope, link.send)
  scope.registerInstance<DenialLog>(DenialLog, denials)
  closers.add(() => denials.flush())
  const committer = scope.resolve(Committer)
  closers.add(() => committer.stop())
  const follower = new FeedFollower(link.position, {
    log,
    store,
    committer,
    heard: handleMainMessages(scope, {
      number: start.number,
      use: next => {
        const before = settings
        settings = next
        return () => (settings = before)
      },
      replaced: exchanges => {
        if (exchanges <= start.exchanges) return
        port.retire()
        follower.retire()
      },
      followLog: lowest => linesToMain.follow(lowest),
      part: part => port.updateRole(part)
    }),
    erased: () => scope.resolve(EventStreams).forget(),
    onRestart: () => scope.resolve(SiblingProcesses).forgetAll(),
    timers: scope.resolve(Timers)
  })
  const port = new WorkerPort(start, { follower, newest: link.newest, clock: scope.resolve(Clock) })
  scope.registerInstance(CLUSTER, port)
  scope.registerInstance(WorkerPort, port)
  scope.register(REQUEST_ROUTING, {
    useFactory: instanceCachingFactory<RequestRouting>(container => container.resolve(WorkerRequests))
  })
  if (settings.cluster.enabled) registerClusterRoutes(scope)
  const { endpoint } = settings.tracing
  // Loaded only if the settings need it.
  if (endpoint !== undefined) {
    const { beginTracing } = await import('../../telemetry/tracing/begin-tracing.js')
    closers.add(beginTracing(scope, settings, endpoint, `/${start.number}`))
  }
  if (Object.keys(settings.datacenters).length > 0) await useDatacenters(scope, closers, log)
  await committer.rebuild()
  const reload = scope.resolve(Reload)
  reload.register(
    ({ log: { level } }) =>
      () =>
        lines.setOwnLevel(logger, level)
  )
  closers.add(() => scope.resolve(Deadlines).stop())
  closers.add(reportTokenUses(scope.resolve(TokenUse), used => link.send({ kind: 'uses', uses: used })))
  scope.resolve(SiblingProcesses).onCount(count => link.send({ kind: 'count', count }))
  scope.resolve(AuthFailures).onCounted(address => link.send({ kind: 'auth-failure', address }))
  const metrics = scope.resolve(Metrics)
  scope.resolve(ServerMetrics).registerOfReader()
  const intervals = setInterval(() => metrics.beginInterval(), INTERVAL_MS).unref()
  closers.add(() => clearInterval(intervals))
  const streams = scope.resolve(EventStreams)
  const server = scope.resolve(HttpServer)
  const dns = settings.ports.dns === -1 ? undefined : scope.resolve(DnsServer)
  const closing = scope.resolve(ShutdownSignal)
  closers.add(async () => {
    closing.begin()
    scope.resolve(Views).watch.touchAll()
    await Promise.all([streams.close(), server.close(), dns?.close()])
  })
  const followed = follower.follow(link.feed)
  link.send({ kind: 'follow' })
  await Promise.race([
    follower.begun,
    followed.then(() => {
      throw new LogUnusable('the main process has ended')
    })
  ])
  const { port: httpPort } = await server.listen('joins')
  const dnsPort = await dns?.listen('joins')
  const book = scope.resolve(StreamRegistry)
  return {
    scope,
    port: httpPort,
    dnsPort,
    followed,
    get index() {
      return scope.resolve(Views).index
    },
    report: async () => ({
      metrics: await metrics.ofProcess(),
      streams: { open: book.open, ended: book.lastEnded }
    }),
    close: () => closers.close()
  }
}
