// Manages the workers of a server: further processes that answer reads.
import { createSecretKey, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { inject, Lifecycle, scoped, type DependencyContainer } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock, Timers } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { factory } from '../../../actors/factories.js'
import { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'
import { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import type { LogReader } from '../../../events/log/log.js'
import type { LogFeed } from '../../../events/log/store.js'
import { CLUSTER, type ClusterPort } from '../members/cluster-port.js'
import { WORKER_PROOFS } from '../members/member-policy.js'
import { RequestRouter, ROUTING_POLICY, type RoutingPolicy } from '../members/request-router.js'
import { ServerProofs } from '../members/server-proof.js'
import { RetiredCounters, isMonotonic } from '../../telemetry/metrics/retired-counters.js'
import { Metrics, type ProcessMetrics } from '../../telemetry/metrics/metrics.js'
import { component, type Capability } from '../../component.js'
import { ENDS_WITH_REQUESTS, Listeners, PORT_SHARING, type ServerPorts } from '../../components.js'
import { LOGGER, OWN_LOG } from '../../settings/ports.js'
import { WORKER_STATES, type WorkerState } from '../../../http/routes/agent/worker-states.js'
import { LiveSettings, workersSocket, type Settings } from '../../settings/settings.js'
import { StreamRegistry } from '../../../http/stream/stream-registry.js'
import { REQUEST_ROUTING } from '../../../http/wire/request-routing.js'
import { HttpServer } from '../../../http/wire/sockets/server.js'
import { WorkerSupervisor } from './worker-supervisor.js'
import { sendClusterRole } from './worker-port.js'
import type { FromWorker, ToWorkers, WorkerReport, WorkerStart } from './message-types.js'
import { WorkerProcess, type WorkerHost } from './worker-process.js'
import { MainMessages, WORKER_FEED } from './main-messages.js'
import { NO_PEER_CONTACT } from '../../../http/wire/contact.js'

const here = (): Promise<'here'> => Promise.resolve('here')

/** Returns the routing outside a cluster: the main process answers all requests. @param workers verifies those that workers forward */
const mainPolicy = (workers: ServerProofs): RoutingPolicy => ({
  port: {
    hold: Infinity,
    mayAnswer: () => true,
    fence: () => Promise.resolve(),
    isLeaderKnown: () => NO_PEER_CONTACT.isLeaderKnown,
    lastContact: () => NO_PEER_CONTACT.lastContact
  },
  forwarding: { forward: here, tunnel: here },
  workers,
  notNewest: '',
  acceptsStaleDns: false,
  locationOf: () => 'here'
})

const SECRET_BYTES = 32

/** The services of the main process that its workers need. */
@scoped(Lifecycle.ContainerScoped)
class MainServices {
  constructor(
    readonly server: HttpServer,
    readonly listeners: Listeners,
    readonly messages: MainMessages,
    @inject(CLUSTER, { isOptional: true }) readonly cluster: ClusterPort | undefined,
    @inject(OWN_LOG) readonly log: LogReader,
    readonly committer: Committer,
    readonly clock: Clock,
    readonly timers: Timers,
    readonly live: LiveSettings,
    readonly metrics: Metrics,
    readonly registry: StreamRegistry,
    @inject(LOGGER) readonly logger: Logger
  ) {}
}

export class Workers implements Capability {
  /** They begin when the main process listens, and end with its requests. */
  readonly components = [
    component([Workers, MainServices], { needs: [Listeners], start: (workers, main) => workers.#start(main) })
  ]
  readonly feed: WorkerFeed<ToWorkers>
  readonly position = SharedCounter.make(tmpdir())
  readonly #count: number
  readonly #secret = randomBytes(SECRET_BYTES)
  readonly #socket: string
  #server: HttpServer | undefined
  #host: WorkerHost | undefined
  #workers: readonly WorkerSupervisor[] = []
  #stopSendingRole: () => void = () => {}
  #exchanges = 0
  readonly #ended = new RetiredCounters()

  constructor({ workers, data_dir: dataDir }: Settings) {
    this.#count = workers
    this.#socket = workersSocket(dataDir)
    this.feed = new WorkerFeed(this.position)
  }

  /** Announces the changes of the log to the workers. */
  readonly logFeed: LogFeed = {
    publish: group => this.feed.publish(group),
    erasing: isDone => this.feed.send({ kind: 'erasure', isDone })
  }

  /** Call when the log is open. */
  use(log: SegmentEventLog): void {
    this.feed.use(log)
  }

  register(scope: DependencyContainer): void {
    const proofs = factory([Clock], clock => new ServerProofs(createSecretKey(this.#secret), clock))
    scope.register(WORKER_PROOFS, proofs)
    if (!scope.isRegistered(CLUSTER)) {
      scope.register(ROUTING_POLICY, factory([WORKER_PROOFS], mainPolicy))
      scope.register(REQUEST_ROUTING, { useToken: RequestRouter })
    }
    scope.registerInstance(WORKER_STATES, () => this.#workers.map(({ state }) => state))
    scope.registerInstance(Workers, this)
    scope.registerInstance(WORKER_FEED, this.feed)
    scope.registerInstance(PORT_SHARING, 'first')
    scope.registerInstance(ENDS_WITH_REQUESTS, () => this.#close())
  }

  async #start({ server, messages, cluster, ...main }: MainServices): Promise<void> {
    await this.#listen(server)
    const ports = portsOf(main.listeners.ports)
    const settingsFor = (settings: Settings): Settings => ({ ...settings, ports })
    messages.start(settingsFor)
    if (cluster)
      this.#stopSendingRole = sendClusterRole(cluster, this.feed, {
        committer: main.committer,
        timers: main.timers
      })
    const host = {
      position: this.position.file,
      feed: this.feed,
      clock: main.clock,
      timers: main.timers,
      durable: () => main.log.durableIndex,
      newest: async () => {
        if (cluster && !cluster.mayAnswer()) await cluster.fence()
        // Workers receive a commit that this process has applied when it is durable. Other servers may already show it.
        await main.committer.durable()
      },
      lost: main.metrics.counter(
        'annals_worker_ends_total',
        'Workers that ended by themselves, or hung and were killed',
        'kind'
      ),
      onMessage: (message: FromWorker, worker: number) => messages.handle(message, worker),
      ended: (worker: number, last: WorkerReport | undefined) => {
        messages.removeWorker(worker)
        if (last) this.#ended.add(last.metrics)
      }
    }
    this.#host = host
    this.#workers = Array.from(
      { length: this.#count },
      (_, i) =>
        new WorkerSupervisor(
          () => new WorkerProcess(this.startOf(i + 1, settingsFor(main.live.current)), host),
          host,
          main.logger
        )
    )
    this.#report(main.metrics, main.registry)
    main.committer.signals.on('swapped', () => {
      this.feed.sendRetained('exchanges', { kind: 'replaced', exchanges: ++this.#exchanges })
      for (const worker of this.#workers) worker.replace()
    })
  }

  /** Undefined before the main process listens. */
  get host(): WorkerHost | undefined {
    return this.#host
  }

  /** @param settings with the ports that the worker listens on */
  startOf(number: number, settings: Settings): WorkerStart {
    return { number, settings, exchanges: this.#exchanges, socket: this.#socket, secret: this.#secret }
  }

  async #close(): Promise<void> {
    this.#stopSendingRole()
    await Promise.all(this.#workers.map(worker => worker.end()))
    await this.#server?.closeToProcesses()
    this.feed.close()
  }

  /** Removes a socket that a crash has left. */
  async #listen(server: HttpServer): Promise<void> {
    rmSync(this.#socket, { force: true })
    this.#server = server
    await server.listenToProcesses(this.#socket)
  }

  /** Adds the workers to the metrics and the list of streams. */
  #report(metrics: Metrics, registry: StreamRegistry): void {
    metrics.tellAlso(() => this.#metrics())
    metrics.gauge(
      'annals_workers',
      'Workers that answer',
      () => this.#workers.filter(({ state: { state } }) => state === 'listening').length
    )
    this.#measure(metrics)
    registry.useSiblings(async () =>
      (await this.#reports()).map(({ number, report: { streams } }) => ({
        open: streams.open.map(one => ({ ...one, ID: `${number}-${one.ID}` })),
        ended: streams.ended.map(one => ({ ...one, ID: `${number}-${one.ID}` }))
      }))
    )
  }

  #measure(metrics: Metrics): void {
    const each = (name: string, help: string, read: (state: WorkerState) => number): void =>
      metrics.gauges(name, help, 'worker', () =>
        this.#workers.map(({ state }) => [String(state.number), read(state)])
      )
    each('annals_worker_up', 'Whether the worker answers: 1 or 0', ({ state }) =>
      state === 'listening' ? 1 : 0
    )
    each(
      'annals_worker_behind_commits',
      'Commits on disk that the worker does not show',
      ({ behind }) => behind
    )
    each('annals_worker_resident_memory_bytes', 'Memory of the worker', ({ sign }) => sign?.bytes ?? 0)
    each(
      'annals_worker_start_time_seconds',
      'When the process of the worker was started, in Unix time',
      ({ since }) => since / 1000
    )
  }

  /** Includes workers that do not answer or have ended, so that counters never decrease. */
  async #metrics(): Promise<readonly ProcessMetrics[]> {
    const metrics = await Promise.all(
      this.#workers.map(async worker => {
        const report = await worker.report()
        if (report) return [report.metrics]
        const { lastReport } = worker
        return lastReport ? [isMonotonic(lastReport.metrics)] : []
      })
    )
    return [...metrics.flat(), await this.#ended.sum()]
  }

  async #reports(): Promise<readonly { readonly number: number; readonly report: WorkerReport }[]> {
    const reports = await Promise.all(this.#workers.map(worker => worker.report()))
    return reports.flatMap((report, i) => (report ? [{ number: i + 1, report }] : []))
  }
}

const portsOf = ({ port = -1, httpsPort = -1, dnsPort = -1 }: ServerPorts): Settings['ports'] => ({
  http: port,
  https: httpsPort,
  dns: dnsPort
})
