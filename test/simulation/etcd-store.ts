// What etcd stores: keys by revision, leases, and what watches see. Every request is one step.
import { Status } from '../../events/grpc.js'

/** A key's value at a revision; undefined where it was deleted. */
interface Version {
  readonly revision: number
  readonly kv: StoredValue | undefined
}

interface StoredValue {
  readonly key: Buffer
  readonly createRevision: number
  readonly modRevision: number
  readonly value: Buffer
  readonly lease: number
}

/** A change that watches see. `type` 1 is a deletion. */
interface StoreEvent {
  readonly type: 0 | 1
  readonly kv: StoredValue
}

export interface RangeRequest {
  readonly key: Uint8Array
  readonly rangeEnd: Uint8Array
  readonly limit: number
  readonly revision: number
  readonly sortOrder: number
  readonly sortTarget: number
  readonly keysOnly: boolean
  readonly minCreateRevision: number
}

export interface Compare {
  /** 1 the revision that created the key, 3 its value. */
  readonly target: number
  readonly key: Uint8Array
  readonly createRevision?: number
  readonly value?: Uint8Array
}

export interface Operation {
  readonly requestRange?: RangeRequest
  readonly requestPut?: { readonly key: Uint8Array; readonly value: Uint8Array; readonly lease: number }
  readonly requestDeleteRange?: { readonly key: Uint8Array; readonly rangeEnd: Uint8Array }
}

interface RangeResult {
  readonly kvs: readonly StoredValue[]
  readonly more: boolean
}

/** A call that etcd refuses. */
export class EtcdRefusal extends Error {
  constructor(
    readonly code: number,
    message: string
  ) {
    super(message)
  }
}

interface LeaseState {
  readonly ttl: number
  expiresAt: number
}

const DESCENDING = 2
const BY_CREATION = 2
const COMPARES_CREATION = 1
const EMPTY = Buffer.alloc(0)

/** Keys are compared as bytes: as Latin-1 text their order is the same. */
const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1')

export class EtcdStore {
  revision = 1
  compactedAt = 0
  readonly #versions = new Map<string, Version[]>()
  readonly #leases = new Map<number, LeaseState>()
  readonly #events: { readonly revision: number; readonly events: readonly StoreEvent[] }[] = []
  readonly #watchers = new Set<() => void>()

  /** @param elapsed the time in ms */
  constructor(private readonly elapsed: () => number) {}

  range(request: RangeRequest): RangeResult {
    const { revision, limit, keysOnly, minCreateRevision } = request
    if (revision > this.revision)
      throw new EtcdRefusal(Status.OUT_OF_RANGE, 'required revision is a future revision')
    if (revision > 0 && revision < this.compactedAt) throw compacted()
    const at = revision > 0 ? revision : this.revision
    const found = this.#names(request).flatMap(name => this.#valueAt(name, at) ?? [])
    const kept = found.filter(({ createRevision }) => createRevision >= minCreateRevision)
    const ordered = kept.toSorted(orderOf(request))
    const kvs = limit > 0 ? ordered.slice(0, limit) : ordered
    return {
      kvs: keysOnly ? kvs.map(kv => ({ ...kv, value: EMPTY })) : kvs,
      more: kvs.length < ordered.length
    }
  }

  transact(
    compare: readonly Compare[],
    success: readonly Operation[],
    failure: readonly Operation[]
  ): {
    readonly succeeded: boolean
    readonly responses: readonly { readonly responseRange?: RangeResult }[]
  } {
    const succeeded = compare.every(each => this.#holds(each))
    const operations = succeeded ? success : failure
    for (const { requestPut: put } of operations)
      if (put && put.lease > 0 && !this.#leases.has(put.lease))
        throw new EtcdRefusal(Status.NOT_FOUND, 'etcdserver: requested lease not found')
    const revision = this.revision + 1
    const events: StoreEvent[] = []
    const responses = operations.map(operation => {
      // Ranges of a transaction see its earlier writes.
      if (operation.requestRange)
        return { responseRange: this.#rangeWithin(operation.requestRange, revision, events) }
      events.push(...this.#write(operation, revision))
      return {}
    })
    this.#publish(revision, events)
    return { succeeded, responses }
  }

  compact(revision: number): void {
    if (revision <= this.compactedAt) throw compacted()
    if (revision > this.revision)
      throw new EtcdRefusal(Status.OUT_OF_RANGE, 'etcdserver: mvcc: required revision is a future revision')
    this.compactedAt = revision
    for (const [name, versions] of this.#versions) {
      const newest = versions.findLastIndex(version => version.revision <= revision)
      if (newest < 0) continue
      const kept = versions.slice(versions[newest]?.kv ? newest : newest + 1)
      if (kept.length > 0) this.#versions.set(name, kept)
      else this.#versions.delete(name)
    }
    while ((this.#events[0]?.revision ?? Infinity) < revision) this.#events.shift()
  }

  /** @param ttl in s */
  grant(id: number, ttl: number): void {
    if (this.#leases.has(id))
      throw new EtcdRefusal(Status.FAILED_PRECONDITION, 'etcdserver: lease already exists')
    this.#leases.set(id, { ttl, expiresAt: this.elapsed() + ttl * 1000 })
  }

  /** @returns its time to live in s; 0 where there is none */
  renew(id: number): number {
    this.expire()
    const lease = this.#leases.get(id)
    if (!lease) return 0
    lease.expiresAt = this.elapsed() + lease.ttl * 1000
    return lease.ttl
  }

  revoke(id: number): void {
    if (!this.#leases.delete(id))
      throw new EtcdRefusal(Status.NOT_FOUND, 'etcdserver: requested lease not found')
    this.#deleteOf(id)
  }

  /** Leases last longer while there is no leader. @param ms by which */
  extendLeases(ms: number): void {
    for (const lease of this.#leases.values()) lease.expiresAt += ms
  }

  /** Ends the leases that are due, with their keys. */
  expire(): void {
    for (const [id, { expiresAt }] of this.#leases)
      if (expiresAt <= this.elapsed()) {
        this.#leases.delete(id)
        this.#deleteOf(id)
      }
  }

  /** What keys of a range saw from a revision on. @throws EtcdRefusal if it is compacted */
  eventsFrom(revision: number, key: Uint8Array, rangeEnd: Uint8Array): readonly StoreEvent[] {
    if (revision < this.compactedAt) throw compacted()
    const isIn = within(key, rangeEnd)
    // A compaction drops the deletions of its revision.
    const isKept = ({ type, kv }: StoreEvent): boolean => type === 0 || kv.modRevision > this.compactedAt
    const before = this.#events.findLastIndex(each => each.revision < revision)
    return this.#events
      .slice(before + 1)
      .flatMap(({ events }) => events.filter(event => isIn(nameOf(event.kv.key)) && isKept(event)))
  }

  /** Calls back after each change. Returns a function that ends it. */
  onChange(call: () => void): () => void {
    this.#watchers.add(call)
    return () => void this.#watchers.delete(call)
  }

  #holds({ target, key, createRevision = 0, value = EMPTY }: Compare): boolean {
    const found = this.#valueAt(nameOf(key), this.revision)
    if (target === COMPARES_CREATION) return (found?.createRevision ?? 0) === createRevision
    return found !== undefined && found.value.equals(value)
  }

  #rangeWithin(request: RangeRequest, revision: number, events: readonly StoreEvent[]): RangeResult {
    const own = this.revision
    if (events.length > 0) this.revision = revision
    const result = this.range(request)
    this.revision = own
    return result
  }

  #write(
    { requestPut: put, requestDeleteRange: removal }: Operation,
    revision: number
  ): readonly StoreEvent[] {
    if (put) {
      const name = nameOf(put.key)
      const before = this.#valueAt(name, revision)
      const kv = {
        key: Buffer.from(put.key),
        createRevision: before?.createRevision ?? revision,
        modRevision: revision,
        value: Buffer.from(put.value),
        lease: put.lease
      }
      this.#add(name, { revision, kv })
      return [{ type: 0, kv }]
    }
    return removal ? this.#deleteAll(this.#names(removal), revision) : []
  }

  #deleteAll(names: readonly string[], revision: number): readonly StoreEvent[] {
    return names.flatMap(name => {
      const kv = this.#valueAt(name, revision)
      if (!kv) return []
      this.#add(name, { revision, kv: undefined })
      return [
        {
          type: 1,
          kv: { key: kv.key, value: EMPTY, createRevision: 0, modRevision: revision, lease: 0 }
        } as const
      ]
    })
  }

  #deleteOf(lease: number): void {
    const names = [...this.#versions.keys()].filter(
      name => this.#valueAt(name, this.revision)?.lease === lease
    )
    this.#publish(this.revision + 1, this.#deleteAll(names.toSorted(), this.revision + 1))
  }

  #publish(revision: number, events: readonly StoreEvent[]): void {
    if (events.length === 0) return
    this.revision = revision
    this.#events.push({ revision, events })
    for (const call of this.#watchers) call()
  }

  #add(name: string, version: Version): void {
    const versions = this.#versions.get(name)
    if (!versions) this.#versions.set(name, [version])
    else if (versions.at(-1)?.revision === version.revision) versions[versions.length - 1] = version
    else versions.push(version)
  }

  #valueAt(name: string, revision: number): StoredValue | undefined {
    return this.#versions.get(name)?.findLast(version => version.revision <= revision)?.kv
  }

  #names({ key, rangeEnd }: Pick<RangeRequest, 'key' | 'rangeEnd'>): readonly string[] {
    if (rangeEnd.length === 0) return [nameOf(key)]
    return [...this.#versions.keys()].filter(within(key, rangeEnd)).toSorted()
  }
}

const compacted = (): EtcdRefusal =>
  new EtcdRefusal(Status.OUT_OF_RANGE, 'etcdserver: mvcc: required revision has been compacted')

const within = (key: Uint8Array, rangeEnd: Uint8Array): ((name: string) => boolean) => {
  const [from, to] = [nameOf(key), nameOf(rangeEnd)]
  return name => (to === '' ? name === from : name >= from && name < to)
}

const orderOf = ({ sortOrder, sortTarget }: RangeRequest) => {
  const by =
    sortTarget === BY_CREATION
      ? (a: StoredValue, b: StoredValue) => a.createRevision - b.createRevision
      : (a: StoredValue, b: StoredValue) => Buffer.compare(a.key, b.key)
  return sortOrder === DESCENDING ? (a: StoredValue, b: StoredValue) => by(b, a) : by
}
