// The engine of segments for the one that writes them.
import type { Disk } from '../disk-port.js'
import { eraseSegmentParts } from '../erasure/erase-segment-parts.js'
import type { CommitErasure } from '../../erasure.js'
import type { RecordGroup } from '../record-group.js'
import { HistoryEntries } from '../history.js'
import { LogUnusable, type PrunableSegment, type WriteAdmission } from '../log.js'
import type { StoredRecord } from '../record.js'
import { WriteFailure, type Head, type RecordStore } from '../store.js'
import { ActiveSegment, removeOrphanFiles, PreallocatedSegments } from './active-segment.js'
import { formatOf, type LogIdentity } from './format.js'
import { writeHead, newIdentity, writeMeta } from './checked-files.js'
import { DurableIndexPublisher } from '../durable-index.js'
import type { IndexFiles } from './index-files.js'
import { pruneSegment, prunableSegmentsOf } from './segment.js'
import { lockFolder, type WriterLock } from './folder-lock.js'
import { type OpenedFolder, openFolder } from './folder.js'
import { PackingProcess, Scrubber } from './background-tasks.js'
import type { SegmentReader } from './segment-reader.js'
import type { Report } from '../report.js'
import { SegmentWriter, type WriterHost, type WriterOptions } from './segment-writer.js'

/** How often the head file is written, when something has changed, and the files are looked after, in ms. */
const HEAD_EVERY = 1000

interface StoreOptions extends Omit<WriterOptions, 'identity'> {
  readonly report: Report
  /** Every sealed segment is read again once in so many ms; 0 for never. */
  readonly scrubInterval: number
  readonly compress: boolean
  /** Of a log that begins; a new one unless it is given. */
  readonly begunAs?: LogIdentity
  /** The commit after which a log begins. Default: the first commit follows none. */
  readonly begunAfter?: Head
  /** Called when the folder is no longer this log's: nothing may be acknowledged any more. */
  readonly fatal: (error: LogUnusable) => void
}

export class SegmentStore implements RecordStore {
  readonly #writer: SegmentWriter
  readonly #reader: SegmentReader
  readonly #indexes: IndexFiles
  readonly #publisher: DurableIndexPublisher
  readonly #supply: PreallocatedSegments
  readonly #scrub: Scrubber
  readonly #packing: PackingProcess
  /** Of the newest segment. */
  #entries = new HistoryEntries()
  #marked: number
  #marking: Promise<void> | undefined
  /** Why nothing is written any more. */
  #lost: LogUnusable | undefined
  readonly #timer: NodeJS.Timeout
  #removing: Promise<unknown> = Promise.resolve()
  #isClosing = false

  /** Takes the folder as its writer, and recovers what it holds. @throws LogUnusable LogDamage */
  static async open(disk: Disk, options: StoreOptions): Promise<SegmentStore> {
    const lock = await lockFolder(disk)
    try {
      const opening = await openFolder(disk, options.report)
      const { identity: found, lacksMeta, isClean } = opening
      const identity = found ?? options.begunAs ?? newIdentity()
      const head = (found ? undefined : options.begunAfter) ?? opening.recovered.head
      const recovered = { ...opening.recovered, head }
      const store = new SegmentStore(disk, identity, options, { ...opening, recovered, lock })
      await removeOrphanFiles(disk)
      if (!found) {
        await store.reopen()
        // A reader of a new log requires a head file.
        await store.#mark(false)
      } else if (!isClean) await store.#tryReopen()
      if (lacksMeta) await writeMeta(disk, identity, formatOf(store.head.version))
      store.#publish()
      store.#pack()
      return store
    } catch (error) {
      await lock.reserve.close()
      await lock.newest?.file.close()
      throw error
    }
  }

  private constructor(
    private readonly disk: Disk,
    readonly identity: LogIdentity,
    private readonly options: StoreOptions,
    {
      indexes,
      reader,
      recovered: { head, tail },
      lock,
      isClean
    }: OpenedFolder & { readonly lock: WriterLock }
  ) {
    this.#indexes = indexes
    this.#reader = reader
    this.#publisher = new DurableIndexPublisher(disk)
    this.#supply = new PreallocatedSegments(disk, lock.reserve, options.patience)
    this.#marked = -1
    const newest = tail && lock.newest && new ActiveSegment({ ...tail, file: lock.newest.file }, options)
    if (newest) this.#use(newest)
    const host: WriterHost = {
      onBegun: (active, sealed) => {
        if (sealed) {
          this.#reader.sealed = [...this.#reader.sealed, sealed.segment]
          this.#indexes.seal(sealed.segment, sealed.content)
          this.#pack()
        }
        this.#use(active)
      },
      onFailure: (text, cause) => options.report({ level: 'error', text, details: { err: cause } })
    }
    this.#writer = new SegmentWriter(disk, { ...options, identity }, host, {
      head,
      generation: tail?.segment.generation ?? 0,
      active: isClean ? newest : undefined,
      left: isClean ? undefined : newest,
      supply: this.#supply
    })
    this.#scrub = new Scrubber(disk, () => reader.sealed, options.scrubInterval, options.report)
    this.#scrub.start()
    this.#packing = new PackingProcess(disk, indexes, () => reader.sealed, options.report)
    this.#timer = setInterval(() => void this.#lookAfter(), HEAD_EVERY).unref()
  }

  get head(): Head {
    return this.#writer.head
  }

  get start(): Head {
    return this.#reader.start
  }

  get newestSegment(): string {
    return this.#reader.growing?.segment.name ?? ''
  }

  prunableSegments(): Promise<readonly PrunableSegment[]> {
    return prunableSegmentsOf(this.disk, this.#reader.sealed)
  }

  /** One after another, since each leaves a folder that a start can read. */
  prune(upTo: number): Promise<void> {
    return this.#inTurn(async () => {
      for (const segment of this.#reader.sealed.filter(({ last }) => last <= upTo)) {
        this.#reader.sealed = this.#reader.sealed.filter(each => each !== segment)
        await this.#indexes.forget(segment)
        await pruneSegment(this.disk, segment)
      }
    })
  }

  erase(parts: readonly CommitErasure[]): Promise<number> {
    return this.#inTurn(() => this.#erase(parts))
  }

  /**
   * Prunings and erasures run one after another: neither may meet a segment that the other is about to change.
   * @throws Error from the close on, after which another writer may have the folder
   */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosing) throw new Error('the log is closed')
    const before = this.#removing
    const removing = this.#packing.pauseFor(async () => {
      await before
      return work()
    })
    this.#removing = Promise.allSettled([removing])
    return removing
  }

  async #erase(parts: readonly CommitErasure[]): Promise<number> {
    let erased = 0
    for (const [segment, wanted] of this.#reader.bySegment(parts)) {
      const first = Math.min(...wanted.keys())
      const from = await this.#reader.placeOf(segment, first)
      const isNewest = segment === this.#reader.growing?.segment
      // Before its parts are erased, since it may be sealed with its entries meanwhile.
      if (isNewest) this.#entries.origins.erase(commitsWithoutOrigin(wanted))
      erased += await eraseSegmentParts(this.disk, segment, wanted, {
        from,
        ...(isNewest
          ? {}
          : { whileErasingOrigins: erase => this.#indexes.whileErasingOrigins(segment, erase) })
      })
    }
    return erased
  }

  async write(group: RecordGroup): Promise<void> {
    if (this.#lost) throw new WriteFailure(this.#lost.message, 'unchanged', { cause: this.#lost })
    await this.#writer.write(group)
    this.#publish()
  }

  page(from: number, to: number): Promise<readonly StoredRecord[]> {
    return this.#reader.page(from, to)
  }

  async *candidates(hash: number, from: number): AsyncGenerator<number> {
    // Taken first: the segment may be sealed meanwhile.
    const newest = this.#entries.find(hash)
    let last = from - 1
    for await (const index of this.#reader.candidates(hash, from)) yield (last = index)
    for (const index of newest) if (index > last) yield index
  }

  nextOf(topics: readonly string[], from: number): Promise<number> {
    return this.#reader.nextOf(topics, from)
  }

  async *candidatesBack(hash: number, from: number): AsyncGenerator<number> {
    let last = from + 1
    for (const index of this.#entries.findBack(hash, from)) yield (last = index)
    yield* this.#reader.candidatesBack(hash, last - 1)
  }

  async reopen(): Promise<Exclude<WriteAdmission, 'none'>> {
    const room = await this.#writer.reopen()
    this.#publish()
    return room
  }

  /** Leaves a head file that tells that nothing follows. What cannot be written then is found by the next start. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#timer)
    await this.#scrub.stop()
    await this.#packing.stop()
    await this.#marking
    await this.#removing
    const isWhole = this.#writer.active !== undefined
    await this.#writer.settled()
    await this.#indexes.close()
    await this.#publisher.close()
    await this.#mark(isWhole)
    // With it go the locks: another writer may have the folder from here on.
    await this.#writer.close()
  }

  /** A log that cannot be written now is opened all the same: it can be read, and recovers when it can. */
  async #tryReopen(): Promise<void> {
    try {
      await this.reopen()
    } catch (error) {
      this.options.report({ level: 'error', text: 'the log cannot be written now', details: { err: error } })
    }
  }

  #use(active: ActiveSegment): void {
    this.#entries = active.entries
    this.#reader.growing = active
  }

  #pack(): void {
    if (this.options.compress) this.#packing.begin()
  }

  #publish(): void {
    const { active, head } = this.#writer
    if (active) this.#publisher.publish({ durable: head.index, active: active.segment, id: this.identity.id })
  }

  /** Each second: the head file, and whether the files are still the ones of the folder. */
  async #lookAfter(): Promise<void> {
    if (this.#marking) return
    this.#marking = this.#checkFiles()
      .then(() => (this.#marked === this.head.index ? undefined : this.#mark(false)))
      .finally(() => (this.#marking = undefined))
    await this.#marking
  }

  async #checkFiles(): Promise<void> {
    const { active } = this.#writer
    if (!active) return
    const { name } = active.segment
    const isThere = await active.file.isNamed(name).catch(() => true)
    if (!isThere && this.#writer.active === active && !this.#lost) {
      this.#lost = new LogUnusable(
        `${this.disk.path}/${name} was removed or replaced while the log was being written to it`
      )
      this.options.fatal(this.#lost)
    }
    await this.#publisher.renew()
    await this.#supply.keepReserve().catch(() => {})
  }

  async #mark(isClean: boolean): Promise<void> {
    const { head } = this
    try {
      await writeHead(this.disk, head, this.identity.id, isClean)
      this.#marked = head.index
    } catch {
      // The disk may be full. The segments say the same.
    }
  }
}

const commitsWithoutOrigin = (erasures: ReadonlyMap<number, CommitErasure>): ReadonlySet<number> =>
  new Set([...erasures.values()].filter(({ who }) => who === true).map(({ index }) => index))
