import { statfs } from 'node:fs/promises'
import type { Logger } from 'pino'
import { type CursorRetention, LogRetention } from '../../actors/processes/log-retention.js'
import type { PeerServers } from '../../actors/ports.js'
import { SnapshotSchedule } from '../../actors/processes/snapshot-schedule.js'
import type { EventLog } from '../../events/log/log.js'
import { checkBaseSnapshot, restore, type SnapshotStores } from '../../projections/restore-views.js'
import type { Views } from '../../projections/read-models.js'
import type { Clock } from '../../actors/clock.js'
import type { ActorSystem } from '../../actors/system.js'
import type { Metrics } from '../telemetry/metrics/metrics.js'
import { logFolder, type Settings } from '../settings/settings.js'
import { runInChild } from './child-process.js'

/** The services that pruning needs. */
interface RetentionServices {
  readonly views: Views
  readonly system: ActorSystem
  readonly clock: Clock
  readonly metrics: Metrics
  /** Only in a cluster. */
  readonly others?: PeerServers | undefined
}

/** How often a wait for another server's base snapshot checks who leads. */
const LOOK_MS = 1000

export class ServerSnapshots {
  readonly #beside: SnapshotStores | undefined
  readonly #ending = new AbortController()
  #newest = 0
  #held = 0
  /** Bytes that legal holds retain. */
  #legallyHeld = 0
  #writing: SnapshotSchedule | undefined
  #retention: LogRetention | undefined
  #others: PeerServers | undefined
  #notify = (): void => {}

  /** @param beside undefined for a log in memory */
  constructor(
    private readonly settings: Settings,
    private readonly log: EventLog,
    beside: SnapshotStores | undefined,
    private readonly logger: Logger
  ) {
    this.#beside = beside && { ...beside, comesLater: settings.cluster.enabled }
  }

  /** Rebuilds the read models from the newest valid snapshot and later commits. */
  async restore(views: Views): Promise<void> {
    const begin = performance.now()
    this.#newest = await restore(views, this.log, this.#beside, (snapshot, reason) =>
      this.logger.warn({ snapshot, reason }, 'a snapshot was skipped')
    )
    this.logger.info(
      { index: views.index, snapshot: this.#newest, ms: Math.round(performance.now() - begin) },
      'the read models are ready'
    )
    await this.repairBase(views)
  }

  /** Starts writing snapshots and pruning commits, according to the settings. */
  start(services: RetentionServices): void {
    this.#others = services.others
    this.#startWriting(services)
    if (!this.#beside) return
    this.#countRetained(services)
    this.#retention = this.createRetention(services, this.#beside)
  }

  /** Call when another server has announced pruning or a base snapshot. */
  lookAtRetention(): void {
    this.#notify()
    this.#retention?.look()
  }

  /** Cancels running snapshots. */
  stop(): void {
    this.#ending.abort()
    this.#notify()
    this.#writing?.stop()
    this.#retention?.stop()
  }

  /**
   * Replaces all snapshots of states before a commit: see `ErasureHost`. Creates a base snapshot if there is one already, or it is needed,
   * and otherwise a snapshot.
   */
  async supersede({ retainedLog }: Views, index: number, needsBase: boolean): Promise<void> {
    const beside = this.#beside
    if (!beside) return
    const before = retainedLog.retention?.Index ?? 0
    const retention = this.#retention
    if (needsBase && (await beside.bases.isReceived())) await this.#replaceReceivedBase(beside, index)
    else if (retention && before < index && (needsBase || before > 0)) await this.#renewBase(retention, index)
    // Also removes files that a crash has left.
    else if (retention && before > 0) await beside.bases.keepOnly(await retention.obtainBase())
    // A running snapshot may contain an earlier state. Later ones do not.
    await this.#writing?.settled()
    const isOld = (await beside.snapshots.indexes()).some(other => other < index)
    if (isOld && (retainedLog.retention?.Index ?? 0) < index)
      await runInChild({ settings: this.settings }, this.logger, this.#ending.signal)
    await beside.snapshots.removeBefore(index)
  }

  /** A replica creates its own, since that of its source came without secrets. */
  async #replaceReceivedBase({ bases }: SnapshotStores, index: number): Promise<void> {
    const [newest = 0] = await bases.indexes()
    if (newest >= index) return bases.keepOnly(newest)
    const made = await runInChild(
      { settings: this.settings, base: this.log.durableIndex },
      this.logger,
      this.#ending.signal
    )
    await bases.keepOnly(made.index)
  }

  /** The leader creates the base snapshot, and the others copy it. */
  async #renewBase(retention: LogRetention, index: number): Promise<void> {
    const others = this.#others
    if (others && (await this.#awaitBase(retention, index, others))) return
    await retention.renewBase()
  }

  /** @returns true if another server created it before this one became the leader */
  async #awaitBase(retention: LogRetention, index: number, others: PeerServers): Promise<boolean> {
    while (!others.decides()) {
      if ((await retention.obtainBase()) >= index) return true
      // Until the leader announces one, or this server may be the leader itself.
      await new Promise<void>(resolve => {
        this.#notify = resolve
        others.timers.setTimeout(resolve, LOOK_MS)
      })
      this.#ending.signal.throwIfAborted()
    }
    return false
  }

  /** One valid copy of the base snapshot is enough for a start, and repairs the other one. */
  protected async repairBase({ retainedLog: { retention } }: Views): Promise<void> {
    if (!this.#beside || !retention) return
    try {
      const { repaired } = await this.#beside.bases.check(retention.Index, { repair: true })
      for (const file of repaired)
        this.logger.warn(
          { file },
          'a copy of the base was damaged or missing, and was made again from the other one'
        )
    } catch (error) {
      this.logger.warn(
        { err: error },
        'the base snapshot is damaged or missing, and is created again from the log'
      )
    }
  }

  #countRetained({ views, metrics }: RetentionServices): void {
    metrics.gauge(
      'annals_cursor_held_bytes',
      'Maximum bytes of the log that one cursor protects from pruning',
      () => this.#held
    )
    metrics.gauge(
      'annals_legal_hold_bytes',
      'Bytes of the log that legal holds protect from pruning',
      () => this.#legallyHeld
    )
    metrics.gauge('annals_legal_holds', 'Legal holds', () => views.legalHolds.size)
    metrics.gauge('annals_first_index', 'Index of the oldest retained commit', () => this.log.firstIndex)
  }

  protected createRetention(
    { views, system, clock, others }: RetentionServices,
    beside: SnapshotStores
  ): LogRetention | undefined {
    return new LogRetention(
      { log: this.log, views, system },
      {
        limits: this.settings.log.retain,
        ...(others && { others }),
        cursorLimit: () => this.#mostHeld(),
        onCursorsRetaining: (retained, limit) => this.#tellHold(retained, limit),
        onHeld: (bytes, oldest) => {
          this.#legallyHeld = bytes
          if (bytes > 0) this.logger.info({ ...oldest, bytes }, 'a legal hold keeps commits from pruning')
        },
        makeBase: async (index, signal) => {
          const { digest } = await runInChild({ settings: this.settings, base: index }, this.logger, signal)
          if (digest === undefined) throw new Error('the process reported no base snapshot')
          return digest
        },
        hasBase: retention =>
          checkBaseSnapshot(retention, beside.bases).then(
            () => true,
            () => false
          ),
        keepBase: index => beside.bases.keepOnly(index),
        now: () => clock.now(),
        onDone: index => this.logger.info({ index }, 'the commits up to this one were pruned'),
        onFailure: error => this.logger.warn({ err: error }, 'no commits could be pruned')
      }
    )
  }

  /** Limits the commits that cursors retain to the free disk space. */
  async #mostHeld(): Promise<number> {
    const { cursor, data_dir: dataDir } = this.settings
    if (cursor.max_held === 0) return 0
    const { bavail, bsize } = await statfs(logFolder(dataDir))
    return Math.min(cursor.max_held, bavail * bsize)
  }

  #tellHold({ retaining }: CursorRetention, most: number): void {
    this.#held = retaining.reduce((sum, { bytes }) => Math.max(sum, bytes), 0)
    if (most === 0) return
    for (const { name, index, bytes } of retaining) {
      const fields = { cursor: name, index, bytes, most }
      if (bytes > most)
        this.logger.error(
          fields,
          'a cursor kept too much of the log, and its commits go: its reader has lost them'
        )
      else if (bytes > most / 2)
        this.logger.warn(
          fields,
          'a cursor keeps much of the log: its commits go when it keeps more than the most'
        )
    }
  }

  #startWriting({ metrics, clock }: Pick<RetentionServices, 'metrics' | 'clock'>): void {
    const { commits } = this.settings.snapshot
    if (!this.#beside || commits === 0) return
    const writing = new SnapshotSchedule(this.log, {
      commits,
      newest: this.#newest,
      elapsed: () => clock.elapsed(),
      write: async signal => {
        const { index } = await runInChild({ settings: this.settings }, this.logger, signal)
        this.logger.info({ index }, 'a snapshot of the read models was written')
        return index
      },
      onFailure: error =>
        this.logger.warn({ err: error }, 'a snapshot of the read models could not be written')
    })
    this.#writing = writing
    metrics.gauge('annals_snapshot_index', 'Index of the newest snapshot', () => writing.newest)
    metrics.gauge('annals_snapshot_failures', 'Snapshots that could not be written', () => writing.failures)
  }
}
