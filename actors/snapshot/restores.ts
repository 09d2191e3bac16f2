// The process that restores a snapshot: it begins in the log and ends there, and goes on after a crash
// (docs/decisions/0022).
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { EventLog } from '../../events/log/log.js'
import { formatTime } from '../../events/time.js'
import type { SnapshotStores } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { lifecycles } from '../aggregates.js'
import { Clock } from '../clock.js'
import { causeOf, SERVER, type Caller } from '../command.js'
import { Committer } from '../committer.js'
import { ARCHIVE_STORE, SNAPSHOT_STORES, EVENT_LOG, LOG_FILES } from '../ports.js'
import { Refusal } from '../refusal.js'
import { ActorSystem } from '../system.js'
import { alreadyRestoring, type SnapshotCommand, RESTORE } from './restore-snapshot.js'
import type { ArchiveStore, VerifiedArchive } from './archive-store.js'
import type { LogFiles } from './log-files.js'
import { rejectErasedData } from './erasure-filter.js'
import { RestoreRun, RestoreInterrupted, type RestoreRunDependencies } from './restore-run.js'

/** How long to wait before the next attempt when the log has failed, in milliseconds. */
const PAUSE_MS = 200
/** A start makes no more commits than this. */
const MOST_OF_A_START = 64

/**
 * What became of a restore that was under way when the server started; `lost` when its archive is not there.
 */
type Resumed = 'nothing' | 'complete' | 'lost'

/** Whether the log failed, or did not tell in time what became of a piece: what is missing then is made when it is back. */
const isOfTheLog = (error: unknown): boolean =>
  error instanceof RestoreInterrupted ||
  (error instanceof Refusal && (error.kind === 'unavailable' || error.kind === 'unknown'))

/** One restore at a time. */
@scoped(Lifecycle.ContainerScoped)
export class SnapshotRestores {
  readonly #parts: RestoreRunDependencies
  readonly #files: LogFiles | undefined
  #stopping = new AbortController()
  #isBusy = false
  #running: Promise<void> = Promise.resolve()

  constructor(
    views: Views,
    system: ActorSystem,
    committer: Committer,
    clock: Clock,
    @inject(EVENT_LOG) log: EventLog,
    @inject(ARCHIVE_STORE) private readonly shelf: ArchiveStore,
    @inject(SNAPSHOT_STORES, { isOptional: true }) beside?: SnapshotStores,
    @inject(LOG_FILES, { isOptional: true }) files?: LogFiles
  ) {
    this.#parts = { views, system, committer, lifecycles, clock, log, beside }
    this.#files = files
  }

  /**
   * Makes the state that of an archive, and resolves when all of it is on disk: a server that nobody has written to yet goes on with the log
   * of the archive; in the log of another one it is a commit of pieces.
   * @param pin see `ArchiveShelf.take`
   * @throws Refusal `invalid` when the archive cannot be restored, `conflict` while another one is, or when it holds what was erased since,
   *   `unavailable` when the log fails before the restore has begun, or the server ends before its end: it
   *   then goes on at the next start
   */
  restore(bytes: Readable, caller: Caller, pin?: string): Promise<void> {
    if (this.#isBusy || this.#parts.views.restore.current) throw alreadyRestoring()
    return this.#alone(async () => {
      const { archive, digest } = await this.shelf.take(bytes, this.#stopping.signal, pin)
      try {
        if (this.#files?.isExchangeable && (await this.#canContinueWith(archive))) {
          await this.#exchange(this.#files, archive)
          return
        }
        await this.shelf.spread?.(digest, this.#stopping.signal)
        const data = { Digest: digest, SnapshotIndex: archive.index }
        const { erasures } = this.#parts.views
        for (let seen = -1; seen !== erasures.list.length;) {
          seen = erasures.list.length
          await rejectErasedData(archive, this.#parts.views)
        }
        // None is ordered from here on.
        await this.#ask({ ...this.#common(caller), name: 'RestoreSnapshot', data })
        await this.#carryOut(archive, caller)
      } finally {
        await archive.close()
      }
    })
  }

  /** Goes on with the restore that the log says is under way. */
  async resume(): Promise<Resumed> {
    const { current } = this.#parts.views.restore
    return this.#alone(async () => {
      if (!current) return 'nothing'
      const archive = await this.#reopen(current.restore.Digest)
      if (!archive) return 'lost'
      try {
        await this.#carryOut(archive, SERVER)
      } finally {
        await archive.close()
      }
      return 'complete'
    })
  }

  /** Ends a restore where it is, for `reason`, and resolves when it has. Nothing is restored until `start`. */
  async stop(
    reason = new Refusal(
      'unavailable',
      'The server ends: the restore of the snapshot goes on at its next start'
    )
  ): Promise<void> {
    this.#stopping.abort(reason)
    await this.#running
  }

  /** After `stop`: restores may begin, or go on. */
  start(): void {
    this.#stopping = new AbortController()
  }

  /**
   * Whether all that has happened is what the server itself made at its start, and the first management token, and the log of the archive is
   * longer: indexes never fall.
   */
  async #canContinueWith({ hasLog, index }: VerifiedArchive): Promise<boolean> {
    const { log, views } = this.#parts
    if (!hasLog || index <= log.durableIndex || views.erasures.list.length > 0) return false
    if (log.firstIndex > 1 || log.durableIndex > MOST_OF_A_START) return false
    for await (const { By } of log.read(1))
      if (By.AccessorID !== '' || (By.Address !== '' && By.Command !== 'Bootstrap')) return false
    return true
  }

  async #exchange(files: LogFiles, archive: VerifiedArchive): Promise<void> {
    const { clock, committer, views } = this.#parts
    // The thread reads the files.
    await archive.close()
    await committer.exchange(() => files.exchange(formatTime(clock.now())))
    views.watch.endAll()
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true
    const done = this.#tidied(work)
    this.#running = done.then(
      () => undefined,
      () => undefined
    )
    return done
  }

  async #tidied<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } finally {
      await this.#tidy()
      this.#isBusy = false
    }
  }

  /** Undefined when the archive cannot be had any more, which ends the restore. */
  async #reopen(digest: string): Promise<VerifiedArchive | undefined> {
    const { signal } = this.#stopping
    try {
      const archive = await this.shelf.reopen(digest, signal)
      if (!archive) await this.#end(false, SERVER)
      return archive
    } catch (error) {
      signal.throwIfAborted()
      await this.#end(false, SERVER)
      throw error
    }
  }

  /**
   * Tries until the log has taken all of it. What fails for another reason ends the restore as incomplete.
   */
  async #carryOut(archive: VerifiedArchive, caller: Caller): Promise<void> {
    const { signal } = this.#stopping
    const { committer, views } = this.#parts
    let fault: unknown
    let isEnding = false
    for (;;) {
      const current = views.restore.current
      // Its end is in the log, although that was not known in time.
      if (!current && isEnding) return await committer.durable()
      if (!current) throw new Refusal('unavailable', 'The log failed before the restore had begun: try again')
      try {
        if (fault === undefined)
          await new RestoreRun(this.#parts, archive, caller, current.begun, signal).run()
        isEnding = true
        await this.#end(fault === undefined, caller)
        break
      } catch (error) {
        signal.throwIfAborted()
        if (!isOfTheLog(error)) fault = error
      }
      await setTimeout(PAUSE_MS)
      signal.throwIfAborted()
      await committer.readable()
    }
    if (fault !== undefined) throw fault
  }

  /** Whoever waits for a change looks at the new state. */
  async #end(isComplete: boolean, caller: Caller): Promise<void> {
    const cause = causeOf([this.#parts.views.restore.current?.begun])
    await this.#ask({ ...this.#common(caller), ...cause, name: 'EndSnapshotRestore', data: { isComplete } })
    this.#parts.views.watch.endAll()
  }

  #common(caller: Caller): Pick<SnapshotCommand, 'tenancy' | 'caller' | 'at'> {
    return { tenancy: DEFAULT_TENANCY, caller, at: this.#parts.clock.now() }
  }

  async #ask(command: SnapshotCommand): Promise<void> {
    await this.#parts.system.ask(RESTORE, command)
  }

  /** An archive is kept as long as the log has its restore under way. */
  async #tidy(): Promise<void> {
    const { committer, views } = this.#parts
    await committer.readable()
    if (!views.restore.current) await this.shelf.clear()
  }
}
