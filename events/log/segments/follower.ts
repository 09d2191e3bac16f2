// Follows a log that another process writes.
import type { Disk } from '../disk-port.js'
import { HistoryEntries } from '../history.js'
import { LogUnusable } from '../log.js'
import type { Head } from '../store.js'
import { segmentName, type LogIdentity, damageError } from './format.js'
import { readDurableIndex, watchDurableIndex, type DurableIndexMark } from '../durable-index.js'
import type { SegmentReader } from './segment-reader.js'
import { haveSameNames, readSegments, type Segment, GroupIndex } from './segment.js'
import { readWithRetry, withSegment } from './segment-files.js'
import { GroupScanner } from './group-scanner.js'

/** Interval in which a reader checks for new commits without a notification, in ms. */
const LOOK_EVERY = 1000

export class Follower {
  #seen: { readonly segment: string; readonly upTo: number; readonly entries: HistoryEntries } | undefined
  #looking: Promise<void> | undefined
  #again = false
  #stopWatching: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(
    private readonly disk: Disk,
    private readonly identity: LogIdentity,
    private readonly reader: SegmentReader,
    private newest: Head,
    private segments: readonly Segment[]
  ) {}

  get head(): Head {
    return this.newest
  }

  /** Calls `grown` each time the head has moved, and `failed` when it cannot be followed. */
  start(grown: () => void, failed: (error: unknown) => void): void {
    const look = (): void => {
      this.#watch(look)
      this.#again = true
      this.#looking ??= this.#look(grown)
        .catch(failed)
        .finally(() => (this.#looking = undefined))
    }
    this.#timer = setInterval(look, LOOK_EVERY)
    look()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopWatching?.()
    await this.#looking
  }

  /** Takes over what is published. @throws LogDamage when it is not there */
  async refresh(): Promise<boolean> {
    const published = await readDurableIndex(this.disk)
    if (!published || published.id !== this.identity.id || published.durable <= this.newest.index)
      return false
    await this.#advance(published)
    return true
  }

  /** Like `refresh`, for an index that the writer sent over the worker feed. One call at a time. */
  async advanceTo(published: DurableIndexMark): Promise<void> {
    if (published.durable > this.newest.index) await this.#advance(published)
  }

  /** Lists the segments again after one of them could not be read. @returns true if they have changed, so that a retry can succeed */
  async relist(): Promise<boolean> {
    const before = this.segments
    await this.#list()
    return !haveSameNames(before, this.segments)
  }

  async #list(): Promise<void> {
    const known = this.segments.slice(0, -1)
    this.segments = await readWithRetry(this.disk, names =>
      readSegments(this.disk, names, this.identity, known)
    )
    this.reader.use(this.segments)
  }

  /** Entries of the segment that is being written, up to the head. @throws LogDamage */
  async entries(): Promise<HistoryEntries> {
    const newest = this.segments.at(-1)
    const { index } = this.newest
    if (!newest || index < newest.first) return new HistoryEntries()
    if (this.#seen?.segment !== newest.name || this.#seen.upTo < index)
      this.#seen = { segment: newest.name, upTo: index, entries: await this.#read(newest, index) }
    return this.#seen.entries
  }

  async #read(newest: Segment, index: number): Promise<HistoryEntries> {
    const entries = new HistoryEntries()
    await withSegment(this.disk, newest.name, async file => {
      const walk = new GroupScanner(file, newest)
      while (walk.next <= index) {
        const groups = await walk.groups()
        if (groups.length === 0) throw this.#damaged(newest, walk)
        for (const { records } of groups)
          for (const record of records)
            if (record.index <= index) for (const head of record.heads()) entries.add(head, record.index)
      }
    })
    return entries
  }

  #watch(look: () => void): void {
    try {
      this.#stopWatching ??= watchDurableIndex(this.disk, look)
    } catch {
      // There is no such file yet.
    }
  }

  async #look(grown: () => void): Promise<void> {
    while (this.#again) {
      this.#again = false
      if (await this.refresh()) grown()
    }
  }

  async #advance({ durable, active }: DurableIndexMark): Promise<void> {
    if (this.segments.at(-1)?.name !== segmentName(active)) await this.#list()
    const newest = this.segments.at(-1)
    if (!newest) throw new LogUnusable(`there is no log in ${this.disk.path}`)
    const growing = this.reader.growing ?? { segment: newest, sparse: new GroupIndex() }
    this.reader.growing = growing
    this.newest = { index: durable, hash: await this.#hashOf(durable, newest, growing.sparse) }
  }

  async #hashOf(durable: number, newest: Segment, sparse: GroupIndex): Promise<Uint8Array> {
    if (durable >= newest.first) return this.#walk(newest, sparse, durable)
    if (durable === newest.first - 1) return newest.before
    const [record] = await this.reader.page(durable, durable)
    return record?.hash ?? newest.before
  }

  /** Adds places up to a commit. @returns the commit's hash */
  async #walk(newest: Segment, sparse: GroupIndex, durable: number): Promise<Uint8Array> {
    return withSegment(this.disk, newest.name, async file => {
      const walk = new GroupScanner(file, newest, { from: sparse.places.at(-1), wanted: durable })
      for (;;) {
        const groups = await walk.groups()
        if (groups.length === 0) throw this.#damaged(newest, walk)
        for (const group of groups) {
          sparse.add(group)
          const record = group.records.find(({ index }) => index === durable)
          if (record) return record.hash
        }
      }
    })
  }

  #damaged(segment: Segment, { offset, fault, stop }: GroupScanner): Error {
    return damageError(this.disk, segment.name, offset, fault, stop?.reason ?? 'it ends')
  }
}
