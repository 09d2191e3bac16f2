// The index files of the sealed segments. They are written in the background, and rebuilt if missing or damaged.
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { unlinkAll, type Disk } from '../disk-port.js'
import { startsOf } from '../record-group.js'
import { HistoryEntries } from '../history.js'
import type { RecordVersion } from '../record-format.js'
import type { StoredRecord } from '../record.js'
import { IndexFile, writeIndex, type SegmentContent } from './index-file.js'
import { roundUp, damageError } from './format.js'
import { withSegment } from './segment-files.js'
import { type Segment, GroupIndex } from './segment.js'
import { GroupScanner } from './group-scanner.js'
import { indexName } from './pack-format.js'

/** Index files with tables in memory. A writer also keeps them open. */
const KEPT = 64

/**
 * Reads a segment up to its last valid commit or its last intact group. Verifies all checksums and the chain of hashes.
 * @param faultOf returns what else is wrong with a record, as a clause
 * @throws LogDamage
 */
export async function scanSegment(
  disk: Disk,
  segment: Segment,
  scanner: GroupScanner,
  faultOf: (record: StoredRecord) => string | undefined
): Promise<SegmentContent> {
  const { name, last, before, sectorBytes } = segment
  const sparse = new GroupIndex()
  const entries = new HistoryEntries()
  let hash: Uint8Array = before
  let version: RecordVersion | undefined
  let end = scanner.offset
  while (scanner.next <= last) {
    const groups = await scanner.groups()
    if (groups.length === 0) break
    for (const group of groups) {
      if (group.first > last) break
      sparse.addMarked({ ...group, starts: startsOf(group.records) })
      for (const record of group.records) {
        if (record.index > last) break
        const fault = record.before.equals(hash)
          ? faultOf(record)
          : 'it does not name the hash of the commit before it'
        if (fault !== undefined) throw damageError(disk, name, group.offset, record.index, fault)
        hash = record.hash
        version = record.version
        for (const head of record.heads()) entries.add(head, record.index)
        entries.origins.add(record.by, record.index)
      }
      end = group.offset + roundUp(group.length, sectorBytes)
    }
    await setImmediate()
  }
  return { sparse, entries, end, hash, version }
}

/** Verifies a sealed segment like `scanSegment`. @param withParts also the parts' commitments, at a hash per part. @throws LogDamage */
export async function readSegmentContent(
  disk: Disk,
  segment: Segment,
  { withParts = false }: { readonly withParts?: boolean } = {}
): Promise<SegmentContent> {
  const { name, first, last } = segment
  return withSegment(disk, name, async file => {
    const scanner = new GroupScanner(file, segment)
    const content = await scanSegment(disk, segment, scanner, record =>
      withParts ? record.brokenCommitment() : undefined
    )
    if (first > last) throw new RangeError(`${name} holds no valid commit`)
    if (scanner.next > last) return content
    const reason = `${scanner.stop?.reason ?? 'it ends'}, and the next segment proves that it goes to commit ${last}`
    throw damageError(disk, name, scanner.offset, scanner.fault, reason)
  })
}

export class IndexFiles {
  readonly #open = new LRUCache<string, IndexFile>({
    max: KEPT,
    // `#drop` waits for the file that it closes.
    dispose: (file, _, reason) => {
      if (reason !== 'delete') void file.close()
    }
  })
  readonly #opening = new Map<string, Promise<IndexFile | SegmentContent>>()
  /** What is known of segments whose files are not made yet, or cannot be made. */
  readonly #contents = new Map<string, SegmentContent>()
  #making: Promise<void> = Promise.resolve()
  /** Erasures of origins that began and that ended: an odd number while one is running. */
  #erasures = 0
  #isClosing = false

  /** @param readOnly files that are missing are not made */
  constructor(
    private readonly disk: Disk,
    private readonly readOnly: boolean
  ) {}

  /** Makes the file of a segment that was just sealed, in the background. */
  seal(segment: Segment, content: SegmentContent): void {
    this.#contents.set(segment.name, content)
    this.#make(segment, async () => content)
  }

  /** Returns the group positions; undefined if only reading the segment would tell. @throws LogDamage if the segment was read and is damaged */
  async sparseOf(segment: Segment): Promise<GroupIndex | undefined> {
    // Who may not make the file would read the segment each time for what a walk over it finds as well.
    const known = this.readOnly ? await this.#known(segment) : await this.#of(segment)
    return known?.sparse
  }

  /** Ascending indexes of the commits of a sealed segment with an event of this hash. @throws LogDamage as `sparseOf` */
  async find(segment: Segment, hash: number): Promise<readonly number[]> {
    const index = await this.#of(segment)
    if (!(index instanceof IndexFile)) return index.entries.find(hash)
    const found = await index.find(hash)
    if (found) return found
    await this.#drop(segment.name)
    return (await this.#read(segment)).entries.find(hash)
  }

  /** The file of a sealed segment, if there is one. */
  async fileOf(segment: Segment): Promise<IndexFile | undefined> {
    const known = await this.#known(segment)
    return known instanceof IndexFile ? known : undefined
  }

  /** Topics of the events of a sealed segment, and perhaps others; undefined where that would take reading it. */
  async topicsOf(segment: Segment): Promise<ReadonlySet<string> | undefined> {
    const known = await this.#known(segment)
    return known instanceof IndexFile ? known.topics : known?.entries.topics
  }

  /** Forgets a pruned segment. Its index file is not under construction when this resolves. */
  async forget(segment: Segment): Promise<void> {
    await this.#making
    await this.forgetRead(segment)
  }

  /**
   * Erases origins of a sealed segment. Its index file, which has their hashes, is removed before, and made again afterwards.
   * One call at a time.
   */
  async whileErasingOrigins(segment: Segment, erase: () => Promise<void>): Promise<void> {
    this.#erasures++
    try {
      await this.#making
      await this.forgetRead(segment)
      await unlinkAll(this.disk, [indexName(segment.name)])
      await this.disk.flushNames()
      await erase()
    } finally {
      this.#erasures++
      this.#make(segment, async () => (this.#isClosing ? undefined : readSegmentContent(this.disk, segment)))
    }
  }

  /** Forgets what was read of a segment, of which nothing is being made. */
  async forgetRead({ name }: Segment): Promise<void> {
    await this.#drop(name)
    this.#contents.delete(name)
  }

  /** Byte behind the last group of a sealed segment that counts. @throws LogDamage as `sparseOf` */
  async endOf(segment: Segment): Promise<number> {
    return (await this.#of(segment)).end
  }

  /** Resolves when no file is being made, and none is open. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#making
    await this.forgetOpened()
  }

  /** Forgets the files that were opened, such as those that are made again after an erasure. */
  async forgetOpened(): Promise<void> {
    for (const name of Array.from(this.#open.keys())) await this.#drop(name)
  }

  /** What is known of a segment without reading it. */
  async #known(segment: Segment): Promise<IndexFile | SegmentContent | undefined> {
    const { name } = segment
    const open = this.#open.get(name)
    if (open) return open
    const content = this.#contents.get(name)
    if (content) return content
    const file = await IndexFile.open(this.disk, segment)
    // A read-only process does not learn when a segment is pruned.
    if (this.readOnly) await file?.close()
    if (file) this.#open.set(segment.name, file)
    return file
  }

  async #of(segment: Segment): Promise<IndexFile | SegmentContent> {
    const { name } = segment
    const pending = this.#opening.get(name)
    if (pending) return pending
    const opening = this.#knownOrRead(segment).finally(() => this.#opening.delete(name))
    this.#opening.set(name, opening)
    return opening
  }

  async #knownOrRead(segment: Segment): Promise<IndexFile | SegmentContent> {
    return (await this.#known(segment)) ?? this.#read(segment)
  }

  /** Rebuilds a missing or damaged index file from its segment. */
  async #read(segment: Segment): Promise<SegmentContent> {
    const erasures = this.#erasures
    const content = await readSegmentContent(this.disk, segment)
    const mayHoldErased = erasures !== this.#erasures || erasures % 2 === 1
    if (mayHoldErased) return content
    if (this.readOnly) {
      // One at a time is kept until its writer has made the file.
      this.#contents.clear()
      this.#contents.set(segment.name, content)
    } else this.seal(segment, content)
    return content
  }

  async #drop(name: string): Promise<void> {
    const file = this.#open.get(name)
    this.#open.delete(name)
    await file?.close()
  }

  /** One after another. A file that cannot be made is made at another time: what it would hold stays in memory until then. */
  #make(segment: Segment, contentOf: () => Promise<SegmentContent | undefined>): void {
    const before = this.#making
    this.#making = (async () => {
      await before
      try {
        const content = await contentOf()
        if (!content) return
        await writeIndex(this.disk, segment, content)
        const file = await IndexFile.open(this.disk, segment)
        if (!file) return
        this.#open.set(segment.name, file)
        this.#contents.delete(segment.name)
      } catch {
        // Derived: the disk may be full.
      }
    })()
  }
}
