// The commits with events of a resource: entries of a 32-bit hash and an index.
import type { Origin } from '../envelope.js'
import type { EventKind } from '../stored.js'

/** More kinds of events than these are not listed. */
const MOST_KINDS = 256

/** Entries for which there is room at first. */
const ROOM = 64

/** The hash of no part. */
const OFFSET = 0x811c9dc5

/** Continues an FNV-1a hash of 32 bits with a part; signed. Collisions are rare. */
function mix(hash: number, text: string): number {
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  // A separator no code unit equals, so that moving a character from one part to the next changes the hash.
  return Math.imul(hash ^ 0x10000, 0x01000193)
}

/** Returns the hash of a resource's identity, unsigned. */
export const historyHash = (topic: string, partition: string, namespace: string, key: string): number =>
  mix(resourceHash(topic, partition, namespace), key) >>> 0

/** Returns the hash of a filter key, which is distinct from the hashes of resources. */
export const filterKeyHash = (topic: string, key: string): number => mix(topicHash(topic), key) >>> 0

const resourceHash = (topic: string, partition: string, namespace: string): number =>
  mix(mix(mix(OFFSET, topic), partition), namespace)

const topicHash = (topic: string): number => mix(mix(OFFSET, 'filter key'), topic)

/** The identity of an event's resource. An absent partition means `default`. */
export interface Identified {
  readonly Topic: string
  readonly Type: string
  readonly Partition?: string
  readonly Namespace: string
  readonly Key: string
  readonly FilterKeys: readonly string[] | null
}

// Origins are erasable, so the entries of accessors and source addresses can be removed.

/** More commits of one hash than these are not listed in an index file: it then has one more. */
export const MOST_LISTED = 512

export const accessorHash = (accessor: string): number => mix(mix(OFFSET, 'accessor'), accessor) >>> 0

export const addressHash = (address: string): number => mix(mix(OFFSET, 'source address'), address) >>> 0

type IndexedOrigin = Pick<Origin, 'AccessorID' | 'Address'>

class OriginEntries {
  readonly #commits = new Map<number, number[]>()
  /** Most commits have the origin of the one before. */
  #last: { readonly origin: IndexedOrigin; readonly hashes: readonly number[] } | undefined

  /** Adds a commit behind those before. Origins without accessor and address, such as erased ones, have no entries. */
  add({ AccessorID, Address }: IndexedOrigin, index: number): void {
    const { origin } = this.#last ?? {}
    if (origin?.AccessorID !== AccessorID || origin.Address !== Address) {
      const hashes = AccessorID === '' ? [] : [accessorHash(AccessorID)]
      if (Address !== '') hashes.push(addressHash(Address))
      this.#last = { origin: { AccessorID, Address }, hashes }
    }
    for (const hash of this.#last?.hashes ?? []) {
      const known = this.#commits.get(hash)
      if (known) known.push(index)
      else this.#commits.set(hash, [index])
    }
  }

  addAll(others: OriginEntries): void {
    for (const [hash, commits] of others.#commits) {
      const known = this.#commits.get(hash)
      if (!known) this.#commits.set(hash, commits.slice())
      else for (const index of commits) known.push(index)
    }
  }

  clear(): void {
    this.#commits.clear()
  }

  /** Removes the entries of commits whose origins are erased. */
  erase(commits: ReadonlySet<number>): void {
    this.#last = undefined
    for (const [hash, indexes] of this.#commits) {
      const others = indexes.filter(index => !commits.has(index))
      if (others.length > 0) this.#commits.set(hash, others)
      else this.#commits.delete(hash)
    }
  }

  /** Yields each hash with its ascending commits, at most `MOST_LISTED` and one more. */
  *listed(): Generator<readonly [hash: number, commits: readonly number[]]> {
    for (const [hash, commits] of this.#commits) yield [hash, commits.slice(0, MOST_LISTED + 1)]
  }
}

/** A kind of events, and the hashes that those of its keys continue. */
interface HashedKind {
  /** Differs from that of other kinds. */
  readonly name: string
  readonly kind: EventKind
  readonly resource: number
  readonly filterKey: number
}

/** The entries of consecutive commits, in the order of their events, and the topics, kinds and filter keys that occur. */
export class HistoryEntries {
  #hashes = new Uint32Array(ROOM)
  #indexes = new Float64Array(ROOM)
  size = 0
  readonly topics = new Set<string>()
  readonly #kinds = new Map<string, EventKind>()
  /** That of the last event; most events are of the same kind as those before. */
  #last: HashedKind | undefined
  /** The last one among the kinds. */
  #added: HashedKind | undefined
  /** Hashes of the filter keys. */
  readonly filterKeys = new Set<number>()
  readonly origins = new OriginEntries()

  get hashes(): Uint32Array {
    return this.#hashes.subarray(0, this.size)
  }

  /** Of each hash the index of its commit. */
  get indexes(): Float64Array {
    return this.#indexes.subarray(0, this.size)
  }

  /** The kinds of their events; undefined when there are many. */
  get kinds(): readonly EventKind[] | undefined {
    return this.#kinds.size > MOST_KINDS ? undefined : [...this.#kinds.values()]
  }

  add({ Topic, Type, Partition = 'default', Namespace, Key, FilterKeys }: Identified, index: number): void {
    const { resource, filterKey } = this.#kindOf(Topic, Type, Namespace, Partition)
    if (this.size === this.#hashes.length) this.#reserve(this.size + 1)
    this.#hashes[this.size] = mix(resource, Key)
    this.#indexes[this.size++] = index
    if (FilterKeys) for (const key of FilterKeys) this.filterKeys.add(mix(filterKey, key) >>> 0)
  }

  addAll(others: HistoryEntries): void {
    const size = this.size + others.size
    if (size > this.#hashes.length) this.#reserve(size)
    this.#hashes.set(others.#hashes.subarray(0, others.size), this.size)
    this.#indexes.set(others.#indexes.subarray(0, others.size), this.size)
    this.size = size
    for (const topic of others.topics) this.topics.add(topic)
    for (const [name, kind] of others.#kinds) this.#addKind(name, kind)
    for (const hash of others.filterKeys) this.filterKeys.add(hash)
    this.origins.addAll(others.origins)
  }

  /** Forgets all of them, or what was added after there were so many; their topics, kinds and filter keys may then stay. */
  cut(size = 0): void {
    this.size = size
    if (size > 0) return
    this.#added = undefined
    this.topics.clear()
    this.#kinds.clear()
    this.filterKeys.clear()
    this.origins.clear()
  }

  #reserve(size: number): void {
    const room = Math.max(size, 2 * this.#hashes.length)
    const { hashes, indexes } = this
    this.#hashes = new Uint32Array(room)
    this.#hashes.set(hashes)
    this.#indexes = new Float64Array(room)
    this.#indexes.set(indexes)
  }

  #kindOf(Topic: string, Type: string, Namespace: string, Partition: string): HashedKind {
    let last = this.#last
    const known = last?.kind
    if (
      !last ||
      known?.Topic !== Topic ||
      known.Type !== Type ||
      known.Namespace !== Namespace ||
      known.Partition !== Partition
    ) {
      last = {
        name: `${Topic}\n${Type}\n${Namespace}\n${Partition}`,
        kind: { Topic, Type, Namespace, Partition },
        resource: resourceHash(Topic, Partition, Namespace),
        filterKey: topicHash(Topic)
      }
      this.#last = last
    }
    if (this.#added !== last) {
      this.topics.add(Topic)
      this.#addKind(last.name, last.kind)
      this.#added = last
    }
    return last
  }

  #addKind(name: string, kind: EventKind): void {
    if (this.#kinds.size <= MOST_KINDS) this.#kinds.set(name, kind)
  }

  /** As `find`, descending from an index; entries may be added meanwhile. Looks at those behind the last one that is taken. */
  *findBack(hash: number, from: number): Generator<number> {
    let last = Infinity
    for (let i = this.size - 1; i >= 0; i--) {
      if (this.#hashes[i] !== hash) continue
      const index = this.#indexes[i] ?? 0
      if (index <= from && index < last) yield (last = index)
    }
  }

  /** Ascending indexes, each once, of the commits with an event of this hash. Looks at all entries. */
  find(hash: number): number[] {
    const found: number[] = []
    for (let i = 0; i < this.size; i++) {
      const index = this.#indexes[i] ?? 0
      if (this.#hashes[i] === hash && found.at(-1) !== index) found.push(index)
    }
    return found
  }
}
