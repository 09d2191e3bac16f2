// Reads the segments of a folder in another thread of the process that writes them: only as far as the writer says.
import type { EventKind, ReadableExtent, Search } from '../../stored.js'
import type { Disk } from '../disk-port.js'
import { CommitsPruned } from '../log.js'
import type { StoredRecord } from '../record.js'
import { IndexFiles } from './index-files.js'
import { SegmentReader } from './segment-reader.js'
import { readWithRetry } from './segment-files.js'
import { haveSameNames, readSegments, type Segment } from './segment.js'
import { filterKeyHash, historyHash, accessorHash, addressHash, MOST_LISTED } from '../history.js'
import type { IndexFile } from './index-file.js'

/** So few commits of a segment are always read one by one. */
const FEW_COMMITS = 64
/** Reading a commit by itself costs as much as reading so many in their order. */
const COMMITS_PER_LOOK = 128

/** What of a segment has to be read: all, nothing, or these commits (ascending). */
type Found = 'all' | 'nothing' | readonly number[]

/** @param file the segment's; undefined when there is none */
async function searchSegment(segment: Segment, file: IndexFile | undefined, search: Search): Promise<Found> {
  if (!file) return 'all'
  let found = await commitsOfResources(file, search)
  for (const hash of originHashesOf(search)) {
    if (found === 'nothing') return found
    const commits = await file.find(hash)
    if (commits && commits.length <= MOST_LISTED) found = inBoth(found, commits)
  }
  if (typeof found === 'string') return found
  const valid = found.filter(index => index <= segment.last).toSorted((a, b) => a - b)
  if (valid.length === 0) return 'nothing'
  const isFew = valid.length <= FEW_COMMITS || valid.length * COMMITS_PER_LOOK <= segment.last - segment.first
  return isFew ? valid : 'all'
}

const originHashesOf = ({ origin: { AccessorID, Address } = {} }: Search): readonly number[] => [
  ...(AccessorID === undefined ? [] : [accessorHash(AccessorID)]),
  ...(Address === undefined ? [] : [addressHash(Address)])
]

function inBoth(found: Exclude<Found, 'nothing'>, commits: readonly number[]): readonly number[] {
  if (found === 'all') return commits
  const others = new Set(commits)
  return found.filter(index => others.has(index))
}

async function commitsOfResources(file: IndexFile, search: Search): Promise<Found> {
  if (!search.wanted) return 'all'
  const commits = new Set<number>()
  for (const { topic, key } of search.wanted)
    for (const each of topic === undefined ? file.topics : [topic]) {
      if (!file.topics.has(each)) continue
      const found = key === undefined ? undefined : await commitsOf(file, each, key, search)
      if (!found) return 'all'
      for (const index of found) commits.add(index)
    }
  return commits.size === 0 ? 'nothing' : [...commits]
}

/** Returns undefined if it is unknown. */
async function commitsOf(
  file: IndexFile,
  topic: string,
  key: string,
  { partition, namespace }: Search
): Promise<readonly number[] | undefined> {
  // A folder is also that of keys below it.
  if (partition === undefined || namespace === undefined || key.endsWith('/')) return undefined
  const isFilterKey = await file.find(filterKeyHash(topic, key))
  if (isFilterKey?.length !== 0) return undefined
  const [inNamespace, inNone] = [
    await file.find(historyHash(topic, partition, namespace, key)),
    await file.find(historyHash(topic, partition, '', key))
  ]
  return inNamespace && inNone && [...inNamespace, ...inNone]
}

/** Bytes per read. Files are reopened for each page. */
const CHUNK = 512 * 1024

/** Some of the commits that are wanted, and the index after the last one that was looked at: all between need not be. */
interface BoundedPage {
  readonly records: readonly StoredRecord[]
  readonly next: number
  /** The kinds that their events are of, among others; undefined when that is not known. */
  readonly kinds?: readonly EventKind[] | undefined
}

/** What one search has found in the segment that it has come to. */
export interface SearchPosition {
  readonly segment: Segment
  readonly found: Found
}

/**
 * Segments change in two ways that only the writer knows of: a later generation voids the end of an earlier one, and the newest one is
 * sealed. Both make a new newest segment, so the folder is looked at again when the writer names one that is not known.
 */
export class BoundedReader {
  readonly #indexes: IndexFiles
  readonly #reader: SegmentReader
  #segments: readonly Segment[] = []

  constructor(private readonly disk: Disk) {
    this.#indexes = new IndexFiles(disk, true)
    this.#reader = new SegmentReader(disk, this.#indexes, { withParts: false, chunk: CHUNK })
  }

  /**
   * Reads on from an index. The parts of the records are checked when they are looked into.
   * @param search undefined when everything is wanted
   * @param place where the same search came to last
   * @throws LogDamage CommitsGone
   */
  async page(
    from: number,
    { to, newest }: ReadableExtent,
    search?: Search,
    place?: SearchPosition
  ): Promise<BoundedPage & { readonly place: SearchPosition | undefined }> {
    if (!this.#segments.some(({ name }) => name === newest)) await this.#list()
    for (;;)
      try {
        return await this.#page(from, to, search, place)
      } catch (error) {
        // The segment may have been packed or pruned.
        const before = this.#segments
        await this.#list()
        if (haveSameNames(before, this.#segments)) throw error
      }
  }

  async #page(
    from: number,
    to: number,
    search: Search | undefined,
    known: SearchPosition | undefined
  ): Promise<BoundedPage & { readonly place: SearchPosition | undefined }> {
    const place = search && (await this.#placeOf(from, search, known))
    const last = Math.min(place?.segment.last ?? to, to)
    if (place?.found === 'nothing') return { records: [], next: last + 1, place }
    if (!place || place.found === 'all') return { ...(await this.#read(from, to)), place }
    const wanted = place.found.find(index => index >= from)
    if (wanted === undefined || wanted > last) return { records: [], next: last + 1, place }
    return { ...(await this.#read(wanted, wanted)), place }
  }

  /** Forgets what it knows of the index files, which are made again after an erasure of origins. */
  forgetIndexes(): Promise<void> {
    return this.#indexes.forgetOpened()
  }

  async #read(from: number, to: number): Promise<BoundedPage> {
    const records = await this.#reader.page(from, to)
    const segment = this.#reader.sealed.findLast(({ first }) => first <= from)
    // What is being written has no index yet.
    const file = segment && from <= segment.last ? await this.#indexes.fileOf(segment) : undefined
    return { records, next: (records.at(-1)?.index ?? to) + 1, kinds: file?.kinds }
  }

  async #placeOf(
    from: number,
    search: Search,
    known: SearchPosition | undefined
  ): Promise<SearchPosition | undefined> {
    if (known && from >= known.segment.first && from <= known.segment.last) return known
    const segment = this.#segments.findLast(({ first }) => first <= from)
    if (!segment) throw new CommitsPruned(from, this.#reader.start.index + 1)
    // What is being written has no index yet.
    if (segment === this.#segments.at(-1)) return undefined
    return { segment, found: await searchSegment(segment, await this.#indexes.fileOf(segment), search) }
  }

  async #list(): Promise<void> {
    const known = this.#segments
    this.#segments = await readWithRetry(this.disk, names => readSegments(this.disk, names, undefined, known))
    this.#reader.use(this.#segments)
  }
}
