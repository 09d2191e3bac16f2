// The snapshots of a running server: what it starts from, and who writes them while it runs.
import type { Logger } from 'pino'
import { SnapshotWriting } from '../../actors/processes/snapshots/snapshot-writing.js'
import type { EventLog } from '../../events/log/log.js'
import type { Snapshots } from '../../events/log/snapshots/snapshots.js'
import { restore } from '../../projections/restore.js'
import type { Views } from '../../projections/views.js'
import type { Metrics } from '../metrics.js'
import type { Settings } from '../settings.js'
import { snapshotInChild } from './child-process.js'

export class ServerSnapshots {
  readonly #settings: Settings
  readonly #log: EventLog
  readonly #logger: Logger
  readonly #snapshots: Snapshots | undefined
  #newest = 0
  #writing: SnapshotWriting | undefined

  /** @param snapshots undefined for a log that has none */
  constructor(settings: Settings, log: EventLog, snapshots: Snapshots | undefined, logger: Logger) {
    this.#settings = settings
    this.#log = log
    this.#snapshots = snapshots
    this.#logger = logger
  }

  /** Makes the read models anew: from the newest snapshot that holds, and the commits after it. */
  async restore(views: Views): Promise<void> {
    const begin = performance.now()
    this.#newest = await restore(views, this.#log, this.#snapshots, (snapshot, reason) =>
      this.#logger.warn({ snapshot, reason }, 'a snapshot was passed over')
    )
    this.#logger.info(
      { index: views.index, snapshot: this.#newest, ms: Math.round(performance.now() - begin) },
      'the read models are made'
    )
  }

  /** Begins to have snapshots written when enough commits came, if the settings say so. */
  start(metrics: Metrics): void {
    const { commits } = this.#settings.snapshot
    if (!this.#snapshots || commits === 0) return
    const writing = new SnapshotWriting(this.#log, {
      commits,
      newest: this.#newest,
      write: async signal => {
        const index = await snapshotInChild(this.#settings, this.#logger, signal)
        this.#logger.info({ index }, 'a snapshot of the read models was written')
        return index
      },
      onFailure: error =>
        this.#logger.warn({ err: error }, 'a snapshot of the read models could not be written')
    })
    this.#writing = writing
    metrics.gauge('annals_snapshot_index', 'Index of the newest snapshot', () => writing.newest)
    metrics.gauge('annals_snapshot_failures', 'Snapshots that could not be written', () => writing.failures)
  }

  /** Ends the writing of a snapshot, if one is being written. */
  stop(): void {
    this.#writing?.stop()
  }
}
