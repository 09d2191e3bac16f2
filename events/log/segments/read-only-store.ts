// The segment engine for reading a log that another process writes or has written.
import { isMissingFile, messageOf, orUndefined } from '../../errors.js'
import { withFile, type Disk } from '../disk-port.js'
import { postErasureView } from '../erasure/erasable-parts.js'
import { unfinishedRewrites } from '../erasure/journal.js'
import { LogUnusable, type PrunableSegment, type LogReader } from '../log.js'
import type { RecordGroup } from '../record-group.js'
import type { StoredRecord } from '../record.js'
import { UnwritableStore, type Head, type RecordStore } from '../store.js'
import { checkEnds, readFolder, recoverTail, reportCut } from './folder.js'
import { Follower } from './follower.js'
import { parseSegmentName, segmentName, type LogIdentity } from './format.js'
import { IndexFiles } from './index-files.js'
import { prunableSegmentsOf } from './segment.js'
import { isWritten, newestSegment } from './folder-lock.js'
import { openVault } from './checked-files.js'
import type { DurableIndexMark } from '../durable-index.js'
import { SegmentReader } from './segment-reader.js'
import type { Report } from '../report.js'
import { readWithRetry } from './segment-files.js'
import { DurableLog } from '../durable-log.js'
import { NodeDisk } from '../node-disk.js'
import { SecretsVault } from '../secrets.js'

interface Parts {
  readonly disk: Disk
  readonly identity: LogIdentity
  readonly reader: SegmentReader
  readonly follower: Follower
}

export class ReadOnlyStore extends UnwritableStore implements RecordStore {
  readonly refusal: string | undefined = 'it is open for reading only'
  readonly identity: LogIdentity
  private readonly disk: Disk
  private readonly reader: SegmentReader
  private readonly follower: Follower
  #announced: DurableIndexMark | undefined
  #reaching: Promise<void> = Promise.resolve()

  /** Opens a folder as its writer published it, or as a writer would recover it, without changes. @throws LogUnusable LogDamage */
  static open(disk: Disk, report: Report): Promise<ReadOnlyStore> {
    return ReadOnlyStore.#open(disk, report, parts => new ReadOnlyStore(parts))
  }

  /** As `open`. @throws LogUnusable LogDamage */
  static openFed(disk: Disk, report: Report): Promise<FedStore> {
    return ReadOnlyStore.#open(disk, report, parts => new FedStore(parts))
  }

  static async #open<Store>(disk: Disk, report: Report, create: (parts: Parts) => Store): Promise<Store> {
    await names(disk)
    return readWithRetry(disk, async () => create(await ReadOnlyStore.#read(disk, report)))
  }

  static async #read(folder: Disk, report: Report): Promise<Parts> {
    const isFollowed = await hasWriter(folder)
    const disk = isFollowed ? folder : postErasureView(folder, await unfinishedRewrites(folder))
    const { identity, segments, proofs } = await readFolder(disk, report)
    const newest = segments.at(-1)
    if (!identity || !newest) throw new LogUnusable(`there is no log in ${disk.path}`)
    const reader = new SegmentReader(disk, new IndexFiles(disk, true))
    reader.sealed = segments.slice(0, -1)
    await checkEnds(disk, segments, reader)
    if (isFollowed) {
      const head = { index: newest.first - 1, hash: newest.before }
      const follower = new Follower(disk, identity, reader, head, segments)
      await follower.refresh()
      return { disk, identity, reader, follower }
    }
    const recovered = await recoverTail(disk, segments, proofs)
    reportCut(recovered, proofs, report)
    const { head, tail } = recovered
    reader.growing = tail
    return { disk, identity, reader, follower: new Follower(disk, identity, reader, head, segments) }
  }

  protected constructor({ disk, identity, reader, follower }: Parts) {
    super()
    this.disk = disk
    this.identity = identity
    this.reader = reader
    this.follower = follower
  }

  get head(): Head {
    return this.follower.head
  }

  get start(): Head {
    return this.reader.start
  }

  get newestSegment(): string {
    return this.#announced ? segmentName(this.#announced.active) : (this.reader.growing?.segment.name ?? '')
  }

  /** Accepts the durable index from the worker feed. The files are read when a new commit is requested. @param newest name of the active segment */
  learn(durable: number, newest: string): void {
    const active = parseSegmentName(newest)
    if (active) this.#announced = { durable, active, id: this.identity.id }
  }

  /** Reads the files up to the announced mark if a commit is not yet known. */
  async #reach(index: number): Promise<void> {
    const mark = this.#announced
    if (!mark || index <= this.follower.head.index) return
    this.#reaching = this.#reaching.catch(() => {}).then(() => this.follower.advanceTo(mark))
    await this.#reaching
  }

  prunableSegments(): Promise<readonly PrunableSegment[]> {
    return prunableSegmentsOf(this.disk, this.reader.sealed)
  }

  async page(from: number, to: number): Promise<readonly StoredRecord[]> {
    await this.#reach(to)
    for (;;)
      try {
        return await this.reader.page(from, to)
      } catch (error) {
        if (!(await this.follower.relist())) throw error
      }
  }

  async *candidates(hash: number, from: number): AsyncGenerator<number> {
    await this.#reach(Infinity)
    const newest = await this.follower.entries()
    let last = from - 1
    for (let isRead = false; !isRead;)
      try {
        for await (const index of this.reader.candidates(hash, from)) if (index > last) yield (last = index)
        isRead = true
      } catch (error) {
        if (!(await this.follower.relist())) throw error
      }
    for (const index of newest.find(hash)) if (index > last) yield index
  }

  async *candidatesBack(hash: number, from: number): AsyncGenerator<number> {
    await this.#reach(Infinity)
    const newest = await this.follower.entries()
    let last = from + 1
    for (const index of newest.findBack(hash, from)) yield (last = index)
    for (let isRead = false; !isRead;)
      try {
        for await (const index of this.reader.candidatesBack(hash, last - 1)) yield (last = index)
        isRead = true
      } catch (error) {
        if (!(await this.follower.relist())) throw error
      }
  }

  onGrowth(listener: () => void, failed: (error: unknown) => void): void {
    this.follower.start(listener, failed)
  }

  async close(): Promise<void> {
    await this.follower.stop()
  }
}

/** The store of a worker process: the writer's feed tells which records its files have, and reads use the files. */
export class FedStore extends ReadOnlyStore {
  override readonly refusal = undefined
  #head = super.head

  override get head(): Head {
    return this.#head
  }

  /** The records are on disk already. */
  override async write({ last, hash }: RecordGroup): Promise<void> {
    this.#head = { index: last, hash }
  }

  /** The writer has erased them. */
  override async erase(): Promise<number> {
    return 0
  }

  override async reopen(): Promise<'all'> {
    return 'all'
  }

  /** Only the feed moves the head. */
  override onGrowth(): void {}
}

/** Whether a process writes the log of a folder now. @throws LogUnusable when the folder does not exist */
async function hasWriter(disk: Disk): Promise<boolean> {
  for (;;) {
    const newest = newestSegment(await names(disk))
    if (newest === undefined) return false
    // A writer has made the newest one plain.
    const isHeld = await orUndefined(
      withFile(disk, newest, async file => isWritten(file)),
      isMissingFile
    )
    if (isHeld || newest === newestSegment(await names(disk))) return isHeld === true
  }
}

async function names(disk: Disk): Promise<readonly string[]> {
  const found = await orUndefined(disk.list(), isMissingFile)
  if (!found) throw new LogUnusable(`there is no log in ${disk.path}`)
  return found
}

// The log on disk for programs that only read it: loads nothing that writes.

interface LogReaderOptions {
  /** 32 bytes; only needed to read encrypted secrets. */
  readonly key?: Buffer | undefined
  /** False: commits come without secrets, and no key is needed. */
  readonly withSecrets: boolean
}

/** Reads the log in a folder, also while another process writes it. What that appends is seen some ms after its flush. */
export class SegmentLogReader extends DurableLog implements LogReader {
  private constructor(
    readonly files: {
      readonly disk: Disk
      readonly store: ReadOnlyStore
      readonly vault: SecretsVault
    }
  ) {
    const { store, vault } = files
    super(store, vault)
    store.onGrowth(
      () => this.durable.advance(store.head.index),
      () => this.durable.end()
    )
  }

  /** @throws LogUnusable if there is none, its format is newer, its key another; LogDamage */
  static async open(path: string, { key, withSecrets }: LogReaderOptions): Promise<SegmentLogReader> {
    const disk = new NodeDisk(path)
    try {
      const vault = withSecrets
        ? await openVault(disk, key, { readOnly: true })
        : new SecretsVault(undefined, { opens: false })
      return new SegmentLogReader({ disk, store: await ReadOnlyStore.open(disk, () => {}), vault })
    } catch (error) {
      if (error instanceof LogUnusable) throw error
      throw new LogUnusable(`the log in ${path} cannot be opened: ${messageOf(error)}`, { cause: error })
    }
  }

  async close(): Promise<void> {
    this.durable.end()
    await this.files.store.close()
  }
}
