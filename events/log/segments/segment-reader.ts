// Reads commits from the segments of a folder.
import { damageError, type GroupPosition } from './format.js'
import { LRUCache } from 'lru-cache'
import { NO_HASH } from '../../codec.js'
import type { Disk, ReadableFile } from '../disk-port.js'
import { prefetch } from '../resource-history.js'
import { type CommitErasure, mergeErasures } from '../../erasure.js'
import { CommitsPruned } from '../log.js'
import type { StoredRecord } from '../record.js'
import type { Head } from '../store.js'
import type { IndexFiles } from './index-files.js'
import { openSegment, withSegment } from './segment-files.js'
import { type Segment, GroupIndex } from './segment.js'
import { recordFrom, GroupScanner, type ScanOptions } from './group-scanner.js'
import { hasCode } from '../../errors.js'

/** Files that many read at a time, opened once for all who ask while that is under way. */
interface Shared<F> {
  readonly file: Promise<F>
  users: number
}

class SharedFileHandle<F extends { close(): Promise<void> }> {
  readonly #opening = new Map<string, Shared<F>>()

  constructor(private readonly open: (name: string) => Promise<F>) {}

  /** Calls `use` with an open file, and closes it after the last concurrent use. */
  async use<T>(name: string, use: (file: F) => Promise<T>): Promise<T> {
    let shared = this.#opening.get(name)
    if (!shared) {
      shared = { file: this.open(name).finally(() => this.#opening.delete(name)), users: 0 }
      this.#opening.set(name, shared)
    }
    shared.users++
    try {
      return await use(await shared.file)
    } finally {
      shared.users--
      if (shared.users === 0) await shared.file.then(file => file.close()).catch(() => {})
    }
  }
}

/** Read at once for a single commit, in bytes. */
const SMALL_CHUNK = 32 * 1024
/** Index files that are looked into at a time. */
const LOOKS_AHEAD = 4
/** Sequential readers whose places are remembered. */
const READERS = 64

/** The segment that is being written, as far as readers may see it. */
interface ActiveSegmentBounds {
  readonly segment: Segment
  readonly sparse: GroupIndex
}

export class SegmentReader {
  /** For those who read single records. */
  readonly #shared: SharedFileHandle<ReadableFile>
  /** The position at which a sequential reader continues. */
  readonly #places = new LRUCache<number, GroupPosition & { readonly name: string }>({ max: READERS })
  /** In the order of their commits; the last is the growing one. */
  sealed: readonly Segment[] = []
  growing: ActiveSegmentBounds | undefined

  constructor(
    private readonly disk: Disk,
    private readonly indexes: IndexFiles,
    private readonly options: Pick<ScanOptions, 'chunk' | 'withParts'> = {}
  ) {
    this.#shared = new SharedFileHandle(name => openSegment(disk, name))
  }

  /** Reads these segments, of which the last one is active. */
  use(segments: readonly Segment[]): void {
    const newest = segments.at(-1)
    this.sealed = segments.slice(0, -1)
    if (this.growing?.segment.name !== newest?.name)
      this.growing = newest && { segment: newest, sparse: new GroupIndex() }
  }

  /** The newest pruned commit. */
  get start(): Head {
    const oldest = this.sealed[0] ?? this.growing?.segment
    return oldest ? { index: oldest.first - 1, hash: oldest.before } : { index: 0, hash: NO_HASH }
  }

  /** Some of the commits from one index to another, at least one; all of one segment. @throws LogDamage CommitsGone */
  async page(from: number, to: number): Promise<readonly StoredRecord[]> {
    const segment = this.#segmentOf(from)
    try {
      return await this.#read(segment, from, Math.min(to, segment.last))
    } catch (error) {
      // It may have been pruned in the meantime.
      if (from <= this.start.index) throw new CommitsPruned(from, this.start.index + 1)
      if (!hasCode(error, 'ENOENT')) throw error
      throw damageError(this.disk, segment.name, 0, from, 'it is missing')
    }
  }

  async #read(segment: Segment, from: number, last: number): Promise<readonly StoredRecord[]> {
    if (last === from) {
      const record = await this.#readOne(segment, from)
      if (record) return [record]
    }
    const known = this.#places.get(from)
    this.#places.delete(from)
    const place = known?.name === segment.name ? known : await this.placeOf(segment, from)
    return withSegment(this.disk, segment.name, async file => {
      const chunk = last === from ? { chunk: SMALL_CHUNK, upTo: last } : {}
      const walk = new GroupScanner(file, segment, { ...this.options, ...chunk, from: place, wanted: from })
      const records: StoredRecord[] = []
      while (records.length === 0) {
        const groups = await walk.groups()
        if (groups.length === 0)
          throw damageError(this.disk, segment.name, walk.offset, walk.fault, walk.stop?.reason ?? 'it ends')
        for (const group of groups) {
          // Lets the next sequential read continue here. Later groups may be void.
          if (segment === this.growing?.segment && group.first <= last) this.growing.sparse.add(group)
          for (const record of group.records) if (record.index <= last) records.push(record)
        }
      }
      if (walk.next <= last)
        this.#places.set(walk.next, { first: walk.next, offset: walk.offset, name: segment.name })
      return records
    })
  }

  /** A record of a large group; undefined when it is of none, or cannot be had without the rest of the group. */
  async #readOne(segment: Segment, index: number): Promise<StoredRecord | undefined> {
    const sparse = await this.#sparseOf(segment)
    const place = sparse?.recordBefore(index)
    const { withParts } = this.options
    return (
      place &&
      this.#shared.use(segment.name, file =>
        recordFrom(file, place, { index, chunk: SMALL_CHUNK, withParts })
      )
    )
  }

  /** See `RecordStore.nextOf`: what the index files tell. */
  async nextOf(topics: readonly string[], from: number): Promise<number> {
    for (const segment of this.sealed) {
      if (segment.last < from) continue
      const held = await this.indexes.topicsOf(segment)
      if (!held || topics.some(topic => held.has(topic))) return Math.max(from, segment.first)
    }
    return Math.max(from, this.growing?.segment.first ?? from)
  }

  /** Ascending indexes, from one on, of the commits of the sealed segments with an event of this hash. @throws LogDamage */
  async *candidates(hash: number, from: number): AsyncGenerator<number> {
    const segments = this.sealed.filter(({ last }) => last >= from)
    for await (const indexes of prefetch(segments, LOOKS_AHEAD, segment => this.#find(segment, hash)))
      for (const index of indexes) if (index >= from) yield index
  }

  /** As `candidates`, descending from an index. */
  async *candidatesBack(hash: number, from: number): AsyncGenerator<number> {
    const segments = this.sealed.filter(({ first }) => first <= from).toReversed()
    for await (const indexes of prefetch(segments, LOOKS_AHEAD, segment => this.#find(segment, hash)))
      for (let i = indexes.length - 1; i >= 0; i--) {
        const index = indexes[i] ?? 0
        if (index <= from) yield index
      }
  }

  /** Parts of commits by the segments that have them, and by index; without pruned commits. */
  bySegment(parts: readonly CommitErasure[]): ReadonlyMap<Segment, ReadonlyMap<number, CommitErasure>> {
    const found = new Map<Segment, Map<number, CommitErasure>>()
    for (const part of parts) {
      if (part.index <= this.start.index) continue
      const segment = this.#segmentOf(part.index)
      const own = found.get(segment) ?? new Map<number, CommitErasure>()
      own.set(part.index, mergeErasures(own.get(part.index), part))
      found.set(segment, own)
    }
    return found
  }

  /** Where to begin to read a segment for a commit; undefined for its beginning. @throws LogDamage */
  async placeOf(segment: Segment, index: number): Promise<GroupPosition | undefined> {
    return (await this.#sparseOf(segment))?.before(index)
  }

  /** Where the groups of a segment are; undefined where nothing is known of that. @throws LogDamage */
  async #sparseOf(segment: Segment): Promise<GroupIndex | undefined> {
    return segment === this.growing?.segment ? this.growing.sparse : this.indexes.sparseOf(segment)
  }

  async #find(segment: Segment, hash: number): Promise<readonly number[]> {
    try {
      return await this.indexes.find(segment, hash)
    } catch (error) {
      if (this.sealed.includes(segment)) throw error
      // It was pruned in the meantime.
      return []
    }
  }

  #segmentOf(index: number): Segment {
    const { growing, sealed } = this
    if (growing && index >= growing.segment.first) return growing.segment
    const segment = sealed.findLast(({ first }) => first <= index)
    if (segment) return segment
    if (index <= this.start.index) throw new CommitsPruned(index, this.start.index + 1)
    throw new RangeError(`there is no commit ${index}`)
  }
}
