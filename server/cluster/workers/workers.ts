// Manages the workers of a server: further processes that answer reads.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { Timers } from '../../../actors/timers.js'
import { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'
import { PublishingStore } from '../../../events/log/cluster/publishing-store.js'
import { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import type { RecordStore } from '../../../events/log/store.js'
import { CLUSTER } from '../members/cluster-port.js'
import { ClusterRequests } from '../members/cluster-requests.js'
import { ServerProofs } from '../members/server-proof.js'
import { RetiredCounters, isMonotonic } from '../../telemetry/metrics/retired-counters.js'
import { Metrics, type ProcessMetrics } from '../../telemetry/metrics/metrics.js'
import { EVENT_LOG, LOGGER } from '../../settings/ports.js'
import { WORKER_STATES, type WorkerState } from '../../../http/routes/agent/worker-states.js'
import type { Companion, ServerPorts } from '../../running-server.js'
import { LiveSettings } from '../../settings/live-settings.js'
import { workersSocket, type Settings } from '../../settings/settings.js'
import { StreamRegistry } from '../../../http/stream/stream-registry.js'
import { REQUEST_ROUTING, type RequestRouting } from '../../../http/wire/request-routing.js'
import { HttpServer } from '../../../http/wire/sockets/server.js'
import { WorkerSupervisor } from './worker-supervisor.js'
import { sendClusterRole } from './worker-port.js'
import type { ToWorkers, WorkerReport, WorkerStart } from './message-types.js'
import { WorkerProcess, type WorkerHost } from './worker-process.js'
import { removeWorker, handleWorkerMessages, notifyWorkers } from './main-messages.js'
import { NO_PEER_CONTACT } from '../../../http/wire/contact.js'

/** Returns the routing outside a cluster: the main process answers all requests. @param senders verifies proofs with the workers' secret */
const mainRequests = (senders: ServerProofs): RequestRouting => ({
  deadline: Infinity,
  senderFault: request => senders.faultOf(request),
  senderOf: request => senders.of(request),
  locationOf: () => 'here',
  isLeading: () => true,
  untilNewest: () => Promise.resolve(),
  forward: () => Promise.resolve('here'),
  tunnel: () => Promise.resolve('here'),
  contact: () => NO_PEER_CONTACT,
  isCountedBySender: request => senders.of(request) !== undefined,
  forDns: () => undefined
})

const SECRET_BYTES = 32

export class Workers implements Companion {
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

  /** Wraps the store of the log: see `SegmentLogOptions`. */
  readonly over = (own: RecordStore): RecordStore => new PublishingStore(own, this.feed)

  /** Call when the log is open. */
  use(log: SegmentEventLog): void {
    this.feed.use(log)
  }

  equip(scope: DependencyContainer): void {
    const proofs = new ServerProofs(this.#secret, scope.resolve(Clock))
    if (scope.isRegistered(CLUSTER)) scope.resolve(ClusterRequests).workers = proofs
    else scope.registerInstance<RequestRouting>(REQUEST_ROUTING, mainRequests(proofs))
    scope.registerInstance(WORKER_STATES, () => this.#workers.map(({ state }) => state))
  }

  async begin(scope: DependencyContainer, ports: ServerPorts): Promise<void> {
    await this.#listen(scope)
    const live = scope.resolve(LiveSettings)
    const settingsFor = (settings: Settings): Settings => ({ ...settings, ports: portsOf(ports) })
    notifyWorkers(scope, this.feed, settingsFor)
    const cluster = scope.isRegistered(CLUSTER) ? scope.resolve(CLUSTER) : undefined
    if (cluster) this.#stopSendingRole = sendClusterRole(scope, cluster, this.feed)
    const log = scope.resolve(EVENT_LOG)
    const host = {
      position: this.position.file,
      feed: this.feed,
      clock: scope.resolve(Clock),
      timers: scope.resolve(Timers),
      durable: () => log.durableIndex,
      newest: async () => {
        if (cluster && !cluster.mayAnswer()) await cluster.fence()
      },
      lost: scope
        .resolve(Metrics)
        .counter(
          'annals_worker_ends_total',
          'Workers that ended by themselves, or hung and were killed',
          'kind'
        ),
      onMessage: handleWorkerMessages(scope, this.feed),
      ended: (worker: number, last: WorkerReport | undefined) => {
        removeWorker(scope, this.feed, worker)
        if (last) this.#ended.add(last.metrics)
      }
    }
    this.#host = host
    const logger = scope.resolve(LOGGER)
    this.#workers = Array.from(
      { length: this.#count },
      (_, i) =>
        new WorkerSupervisor(
          () => new WorkerProcess(this.startOf(i + 1, settingsFor(live.current)), host),
          host,
          logger
        )
    )
    this.#reportOf(scope)
    scope.resolve(Committer).signals.on('swapped', () => {
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

  async close(): Promise<void> {
    this.#stopSendingRole()
    await Promise.all(this.#workers.map(worker => worker.end()))
    await this.#server?.closeToProcesses()
    this.feed.close()
  }

  /** Removes a socket that a crash has left. */
  async #listen(scope: DependencyContainer): Promise<void> {
    rmSync(this.#socket, { force: true })
    this.#server = scope.resolve(HttpServer)
    await this.#server.listenToProcesses(this.#socket)
  }

  /** Adds the workers to the metrics and the list of streams. */
  #reportOf(scope: DependencyContainer): void {
    const metrics = scope.resolve(Metrics)
    metrics.tellAlso(() => this.#metrics())
    metrics.gauge(
      'annals_workers',
      'Workers that answer',
      () => this.#workers.filter(({ state: { state } }) => state === 'listening').length
    )
    this.#measure(metrics)
    scope.resolve(StreamRegistry).useSiblings(async () =>
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
