// The snapshots and the base of a running server: what it starts from, who writes them while it runs, and what goes then.
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

/** What letting old commits go takes. */
interface RetentionServices {
  readonly views: Views
  readonly system: ActorSystem
  readonly clock: Clock
  readonly metrics: Metrics
  /** Of a server of a cluster. */
  readonly others?: PeerServers | undefined
}

/** How often a server that waits for another one's base looks who decides now, in ms. */
const LOOK_MS = 1000

export class ServerSnapshots {
  readonly #beside: SnapshotStores | undefined
  readonly #ending = new AbortController()
  #newest = 0
  #held = 0
  #writing: SnapshotSchedule | undefined
  #retention: LogRetention | undefined
  #others: PeerServers | undefined
  #told = (): void => {}

  /** @param beside undefined for a log that is kept nowhere */
  constructor(
    private readonly settings: Settings,
    private readonly log: EventLog,
    beside: SnapshotStores | undefined,
    private readonly logger: Logger
  ) {
    this.#beside = beside && { ...beside, comesLater: settings.cluster.enabled }
  }

  /** Makes the read models anew: from the newest snapshot that holds, and the commits after it. */
  async restore(views: Views): Promise<void> {
    const begin = performance.now()
    this.#newest = await restore(views, this.log, this.#beside, (snapshot, reason) =>
      this.logger.warn({ snapshot, reason }, 'a snapshot was passed over')
    )
    this.logger.info(
      { index: views.index, snapshot: this.#newest, ms: Math.round(performance.now() - begin) },
      'the read models are made'
    )
    await this.#repairBase(views)
  }

  /** Begins to have snapshots written and old commits let go, as far as the settings say so. */
  start(services: RetentionServices): void {
    this.#others = services.others
    this.#startWriting(services)
    this.#startRetention(services)
  }

  /** To be called when another server has told of what it has let go, or of a base. */
  lookAtRetention(): void {
    this.#told()
    this.#retention?.look()
  }

  /** Ends what is being written. */
  stop(): void {
    this.#ending.abort()
    this.#told()
    this.#writing?.stop()
    this.#retention?.stop()
  }

  /**
   * Makes sure that no state of before a commit is kept: see `ErasureHost`. A base is made anew where there is one, or has to be; otherwise a
   * snapshot.
   */
  async supersede({ retainedLog }: Views, index: number, needsBase: boolean): Promise<void> {
    const beside = this.#beside
    const retention = this.#retention
    if (!beside || !retention) return
    const before = retainedLog.retention?.Index ?? 0
    if (before < index && (needsBase || before > 0)) await this.#renewBase(retention, index)
    // What a crash has left of it goes as well.
    else if (before > 0) await beside.bases.keepOnly(before)
    // One that is being made may be of before as well; all that are begun from now on are not.
    await this.#writing?.settled()
    const isOld = (await beside.snapshots.indexes()).some(other => other < index)
    if (isOld && (retainedLog.retention?.Index ?? 0) < index)
      await runInChild({ settings: this.settings }, this.logger, this.#ending.signal)
    await beside.snapshots.removeBefore(index)
  }

  /** The server that decides makes it, and the others take it from there. */
  async #renewBase(retention: LogRetention, index: number): Promise<void> {
    const others = this.#others
    if (others && (await this.#awaitBase(retention, index, others))) return
    await retention.renewBase()
  }

  /** @returns whether another server made it, before this one came to decide */
  async #awaitBase(retention: LogRetention, index: number, others: PeerServers): Promise<boolean> {
    while (!others.decides()) {
      if ((await retention.fetchAnnouncedBase(others)) >= index) return true
      // Until the leader tells of one, or this server may be the leader itself.
      await new Promise<void>(resolve => {
        this.#told = resolve
        others.timers.setTimeout(resolve, LOOK_MS)
      })
      this.#ending.signal.throwIfAborted()
    }
    return false
  }

  /** One copy of the base is enough for a start, and makes the other one. */
  async #repairBase({ retainedLog: { retention } }: Views): Promise<void> {
    if (!this.#beside || !retention) return
    try {
      const { repaired } = await this.#beside.bases.check(retention.Index, { repair: true })
      for (const file of repaired)
        this.logger.warn(
          { file },
          'a copy of the base was damaged or missing, and was made again from the other one'
        )
    } catch (error) {
      this.logger.warn({ err: error }, 'the base is damaged or missing, and is made anew from the log')
    }
  }

  #startRetention({ views, system, clock, metrics, others }: RetentionServices): void {
    const beside = this.#beside
    const log = this.log
    if (!beside) return
    metrics.gauge(
      'annals_cursor_held_bytes',
      'Bytes of the log that a cursor keeps from going, of the one that keeps most',
      () => this.#held
    )
    metrics.gauge('annals_first_index', 'Index of the oldest commit that is kept', () => log.firstIndex)
    this.#retention = new LogRetention(
      { log, views, system },
      {
        limits: this.settings.log.retain,
        ...(others && { others }),
        cursorLimit: () => this.#mostHeld(),
        onCursorsRetaining: (retained, limit) => this.#tellHold(retained, limit),
        makeBase: async (index, signal) => {
          const { digest } = await runInChild({ settings: this.settings, base: index }, this.logger, signal)
          if (digest === undefined) throw new Error('the process told of no base')
          return digest
        },
        hasBase: retention =>
          checkBaseSnapshot(retention, beside.bases).then(
            () => true,
            () => false
          ),
        keepBase: index => beside.bases.keepOnly(index),
        now: () => clock.now(),
        onDone: index => this.logger.info({ index }, 'the commits up to this one were let go'),
        onFailure: error => this.logger.warn({ err: error }, 'no commits could be let go')
      }
    )
  }

  /** No cursor keeps what the disk has no room for. */
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
      const told = { cursor: name, index, bytes, most }
      if (bytes > most)
        this.logger.error(
          told,
          'a cursor kept too much of the log, and its commits go: its reader has lost them'
        )
      else if (bytes > most / 2)
        this.logger.warn(
          told,
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
