import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isKvEvent, KV_TOPIC, type KvEvent, kvEvents } from '../../events/kv.js'
import { isNamespaceEvent, NAMESPACE_TOPIC } from '../../events/namespace.js'
import { isSessionEvent, SESSION_TOPIC, type Session } from '../../events/session.js'
import { parseTime } from '../../events/time.js'
import { type Projection, resourceFact, derivedState, type Fact } from '../projection.js'
import { byText, namespacesIn, spaceOf, tenancyOfSpace } from '../row-table.js'
import { tenancyViewOf, tenancyOf } from '../tenancy-view.js'
import type { Watch, WatchBranch, WatchName } from '../watch.js'
import type { WalkStart } from '../radix-nodes.js'
import { EMPTY_VIEW, RadixTree, type RadixView } from '../radix-tree.js'
import { KvOverlay, type KvReader } from './kv-overlay.js'
import { KvRow } from './kv-row.js'
import {
  continuedKeys,
  deletedKeys,
  DetachedKeys,
  type DetachedTree,
  isSameRun,
  type PreparedKeys
} from './detached-keys.js'
import { LockDelays } from './lock-delays.js'
import { LockedKeys } from './locked-keys.js'
import { RemovedKeys } from './removed-keys.js'

/** Entries per step of a walk during changes. */
const WALK_BATCH = 64

const factOf = ({ tenancy, entry, eventType }: KvRow): Fact =>
  resourceFact(
    kvEvents,
    { ...entry, ...tenancyViewOf(tenancy) },
    { Type: eventType, tenancy, Index: entry.ModifyIndex }
  )

/** Names of tenancies contain no slash, so that the space is unambiguous. */
const watchRoot = (space: string): WatchName => `kv/${space}/`

/** The watch key of one entry; its prefixes are the watch keys of prefixes. */
export const kvWatchKey = (tenancy: Tenancy, key: string): WatchName => watchRoot(spaceOf(tenancy)) + key

class KvSpace extends RadixTree<KvRow> {
  constructor(
    readonly name: string,
    readonly watched: WatchBranch
  ) {
    super()
  }
}

/**
 * Entries in the byte order of their keys, by tenancy. A look-up, a change and the index of a prefix cost the length of the key; a list costs its
 * entries. About 400 bytes for an entry of 100. Watch keys: `kvWatchKey` of an entry, and prefixes of it.
 */
export class Kv implements Projection, KvReader {
  readonly topics = [KV_TOPIC, SESSION_TOPIC, NAMESPACE_TOPIC]
  readonly #spaces = new Map<string, KvSpace>()
  readonly #held = new LockedKeys()
  readonly #delays = new LockDelays()
  readonly #removed = new RemovedKeys(name => this.#space(name))
  readonly #detached = new DetachedKeys()
  /** False once an erased event was skipped, after which entries may be missing until a later event. */
  #isComplete = true
  #generation = 0
  readonly memory = {
    prefixes: derivedState<readonly [space: string, prefix: string, index: number]>({
      clear: () => {},
      save: () => this.#prefixes(),
      load: ([space, prefix, index]) => this.#space(space).mark(prefix, index)
    }),
    removed: this.#removed.memory,
    delays: this.#delays.memory
  }

  constructor(private readonly watch: Watch) {}

  /** Grows with each reset. */
  get generation(): number {
    return this.#generation
  }

  get size(): number {
    let size = 0
    for (const tree of this.#spaces.values()) size += tree.size
    return size
  }

  get(tenancy: Tenancy, key: string): KvRow | undefined {
    return this.#spaces.get(spaceOf(tenancy))?.get(key)
  }

  indexOf(tenancy: Tenancy): number {
    return this.#spaces.get(spaceOf(tenancy))?.index ?? 0
  }

  /** Index of the last change below a prefix, or of the tenancy if the prefix has none (state.md §10). */
  indexUnder(tenancy: Tenancy, prefix: string): number {
    return this.#spaces.get(spaceOf(tenancy))?.indexUnder(prefix) ?? this.indexOf(tenancy)
  }

  /** The present entries below a prefix in byte order, which stay if a new epoch begins before the next write. */
  walk(tenancy: Tenancy, prefix: string, after?: WalkStart): Iterable<KvRow> {
    return this.#spaces.get(spaceOf(tenancy))?.walk(prefix, after) ?? []
  }

  /** The present entries of a tenancy, which stay if a new epoch begins before the next write. */
  view(tenancy: Tenancy): RadixView<KvRow> {
    return this.#spaces.get(spaceOf(tenancy))?.view() ?? EMPTY_VIEW
  }

  /** The number of entries below a prefix. */
  sizeUnder(tenancy: Tenancy, prefix: string): number {
    return this.#spaces.get(spaceOf(tenancy))?.sizeUnder(prefix) ?? 0
  }

  /** See `RadixTree.changedAfter`. */
  changedAfter(tenancy: Tenancy, prefix: string, index: number): Iterable<string> {
    return this.#spaces.get(spaceOf(tenancy))?.changedAfter(prefix, index) ?? []
  }

  leastUnder(tenancy: Tenancy, prefix: string): number {
    return this.sizeUnder(tenancy, prefix)
  }

  storedUnder(): Kv {
    return this
  }

  heldBy(tenancy: Tenancy, session: string): readonly KvRow[] {
    return this.#held.of(tenancy, session)
  }

  /** The locked entries below a prefix, in the order of their keys. Cost: the locked entries of the tenancy. */
  held(tenancy: Tenancy, prefix: string): readonly KvRow[] {
    const below = [...this.#held.all(tenancy)].filter(({ key }) => key.startsWith(prefix))
    return below.toSorted((a, b) => byText(a.key, b.key))
  }

  isDelayed(tenancy: Tenancy, key: string, at: number): boolean {
    return this.#delays.has(spaceOf(tenancy), key, at)
  }

  tenancies(): Tenancy[] {
    return [...this.#spaces.keys()].map(tenancyOfSpace)
  }

  namespaces(partition: string): string[] {
    return namespacesIn(partition, this.#spaces.keys())
  }

  overlay(): KvOverlay {
    return new KvOverlay(this)
  }

  apply(event: Event, commit: Commit): void {
    if (isKvEvent(event)) this.#applyEntry(event, commit)
    else if (isSessionEvent(event) && event.Type !== 'SessionCreated')
      this.#releaseLocks(tenancyOf(event), event.Payload.Session, commit)
    else if (isNamespaceEvent(event) && event.Type === 'NamespaceDeleted')
      // A new namespace of the same name has no delays of the deleted one.
      this.#delays.deleteSpace(spaceOf({ partition: event.Partition, namespace: event.Key }))
  }

  reset(): void {
    this.#spaces.clear()
    this.#held.clear()
    this.#delays.clear()
    this.#removed.clear()
    this.#detached.clear()
    this.#isComplete = true
    this.#generation++
  }

  /** Notes that an erased event was not applied. */
  skipErased(): void {
    this.#isComplete = false
  }

  /**
   * Applies the deletions that continue one, from the event `at`, if they delete all entries below a prefix, and more than there are locked entries
   * and waiters, since it looks through those. Cost besides comparisons of keys: the length of the prefix. Prepared deletions are not read.
   * @returns undefined if `apply` must apply them
   */
  detach({ Index, Events }: Commit, at: number, prepared: readonly PreparedKeys[]): DetachedTree | undefined {
    const [before, first] = [Events[at - 1], Events[at]]
    // The first deletion of a run prunes as many of the keys removed earlier as the others would.
    if (!isSameRun(before, first)) return undefined
    const known = prepared.find(({ from }) => from + 1 === at)
    if (!known && isSameRun(Events[at - 2], before)) return undefined
    const { count, prefix, groups } = known ? continuedKeys(known) : deletedKeys(Events, at)
    if (count <= this.#held.size + this.watch.size) return undefined
    const space = this.#space(spaceOf(tenancyOf(first)))
    const isAll = this.#isComplete && space.index === Index && space.sizeUnder(prefix) === count
    if (!isAll) return undefined
    for (const keys of groups) this.#removed.addRest(space, keys)
    // The first key below an awaited text wakes the waiters of all its prefixes.
    const touched = [prefix, ...space.watched.awaited(prefix)].map(text => space.walk(text).next().value?.key)
    this.#held.removeUnder(space.name, prefix)
    space.removeUnder(prefix, Index)
    for (const keys of groups) this.#detached.add(space, keys)
    for (const key of touched) if (key !== undefined) space.watched.touch(key)
    return { count, prefix }
  }

  *facts(): Iterable<Fact> {
    for (const space of this.#ordered()) for (const row of space.walk('', undefined)) yield factOf(row)
  }

  factAt(tenancy: Tenancy, key: string): Fact | undefined {
    const row = this.get(tenancy, key)
    return row && factOf(row)
  }

  /** The facts below a prefix, in byte order. An unchanged entry comes once, one that changes meanwhile at most once. */
  *current(tenancy: Tenancy, prefix = ''): Iterable<Fact> {
    const space = this.#spaces.get(spaceOf(tenancy))
    if (!space) return
    let after: WalkStart | undefined
    for (;;) {
      const rows: KvRow[] = []
      for (const row of space.walk(prefix, after)) if (rows.push(row) === WALK_BATCH) break
      for (const row of rows) yield factOf(row)
      const last = rows.at(-1)
      if (!last) return
      after = { key: last.key, withSubtree: false }
    }
  }

  #ordered(): readonly KvSpace[] {
    return [...this.#spaces.values()].toSorted((a, b) => byText(a.name, b.name))
  }

  *#prefixes(): Iterable<readonly [space: string, prefix: string, index: number]> {
    for (const space of this.#ordered())
      for (const [prefix, index] of space.prefixIndexes(row => row.modifyIndex))
        yield [space.name, prefix, index] as const
  }

  #space(name: string): KvSpace {
    const known = this.#spaces.get(name)
    if (known) return known
    const space = new KvSpace(name, this.watch.branch(watchRoot(name)))
    this.#spaces.set(name, space)
    return space
  }

  #applyEntry(event: KvEvent, commit: Commit): void {
    const tenancy = tenancyOf(event)
    const space = this.#space(spaceOf(tenancy))
    const key = event.Key
    this.#detached.release()
    if (event.Type === 'KVDelete') {
      this.#held.replace(space.remove(key, commit.Index), undefined)
      this.#removed.add(space, key, commit)
    } else {
      const row = new KvRow(event.Payload.KV, tenancy, event.Type)
      const before = space.put(key, row, commit.Index)
      if (row.session !== '' || (before && before.session !== '')) this.#held.replace(before, row)
      this.#removed.prune(commit.Index)
    }
    space.watched.touch(key)
  }

  /** Later events of the same commit change or remove the entries. */
  #releaseLocks(tenancy: Tenancy, session: Session, commit: Commit): void {
    // Their order depends on the state only, and not on the time of each lock.
    const rows = this.#held.release(tenancy, session.ID)
    this.#delays.begin(spaceOf(tenancy), rows, parseTime(commit.Time) ?? 0, session.LockDelay)
  }
}
