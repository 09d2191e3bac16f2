// Read model of the KV store.
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import { isKvEvent, KV_TOPIC, type KvEvent, type KvWritten } from '../../events/kv.js'
import { isNamespaceEvent, NAMESPACE_TOPIC } from '../../events/namespace.js'
import { isSessionEvent, SESSION_TOPIC, type Session } from '../../events/session.js'
import { parseTime } from '../../events/time.js'
import type { Projection } from '../projection.js'
import { byText, spaceOf, tenancyOfSpace } from '../row-table.js'
import { fact, derivedState, type Fact } from '../saved-form.js'
import { tenancyViewOf, tenancyOf } from '../tenancy-view.js'
import type { Watch, WatchBranch, WatchName } from '../watch.js'
import { LockedKeys, LockDelays } from './locked-keys.js'
import { KeyTree, type WalkStart } from './key-tree.js'
import { KvOverlay } from './kv-overlay.js'
import type { KvReader } from './kv-overlay.js'
import { KvRow } from './kv-row.js'

/** How long a removed key is remembered for the indexes of the prefixes that cover only it. */
const REMEMBERED_MS = 15 * 60_000

/** Entries that a walk during changes looks at in one piece. */
const WALKED_AT_ONCE = 64

const factOf = ({ tenancy, entry, eventType }: KvRow): Fact =>
  fact<KvWritten>({
    Topic: KV_TOPIC,
    Type: eventType,
    Key: entry.Key,
    tenancy,
    Index: entry.ModifyIndex,
    Payload: { KV: { ...entry, ...tenancyViewOf(tenancy) } }
  })

/** A key of one tenancy as one text. Names of tenancies hold no slash, so that it begins with the space. */
const fullKey = (space: string, key: string): string => `${space}/${key}`

/** What the watch keys of a tenancy begin with. */
const watchRoot = (space: string): WatchName => `kv/${fullKey(space, '')}`

/** The watch key of one entry; a prefix of it is the watch key of a prefix. */
export const kvWatchKey = (tenancy: Tenancy, key: string): WatchName => watchRoot(spaceOf(tenancy)) + key

/** The entries of one tenancy, and who waits for them. */
class KvSpace extends KeyTree<KvRow> {
  constructor(
    readonly name: string,
    readonly watched: WatchBranch
  ) {
    super()
  }
}

interface Removed {
  readonly space: KvSpace
  readonly key: string
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * Entries in the byte order of their keys, by tenancy. A look-up, a change and the index of a prefix cost the
 * length of the key; a list costs the entries listed, never those outside of its prefix. About 400 bytes an
 * entry of 100.
 * Watch keys: `kvWatchKey` of an entry, and prefixes of it.
 */
export class Kv implements Projection, KvReader {
  readonly topics = [KV_TOPIC, SESSION_TOPIC, NAMESPACE_TOPIC]
  readonly #spaces = new Map<string, KvSpace>()
  readonly #held = new LockedKeys()
  readonly #delays = new LockDelays()
  #removed: Removed[] = []
  /** How many of them are forgotten already. */
  #pruned = 0
  readonly memory = {
    prefixes: derivedState<readonly [space: string, prefix: string, index: number]>({
      clear: () => {},
      save: () => this.#prefixes(),
      load: ([space, prefix, index]) => this.#space(space).mark(prefix, index)
    }),
    removed: derivedState<readonly [space: string, key: string, at: number]>({
      clear: () => {},
      save: () =>
        this.#removed.slice(this.#pruned).map(({ space, key, at }) => [space.name, key, at] as const),
      load: ([space, key, at]) => this.#removed.push({ space: this.#space(space), key, at })
    }),
    delays: this.#delays.memory
  }

  constructor(private readonly watch: Watch) {}

  /** Number of entries of all tenancies. */
  get size(): number {
    let size = 0
    for (const tree of this.#spaces.values()) size += tree.size
    return size
  }

  get(tenancy: Tenancy, key: string): KvRow | undefined {
    return this.#spaces.get(spaceOf(tenancy))?.get(key)
  }

  /** Index of the last change of any entry of a tenancy. */
  indexOf(tenancy: Tenancy): number {
    return this.#spaces.get(spaceOf(tenancy))?.index ?? 0
  }

  /** Index of the last change below a prefix, or of the tenancy if none is known of it (state.md §10). */
  indexUnder(tenancy: Tenancy, prefix: string): number {
    return this.#spaces.get(spaceOf(tenancy))?.indexUnder(prefix) ?? this.indexOf(tenancy)
  }

  /** The entries below a prefix in byte order, one at a time. Nothing may be written during the walk. */
  walk(tenancy: Tenancy, prefix: string, after?: WalkStart): Iterable<KvRow> {
    return this.#spaces.get(spaceOf(tenancy))?.walk(prefix, after) ?? []
  }

  under(tenancy: Tenancy, prefix: string): readonly KvRow[] {
    return [...this.walk(tenancy, prefix)]
  }

  heldBy(tenancy: Tenancy, session: string): readonly KvRow[] {
    return [...this.#held.of(tenancy, session)].toSorted((a, b) => byText(a.key, b.key))
  }

  /** The entries below a prefix that sessions hold, in the order of their keys. Cost: those that are held in the tenancy. */
  held(tenancy: Tenancy, prefix: string): readonly KvRow[] {
    const below = [...this.#held.all(tenancy)].filter(({ key }) => key.startsWith(prefix))
    return below.toSorted((a, b) => byText(a.key, b.key))
  }

  isDelayed(tenancy: Tenancy, key: string, at: number): boolean {
    return this.#delays.has(fullKey(spaceOf(tenancy), key), at)
  }

  /** The tenancies that have or had entries. */
  tenancies(): Tenancy[] {
    return [...this.#spaces.keys()].map(tenancyOfSpace)
  }

  /** The namespaces of a partition that have or had entries, sorted. */
  namespaces(partition: string): string[] {
    const before = `${partition}/`
    return [...this.#spaces.keys()]
      .filter(space => space.startsWith(before))
      .map(space => space.slice(before.length))
      .toSorted()
  }

  overlay(): KvOverlay {
    return new KvOverlay(this)
  }

  apply(event: Event, commit: Commit): void {
    if (isKvEvent(event)) this.#applyEntry(event, commit)
    else if (isSessionEvent(event) && event.Type !== 'SessionCreated')
      this.#delayLocks(tenancyOf(event), event.Payload.Session, commit)
    else if (isNamespaceEvent(event) && event.Type === 'NamespaceDeleted')
      // Whoever makes the namespace anew meets no delays of the one that is gone.
      this.#delays.forget(fullKey(spaceOf({ partition: event.Partition, namespace: event.Key }), ''))
  }

  reset(): void {
    this.#spaces.clear()
    this.#held.clear()
    this.#delays.clear()
    this.#removed = []
    this.#pruned = 0
  }

  *facts(): Iterable<Fact> {
    for (const space of this.#ordered()) for (const row of space.walk('', undefined)) yield factOf(row)
  }

  /** The fact of one entry; undefined when there is none. */
  factAt(tenancy: Tenancy, key: string): Fact | undefined {
    const row = this.get(tenancy, key)
    return row && factOf(row)
  }

  /**
   * The facts of a tenancy's entries below a prefix, in byte order. Entries may change between two of them: those that stay
   * as they are come once, those that change or come meanwhile once or not at all.
   */
  *current(tenancy: Tenancy, prefix = ''): Iterable<Fact> {
    const space = this.#spaces.get(spaceOf(tenancy))
    if (!space) return
    let after: WalkStart | undefined
    for (;;) {
      const rows: KvRow[] = []
      for (const row of space.walk(prefix, after)) if (rows.push(row) === WALKED_AT_ONCE) break
      for (const row of rows) yield factOf(row)
      const last = rows.at(-1)
      if (!last) return
      after = { key: last.key, withSubtree: false }
    }
  }

  /** By name. */
  #ordered(): readonly KvSpace[] {
    return [...this.#spaces.values()].toSorted((a, b) => byText(a.name, b.name))
  }

  *#prefixes(): Iterable<readonly [space: string, prefix: string, index: number]> {
    for (const space of this.#ordered())
      for (const [prefix, index] of space.remembered(row => row.modifyIndex))
        yield [space.name, prefix, index] as const
  }

  #space(name: string): KvSpace {
    let space = this.#spaces.get(name)
    if (!space) this.#spaces.set(name, (space = new KvSpace(name, this.watch.branch(watchRoot(name)))))
    return space
  }

  #applyEntry(event: KvEvent, commit: Commit): void {
    const tenancy = tenancyOf(event)
    const space = this.#space(spaceOf(tenancy))
    const key = event.Key
    if (event.Type === 'KVDelete') {
      this.#held.replace(space.remove(key, commit.Index), undefined)
      this.#remember(space, key, commit)
    } else {
      const row = new KvRow(event.Payload.KV, tenancy, event.Type)
      this.#held.replace(space.put(key, row, commit.Index), row)
    }
    space.watched.touch(key)
  }

  /** Its keys are released or removed by the events that follow in the same commit. */
  #delayLocks(tenancy: Tenancy, session: Session, commit: Commit): void {
    const keys = [...this.#held.of(tenancy, session.ID)].map(({ key }) => fullKey(spaceOf(tenancy), key))
    // In an order that depends on the state alone, and not on when each was locked.
    for (const key of keys.toSorted(byText))
      this.#delays.begin(key, parseTime(commit.Time) ?? 0, session.LockDelay)
  }

  #remember(space: KvSpace, key: string, commit: Commit): void {
    const now = parseTime(commit.Time) ?? 0
    this.#removed.push({ space, key, at: now })
    for (let old = this.#removed[this.#pruned]; old && old.at < now - REMEMBERED_MS;) {
      old.space.prune(old.key)
      old = this.#removed[++this.#pruned]
    }
    // In bulk, so that the list is not moved for each of them.
    if (this.#pruned * 2 > this.#removed.length) {
      this.#removed = this.#removed.slice(this.#pruned)
      this.#pruned = 0
    }
  }
}
