// The deletion of all entries below a prefix.
import type { Tenancy } from '../events/envelope.js'
import { KV_TOPIC, type KvDelete, type KvEvent } from '../events/kv.js'
import type { KvReader } from '../projections/kv/kv-overlay.js'
import type { KvRow } from '../projections/kv/kv-row.js'
import type { Kv } from '../projections/kv/kv.js'
import { isBefore } from '../projections/radix-nodes.js'
import type { Steps } from '../projections/steps.js'
import { NO_REMOVALS, type PreparedRemoval } from './aggregate.js'
import { kvDeleted } from './kv-events.js'
import { checkSize, treeOf, type TreeContext } from './kv-tree-reads.js'
import { inNamespace } from './ref.js'
import { Refusal } from './refusal.js'

/** Keys that a command may read or delete as trees without preparation. */
export const UNPREPARED_KEYS = 1000

/**
 * Deletes all entries below a prefix.
 * @param prepared the same deletion, which has been prepared
 * @throws Refusal `too-large` for too many in one commit
 */
export const deleteTree = (
  context: TreeContext,
  prefix: string,
  prepared?: KeyTreeDeletion
): { readonly events: readonly KvEvent[]; readonly removals: readonly PreparedRemoval[] } => {
  const { kv } = context.models
  const events = prepared?.events(kv)
  if (!events) {
    const keys = kv.leastUnder(context.tenancy, prefix)
    if (keys > UNPREPARED_KEYS && !kv.storedUnder(context.tenancy, prefix))
      throw new Refusal(
        'kv.too-large',
        `More than ${UNPREPARED_KEYS} keys begin with "${prefix}", and other operations of the transaction change keys there: delete the tree first`,
        'invalid'
      )
    return { events: treeOf(context, prefix).rows.map(kvDeleted), removals: NO_REMOVALS }
  }
  const under = inNamespace(KV_TOPIC, context.tenancy, prefix)
  const keys = prepared?.keys() ?? []
  return { events, removals: [{ under, from: 0, count: events.length, keys }] }
}

const NO_EVENTS: readonly KvEvent[] = []

/** Keys of a group, which a step prepares. */
const GROUP_KEYS = 64

/** Consecutive deletions. */
interface DeletionGroup {
  readonly events: readonly KvDelete[]
  readonly keys: string[]
  readonly bytes: number
  /** The last key that belongs to the group; undefined for the last group. */
  readonly end: string | undefined
}

/** The deletion of all entries below a prefix, which is prepared while other commands are decided. */
export class KeyTreeDeletion {
  readonly #groups: DeletionGroup[] = []
  /** The groups show all changes up to this index. */
  #index = 0
  readonly #generation: number

  constructor(
    private readonly kv: Kv,
    private readonly tenancy: Tenancy,
    private readonly prefix: string
  ) {
    this.#generation = kv.generation
  }

  /** @throws Refusal `too-large` as `deleteTree` */
  *prepare(): Steps<void> {
    this.#index = this.kv.indexOf(this.tenancy)
    let [keys, bytes] = [0, 0]
    for (let group = this.#groupAfter(undefined); ; group = this.#groupAfter(group.end)) {
      this.#groups.push(group)
      checkSize(this.prefix, (keys += group.events.length), (bytes += group.bytes))
      if (group.end === undefined) break
      yield
    }
    const index = this.kv.indexOf(this.tenancy)
    for (const at of this.#changedGroups()) {
      this.#refresh(at)
      yield
    }
    this.#index = index
  }

  /**
   * Returns the deletions of the present entries. Cost besides their number: the changes since the end of the preparation.
   * @param kv undefined is returned for another store, for uncommitted changes of the entries, and after a rebuild
   * @throws Refusal `too-large` as `deleteTree`
   */
  events(kv: KvReader): KvEvent[] | undefined {
    const { tenancy, prefix } = this
    if (kv.storedUnder(tenancy, prefix) !== this.kv || this.kv.generation !== this.#generation)
      return undefined
    if (this.kv.sizeUnder(this.tenancy, this.prefix) === 0) return []
    for (const at of this.#changedGroups()) this.#refresh(at)
    this.#index = this.kv.indexOf(this.tenancy)
    this.#checkSize()
    return NO_EVENTS.concat(...this.#groups.map(({ events }) => events))
  }

  /** Returns the keys of the deletions that `events` has returned, in groups that are not empty. */
  keys(): string[][] {
    return this.#groups.map(({ keys }) => keys).filter(keys => keys.length > 0)
  }

  #checkSize(): void {
    let [keys, bytes] = [0, 0]
    for (const group of this.#groups) {
      keys += group.events.length
      bytes += group.bytes
    }
    checkSize(this.prefix, keys, bytes)
  }

  #changedGroups(): ReadonlySet<number> {
    const changed = new Set<number>()
    for (const key of this.kv.changedAfter(this.tenancy, this.prefix, this.#index))
      changed.add(this.#groupOf(key))
    return changed
  }

  #groupOf(key: string): number {
    let low = 0
    for (let high = this.#groups.length - 1; low < high;) {
      const middle = (low + high) >> 1
      if (isBefore(this.#groups[middle]?.end ?? key, key)) low = middle + 1
      else high = middle
    }
    return low
  }

  #refresh(at: number): void {
    const end = this.#groups[at]?.end
    const rows: KvRow[] = []
    for (const row of this.#rowsAfter(this.#groups[at - 1]?.end)) {
      if (end !== undefined && isBefore(end, row.key)) break
      rows.push(row)
    }
    this.#groups[at] = groupOf(rows, end)
  }

  #groupAfter(after: string | undefined): DeletionGroup {
    const rows: KvRow[] = []
    for (const row of this.#rowsAfter(after)) if (rows.push(row) === GROUP_KEYS) break
    return groupOf(rows, rows.length < GROUP_KEYS ? undefined : rows.at(-1)?.key)
  }

  #rowsAfter(key: string | undefined): Iterable<KvRow> {
    return this.kv.walk(
      this.tenancy,
      this.prefix,
      key === undefined ? undefined : { key, withSubtree: false }
    )
  }
}

const groupOf = (rows: readonly KvRow[], end: string | undefined): DeletionGroup => ({
  events: rows.map(kvDeleted),
  keys: rows.map(({ key }) => key),
  bytes: rows.reduce((sum, { size }) => sum + size, 0),
  end
})
