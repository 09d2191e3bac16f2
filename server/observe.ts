import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../actors/clock.js'
import { Committer } from '../actors/committer.js'
import { Logins } from '../actors/login/logins.js'
import type { LogWriter } from '../events/log/log.js'
import { Views } from '../projections/read-models.js'
import { EVENT_LOG, SETTINGS } from './settings/ports.js'
import { logFolder, type Settings } from './settings/settings.js'
import { EventStreams } from '../http/stream/event-streams.js'
import { BodyMemoryLimit } from '../http/wire/bodies/request-body.js'
import { AuthFailures } from '../http/wire/sockets/auth-failures.js'
import { OutputBackpressure } from '../http/wire/sockets/connection-queue.js'
import { INTERVAL_MS, Metrics } from './telemetry/metrics/metrics.js'
import { programVersion } from '../events/version.js'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Cache time, so that frequent scrapes read no files. */
const CACHE_MS = 10_000
/** Unit of `stat.blocks`. */
const BLOCK_BYTES = 512

export class FolderSize {
  #measured: { readonly at: number; readonly bytes: Promise<number> } | undefined

  constructor(
    private readonly folder: string,
    private readonly clock: Clock
  ) {}

  /** Returns the bytes of all files in the folder, at most 10 s old; 0 without a folder. */
  bytes(): Promise<number> {
    const now = this.clock.elapsed()
    if (!this.#measured || now - this.#measured.at >= CACHE_MS)
      this.#measured = { at: now, bytes: measure(this.folder) }
    return this.#measured.bytes
  }
}

const measure = async (folder: string): Promise<number> => {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  // A file may disappear meanwhile.
  const sizes = await Promise.all(
    names.map(name =>
      stat(join(folder, name)).then(
        found => (found.isFile() ? found.blocks * BLOCK_BYTES : 0),
        () => 0
      )
    )
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Seconds of a flush, from fast to stuck disks. */
const FLUSH_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1]
const GROUP_BUCKETS = [1, 2, 4, 8, 16, 64, 256]

@scoped(Lifecycle.ContainerScoped)
export class ServerMetrics {
  readonly #dataDir: string
  #intervals: NodeJS.Timeout | undefined

  constructor(
    private readonly metrics: Metrics,
    @inject(SETTINGS) { data_dir: dataDir }: Settings,
    @inject(EVENT_LOG) private readonly log: LogWriter,
    private readonly views: Views,
    private readonly committer: Committer,
    private readonly clock: Clock,
    private readonly logins: Logins,
    private readonly streams: EventStreams,
    private readonly authFailures: AuthFailures,
    private readonly unsent: OutputBackpressure,
    private readonly bodies: BodyMemoryLimit
  ) {
    this.#dataDir = dataDir
  }

  /** Registers gauges for existing numbers, observes the log's flushes, and begins the intervals of the metrics. */
  start(): void {
    this.#ofProgram()
    this.#ofLog()
    this.#ofState()
    this.startOfReader()
  }

  /** Starts with the metrics of a read-only process. */
  startOfReader(): void {
    this.#ofConnections()
    this.#intervals = setInterval(() => this.metrics.beginInterval(), INTERVAL_MS).unref()
  }

  stop(): void {
    clearInterval(this.#intervals)
  }

  #ofProgram(): void {
    this.metrics.info('annals_build_info', 'Version of the program and of Node', {
      version: programVersion(),
      node: process.version
    })
  }

  #ofLog(): void {
    const metrics = this.metrics
    const log = this.log
    const size = new FolderSize(logFolder(this.#dataDir), this.clock)
    metrics.gauge('annals_log_bytes', 'Bytes of the log on disk, at most 10 s old', () => size.bytes())
    metrics.gauge('annals_log_writable', '1 if the log accepts writes, 0 after a failure', () =>
      this.committer.isWritable ? 1 : 0
    )
    metrics.gauge('annals_durable_index', 'Index of the last commit on disk', () => log.durableIndex)
    const time = metrics.distribution(
      'annals_log_flush_seconds',
      'Time that a flush of the log to the disk takes, in seconds',
      { buckets: FLUSH_BUCKETS }
    )
    const group = metrics.distribution('annals_log_flush_commits', 'Commits that share a flush', {
      buckets: GROUP_BUCKETS
    })
    log.onFlush(({ seconds, commits }) => {
      time.add(seconds)
      group.add(commits)
    })
  }

  #ofState(): void {
    const metrics = this.metrics
    const views = this.views
    metrics.gauge('annals_commit_index', 'Index of the last commit applied', () => views.index)
    metrics.gauge('annals_acl_tokens', 'Number of ACL tokens', () => views.tokens.size)
    metrics.gauge('annals_kv_entries', 'Number of KV entries', () => views.kv.size)
    metrics.gauge('annals_sessions', 'Number of sessions', () => views.sessions.size)
    metrics.gauge('annals_blocking_keys', 'Keys that blocking queries wait for', () => views.watch.size)
    metrics.gauge('annals_compiled_chains', 'Cached discovery chains', () => views.chains.count)
    metrics.gauge(
      'annals_oidc_requests',
      'OIDC logins that wait for their callback',
      () => views.oidcRequests.size
    )
  }

  #ofConnections(): void {
    const metrics = this.metrics
    const streams = this.streams
    metrics.gauge(
      'annals_logins_waiting',
      'Logins that wait for an identity provider',
      () => this.logins.size
    )
    metrics.gauge(
      'annals_auth_failure_addresses',
      'Addresses with remembered failures of tokens or logins',
      () => this.authFailures.size
    )
    metrics.gauge('annals_event_streams', 'Open event streams', () => streams.size)
    metrics.gauge(
      'annals_event_streams_behind',
      'Event streams that read older commits from the log',
      () => streams.behind
    )
    metrics.gauge(
      'annals_event_stream_lag',
      'Commits by which the slowest event stream lags',
      () => streams.lag
    )
    metrics.gauge('annals_http_unsent_bytes', 'Unsent bytes of responses', () => this.unsent.total)
    metrics.gauge('annals_http_body_bytes', 'Bytes of bodies in memory', () => this.bodies.reserved)
  }
}
