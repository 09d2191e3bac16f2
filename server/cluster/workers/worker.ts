// A worker: a further process of a server that answers reads, and forwards everything else to the main process.
import { type DependencyContainer, inject, Lifecycle, scoped } from 'tsyringe'
import { Clock, Timers } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { factory } from '../../../actors/factories.js'
import { RESTORE } from '../../../actors/ports.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import type { FedStore } from '../../../events/log/segments/read-only-store.js'
import { restore } from '../../../projections/restore-views.js'
import { Views } from '../../../projections/read-models.js'
import { snapshotStoresIn } from '../../../projections/snapshot-stores.js'
import { DenialLog } from '../../../http/audit/denial-log.js'
import { CLUSTER } from '../members/cluster-port.js'
import { registerClusterRoutes } from '../members/register-cluster.js'
import { component, ComponentRunner, type Component } from '../../component.js'
import type { OptionalComponents } from '../../components.js'
import {
  clusterCertificates,
  httpServer,
  Listeners,
  listeners,
  PORT_SHARING,
  RequestDrain,
  requestDrain
} from '../../components.js'
import { deadlines, denials, ownLog, readModels } from '../../core.js'
import { compose } from '../../compose.js'
import { openLog } from '../../open-log.js'
import { LogLines } from '../../telemetry/logging/lines.js'
import { Metrics } from '../../telemetry/metrics/metrics.js'
import { ServerMetrics } from '../../observe.js'
import { reloadLogLevel } from '../../reloadable.js'
import { datacentersOfWorker, tracingOf } from '../../capabilities.js'
import { SiblingProcesses } from '../../../http/wire/sibling-processes.js'
import { LOGGER, OWN_LOG, SETTINGS } from '../../settings/ports.js'
import { Reload } from '../../settings/reload.js'
import { LiveSettings, type Settings, clusterSecret } from '../../settings/settings.js'
import { EventStreams } from '../../../http/stream/event-streams.js'
import { StreamRegistry } from '../../../http/stream/stream-registry.js'
import { REQUEST_ROUTING, type AnswerLocation } from '../../../http/wire/request-routing.js'
import { FeedFollower } from './feed-follower.js'
import { WorkerMessages } from './worker-messages.js'
import type { WorkerReport, WorkerStart } from './message-types.js'
import { LinesToMain } from './lines-to-main.js'
import { DenialsToMain, MAIN_LINK, ReportsToMain, type MainLink, type MainProcess } from './main-link.js'
import { WorkerPort } from './worker-port.js'
import { RequestRouter, ROUTING_POLICY, type RoutingPolicy } from '../members/request-router.js'
import type { RequestContext } from '../../../http/wire/request-context.js'
import { runsOf, type Route } from '../../../http/wire/route.js'
import { ClusterCertificates } from '../../../http/wire/tls/cluster-certificates.js'
import { ServerProofs } from '../members/server-proof.js'
import { acceptsStale, answerOnceTokenIsKnown, dnsAcceptsStale, Forwarding } from '../members/forwarding.js'

/** Returns true for requests that only the main process answers. */
const isForMain = (route: Route, request: RequestContext): boolean => {
  const { query } = request
  const isOfPast = !query.isEmpty && (query.has('at') || query.has('diff') || query.has('from'))
  return isOfPast || route.process === 'main' || runsOf(route, request) !== 'anywhere'
}

@scoped(Lifecycle.ContainerScoped)
class WorkerPolicy implements RoutingPolicy {
  readonly notNewest = 'This worker cannot prove that its state is current: try again, or ask with ?stale'
  /** In a cluster, other servers may connect to a worker instead of the main process. */
  readonly servers: ServerProofs | undefined

  constructor(
    readonly port: WorkerPort,
    readonly forwarding: Forwarding,
    clock: Clock,
    @inject(SETTINGS) private readonly settings: Settings,
    certificates: ClusterCertificates
  ) {
    if (port.isInCluster) this.servers = new ServerProofs(clusterSecret(settings), clock, certificates)
  }

  get acceptsStaleDns(): boolean {
    return this.port.isInCluster && dnsAcceptsStale(this.settings, this.port.lastContact())
  }

  locationOf(
    route: Route,
    request: RequestContext,
    untilNewest: () => Promise<'here'>
  ): AnswerLocation | Promise<AnswerLocation> {
    if (isForMain(route, request) || request.sender) return 'leader'
    if (this.port.role() !== 'following') return 'leader'
    if (this.port.mayAnswer()) return 'here'
    if (acceptsStale(request, this.port.lastContact()))
      return answerOnceTokenIsKnown(route, request, untilNewest)
    return untilNewest()
  }
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

interface FedLog {
  readonly log: SegmentEventLog
  readonly store: FedStore
}

/** Opens the log read-only, while the main process writes it. @throws LogUnusable */
const openFed = async (settings: Settings): Promise<FedLog> => {
  const log = await openLog(settings, { readOnly: true, isFed: true })
  const { fed: store } = log
  if (!store) throw new LogUnusable('the log is not one that is followed')
  return { log, store }
}

const registerWorker = (scope: DependencyContainer, link: MainLink, { log, store }: FedLog): void => {
  scope.registerInstance(OWN_LOG, log)
  scope.registerInstance(MAIN_LINK, link)
  scope.registerInstance(PORT_SHARING, 'joins')
  const restored = factory([LOGGER], logger => async (views: Views) => {
    const beside = snapshotStoresIn(log, link.start.settings.cluster.enabled)
    await restore(views, log, beside, (snapshot, reason) =>
      logger.warn({ snapshot, reason }, 'a snapshot was skipped')
    )
  })
  scope.register(RESTORE, restored)
  scope.register(
    LinesToMain,
    factory([LogLines], lines => new LinesToMain(lines, link.send))
  )
  scope.register<DenialLog>(DenialLog, { useToken: DenialsToMain })
  const follower = factory(
    [Committer, Timers],
    (committer, timers) => new FeedFollower(link.position, { log, store, committer, timers })
  )
  scope.register(FeedFollower, follower)
  const port = factory(
    [FeedFollower, Clock],
    (feed, clock) => new WorkerPort(link.start, { follower: feed, newest: link.newest, clock })
  )
  scope.register(WorkerPort, port)
  scope.register(CLUSTER, { useToken: WorkerPort })
  scope.register(ROUTING_POLICY, { useToken: WorkerPolicy })
  scope.register(REQUEST_ROUTING, { useToken: RequestRouter })
  if (link.start.settings.cluster.enabled) registerClusterRoutes(scope)
}

const logLevel = component([Reload, LOGGER, LogLines], { start: reloadLogLevel })

const reports = component([ReportsToMain], {
  needs: [Committer],
  start: all => all.start(),
  stop: all => all.stop()
})

const metrics = component([ServerMetrics], {
  start: all => all.startOfReader(),
  stop: all => all.stop()
})

const feed = component([FeedFollower, MAIN_LINK, WorkerMessages, EventStreams, SiblingProcesses], {
  needs: [Committer, RequestDrain],
  start: (follower, link, messages, streams, siblings) => {
    const following = follower.follow(link.feed, {
      heard: message => messages.handle(message),
      erased: () => streams.forget(),
      onRestart: () => siblings.forgetAll()
    })
    link.send({ kind: 'follow' })
    return following
  }
})

/** A worker listens when it has caught up with the main process. */
export const workerComponents = ({
  tracing = [],
  datacenters = []
}: Pick<OptionalComponents, 'tracing' | 'datacenters'>): readonly Component[] => [
  ownLog,
  clusterCertificates,
  ...tracing,
  readModels([]),
  ...datacenters,
  logLevel,
  deadlines,
  reports,
  metrics,
  denials,
  httpServer,
  requestDrain([ReportsToMain]),
  feed,
  listeners([FeedFollower])
]

/** Builds the read models from the log files, follows the main process, and listens. @param override for tests @throws ListenError LogUnusable */
export const startWorker = async (
  start: WorkerStart,
  main: MainProcess,
  override: (scope: DependencyContainer) => void = () => {}
): Promise<RunningWorker> => {
  const { settings } = start
  const link: MainLink = { ...main, start, settings }
  const [tracing, datacenters] = [
    await tracingOf(settings, `/${start.number}`),
    await datacentersOfWorker(settings)
  ]
  const live = new LiveSettings(() => link.settings)
  const fed = await openFed(settings)
  const scope = compose(live, fed.log)
  registerWorker(scope, link, fed)
  for (const capability of [tracing, datacenters]) capability?.register(scope)
  override(scope)
  const components = workerComponents({
    tracing: tracing?.components,
    datacenters: datacenters?.components
  })
  const runner = await ComponentRunner.start(scope, components)
  const { port, dnsPort } = scope.resolve(Listeners).ports
  const [views, measured, book] = [
    scope.resolve(Views),
    scope.resolve(Metrics),
    scope.resolve(StreamRegistry)
  ]
  return {
    scope,
    port,
    dnsPort,
    followed: scope.resolve(FeedFollower).followed,
    get index() {
      return views.index
    },
    report: async () => ({
      metrics: await measured.ofProcess(),
      streams: { open: book.open, ended: book.lastEnded }
    }),
    close: () => runner.stop()
  }
}
