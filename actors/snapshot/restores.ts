// The process that restores a snapshot and resumes after a crash (docs/decisions/0022).
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { LogReader } from '../../events/log/log.js'
import { formatTime } from '../../events/time.js'
import type { SnapshotStores } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { lifecycles } from '../aggregates.js'
import { Clock } from '../clock.js'
import { type Caller, causeOf, SERVER } from '../aggregate.js'
import { Committer } from '../committer.js'
import { ARCHIVE_STORE, SNAPSHOT_STORES, EVENT_LOG, LOG_FILES } from '../ports.js'
import { Refusal } from '../refusal.js'
import { ActorSystem } from '../system.js'
import { alreadyRestoring, type SnapshotCommand, RESTORE } from './restore-snapshot.js'
import type { ArchiveStore, VerifiedArchive } from './archive-store.js'
import type { LogFiles } from './log-files.js'
import { RestoreRun, RestoreInterrupted, type RestoreRunDependencies } from './restore-run.js'
import { isErasedBy, isOriginErasure, type PayloadErasure } from '../../events/erasure.js'

/** The same text for the same order in any log. */
const nameOf = ({ Topic, Partition, Namespace, Key, Prefix, Scope, UpTo }: PayloadErasure): string =>
  JSON.stringify([Topic, Partition, Namespace, Key, Prefix, Scope, UpTo])

/** Compares an archive with erasure orders that it lacks: matching data may be older than the order. @throws Refusal `conflict` for such data */
const rejectErasedData = async (archive: VerifiedArchive, { erasures }: Views): Promise<void> => {
  const known = new Set(
    archive.erasures.flatMap(erasure => (isOriginErasure(erasure) ? [] : [nameOf(erasure)]))
  )
  const unknown = erasures.list.flatMap(({ index, erasure }) =>
    isOriginErasure(erasure) || known.has(nameOf(erasure)) ? [] : [{ index, erasure }]
  )
  if (unknown.length === 0) return
  for await (const events of archive.events())
    for (const event of events) {
      const order = unknown.find(({ erasure }) => isErasedBy(event, erasure))
      if (order)
        throw new Refusal(
          'snapshot.conflict',
          `The snapshot would bring back ${event.Topic} "${event.Key}", which commit ${order.index} ordered to be erased: restore one that was saved after that commit`
        )
    }
}

const PAUSE_MS = 200
const MAX_START_COMMITS = 64

/** Outcome of the restore that ran when the server started; `lost` without its archive. */
type Resumed = 'nothing' | 'complete' | 'lost'

/** True when the log failed or timed out; the next attempt then repeats the missing pieces. */
const isLogFailure = (error: unknown): boolean =>
  error instanceof RestoreInterrupted ||
  (error instanceof Refusal && (error.kind === 'unavailable' || error.kind === 'unknown'))

const settled = (done: Promise<unknown>): Promise<void> =>
  done.then(
    () => undefined,
    () => undefined
  )

@scoped(Lifecycle.ContainerScoped)
export class SnapshotRestores {
  readonly #dependencies: RestoreRunDependencies
  #stopping = new AbortController()
  #isBusy = false
  #running: Promise<void> = Promise.resolve()

  constructor(
    views: Views,
    system: ActorSystem,
    committer: Committer,
    clock: Clock,
    @inject(EVENT_LOG) log: LogReader,
    @inject(ARCHIVE_STORE) private readonly archives: ArchiveStore,
    @inject(SNAPSHOT_STORES, { isOptional: true }) stores?: SnapshotStores,
    @inject(LOG_FILES, { isOptional: true }) private readonly files?: LogFiles
  ) {
    this.#dependencies = { views, system, committer, lifecycles, clock, log, stores }
  }

  /**
   * Restores an archive, and resolves when the result is on disk. A server without writes of users continues with the log of the archive; otherwise
   * the restore is a series of commits.
   * @param pin see `ArchiveStore.take`
   * @throws Refusal `invalid` for an archive that cannot be restored, `conflict` during another restore or when the archive contains data erased
   *   since, `unavailable` when the log fails before the restore has begun or the server stops before its end; the next start then resumes it
   */
  restore(bytes: Readable, caller: Caller, pin?: string): Promise<void> {
    if (this.#isBusy || this.#dependencies.views.restore.current) throw alreadyRestoring()
    return this.#runExclusively(async () => {
      const { archive, digest } = await this.archives.take(bytes, this.#stopping.signal, pin)
      try {
        if (this.files?.isExchangeable && (await this.#canContinueWith(archive))) {
          await this.#exchange(this.files, archive)
          return
        }
        await this.archives.spread?.(digest, this.#stopping.signal)
        const data = { Digest: digest, SnapshotIndex: archive.index }
        const { erasures } = this.#dependencies.views
        for (let seen = -1; seen !== erasures.list.length;) {
          seen = erasures.list.length
          await rejectErasedData(archive, this.#dependencies.views)
        }
        // The decision refuses erasure orders from here.
        await this.#ask({ ...this.#common(caller), name: 'RestoreSnapshot', data })
        await this.#executeRestore(archive, caller)
      } finally {
        await archive.close()
      }
    })
  }

  async resume(): Promise<Resumed> {
    const { current } = this.#dependencies.views.restore
    if (!current) {
      // A restore waits for this and is not refused.
      const cleaning = this.#cleanUp()
      this.#running = settled(cleaning)
      await cleaning
      return 'nothing'
    }
    return this.#runExclusively(async () => {
      const archive = await this.#reopen(current.restore.Digest)
      if (!archive) return 'lost'
      try {
        await this.#executeRestore(archive, SERVER)
      } finally {
        await archive.close()
      }
      return 'complete'
    })
  }

  /** Interrupts a running restore and resolves when it has stopped. No restore runs until `start`. */
  async stop(
    reason = new Refusal(
      'snapshot.unavailable',
      'The server is stopping: it resumes the restore of the snapshot at its next start'
    )
  ): Promise<void> {
    this.#stopping.abort(reason)
    await this.#running
  }

  start(): void {
    this.#stopping = new AbortController()
  }

  /** True for a shorter log of only the start and the bootstrap, since indexes must never decrease. */
  async #canContinueWith({ hasLog, index }: VerifiedArchive): Promise<boolean> {
    const { log, views } = this.#dependencies
    if (!hasLog || index <= log.durableIndex || views.erasures.list.length > 0) return false
    if (log.firstIndex > 1 || log.durableIndex > MAX_START_COMMITS) return false
    for await (const { By } of log.read(1))
      if (By.AccessorID !== '' || (By.Address !== '' && By.Command !== 'Bootstrap')) return false
    return true
  }

  async #exchange(files: LogFiles, archive: VerifiedArchive): Promise<void> {
    const { clock, committer, views } = this.#dependencies
    // The archive's thread still reads the files.
    await archive.close()
    await committer.exchange(() => files.exchange(formatTime(clock.now())))
    views.watch.endAll()
  }

  #runExclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#isBusy = true
    const done = this.#withCleanUp(this.#running, work)
    this.#running = settled(done)
    return done
  }

  async #withCleanUp<T>(before: Promise<void>, work: () => Promise<T>): Promise<T> {
    await before
    try {
      return await work()
    } finally {
      await this.#cleanUp()
      this.#isBusy = false
    }
  }

  /** Undefined without the archive, which ends the restore. */
  async #reopen(digest: string): Promise<VerifiedArchive | undefined> {
    const { signal } = this.#stopping
    try {
      const archive = await this.archives.reopen(digest, signal)
      if (!archive) await this.#endRestore(false, SERVER)
      return archive
    } catch (error) {
      signal.throwIfAborted()
      await this.#endRestore(false, SERVER)
      throw error
    }
  }

  /** Retries until the log holds the whole restore. Other errors end the restore as incomplete. */
  async #executeRestore(archive: VerifiedArchive, caller: Caller): Promise<void> {
    const { signal } = this.#stopping
    const { committer, views } = this.#dependencies
    let fault: unknown
    let isEnding = false
    for (;;) {
      const current = views.restore.current
      // The log contains its end, although that was not known in time.
      if (!current && isEnding) return await committer.durable()
      if (!current)
        throw new Refusal('snapshot.unavailable', 'The log failed before the restore had begun: try again')
      try {
        if (fault === undefined)
          await new RestoreRun(this.#dependencies, archive, caller, current.begun, signal).run()
        isEnding = true
        await this.#endRestore(fault === undefined, caller)
        break
      } catch (error) {
        signal.throwIfAborted()
        if (!isLogFailure(error)) fault = error
      }
      await setTimeout(PAUSE_MS)
      signal.throwIfAborted()
      await committer.readable()
    }
    if (fault !== undefined) throw fault
  }

  /** Releases all blocking queries, since the whole state may have changed. */
  async #endRestore(isComplete: boolean, caller: Caller): Promise<void> {
    const cause = causeOf([this.#dependencies.views.restore.current?.begun])
    await this.#ask({ ...this.#common(caller), ...cause, name: 'EndSnapshotRestore', data: { isComplete } })
    this.#dependencies.views.watch.endAll()
  }

  #common(caller: Caller): Pick<SnapshotCommand, 'tenancy' | 'caller' | 'at'> {
    return { tenancy: DEFAULT_TENANCY, caller, at: this.#dependencies.clock.now() }
  }

  async #ask(command: SnapshotCommand): Promise<void> {
    await this.#dependencies.system.ask(RESTORE, command)
  }

  /** Deletes the archive after its restore has ended in the log. */
  async #cleanUp(): Promise<void> {
    const { committer, views } = this.#dependencies
    await committer.readable()
    if (!views.restore.current) await this.archives.clear()
  }
}
