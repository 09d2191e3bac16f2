// The KV store with the uncommitted changes of a decision.
import type { Tenancy } from '../../events/envelope.js'
import type { KvEvent } from '../../events/kv.js'
import { Overlays } from '../overlay.js'
import { byText, spaceOf } from '../row-table.js'
import { tenancyOf } from '../tenancy-view.js'
import { isBefore } from '../radix-nodes.js'
import { KvRow } from './kv-row.js'

/** The KV store without uncommitted changes. */
interface KvStore {
  sizeUnder(tenancy: Tenancy, prefix: string): number
}

/** The KV store as decisions read it: stored, or with an overlay. */
export interface KvReader {
  get(tenancy: Tenancy, key: string): KvRow | undefined
  /** The present entries whose keys begin with the prefix, in byte order, which stay if a new epoch begins before the next write. */
  walk(tenancy: Tenancy, prefix: string): Iterable<KvRow>
  /** The least number of entries that `walk` returns, which is exact without uncommitted changes below the prefix. Cost: those changes. */
  leastUnder(tenancy: Tenancy, prefix: string): number
  /** The store itself, unless there are uncommitted changes below the prefix. */
  storedUnder(tenancy: Tenancy, prefix: string): KvStore | undefined
  /** The entries that a session of a tenancy holds there, in the order of their keys. Cost: those entries. */
  heldBy(tenancy: Tenancy, session: string): readonly KvRow[]
  /** True if a lock-delay forbids locking a key. `at`: epoch milliseconds (state.md §5). */
  isDelayed(tenancy: Tenancy, key: string, at: number): boolean
}

const byBytes = (a: KvRow, b: KvRow): number => (isBefore(a.key, b.key) ? -1 : 1)
const byKey = (a: KvRow, b: KvRow): number => byText(a.key, b.key)

export class KvOverlay implements KvReader {
  readonly #spaces = new Overlays<KvRow>(({ key }) => key)

  constructor(private readonly below: KvReader & KvStore) {}

  get(tenancy: Tenancy, key: string): KvRow | undefined {
    return this.#spaces.in(spaceOf(tenancy)).get(key, () => this.below.get(tenancy, key))
  }

  walk(tenancy: Tenancy, prefix: string): Iterable<KvRow> {
    const overlay = this.#spaces.in(spaceOf(tenancy))
    const below = overlay.isRemoved(prefix) ? [] : this.below.walk(tenancy, prefix)
    return overlay.inOrder(below, prefix, row => row.key.startsWith(prefix), byBytes)
  }

  leastUnder(tenancy: Tenancy, prefix: string): number {
    const sizeUnder = (text: string): number => this.below.sizeUnder(tenancy, text)
    const hidden = this.#spaces.in(spaceOf(tenancy)).mostHidden(prefix, sizeUnder)
    return Math.max(0, sizeUnder(prefix) - hidden)
  }

  storedUnder(tenancy: Tenancy, prefix: string): KvStore | undefined {
    if (this.#spaces.in(spaceOf(tenancy)).isChangedUnder(prefix)) return undefined
    return this.below.storedUnder(tenancy, prefix)
  }

  heldBy(tenancy: Tenancy, session: string): readonly KvRow[] {
    const below = this.below.heldBy(tenancy, session)
    const holder = session.toLowerCase()
    const isHeld = (row: KvRow): boolean => row.session.toLowerCase() === holder
    return this.#spaces.in(spaceOf(tenancy)).list(below, isHeld, byKey)
  }

  /** Delays of sessions that the decision ends begin with its commit. */
  isDelayed(tenancy: Tenancy, key: string, at: number): boolean {
    return this.below.isDelayed(tenancy, key, at)
  }

  apply(event: KvEvent): void {
    const tenancy = tenancyOf(event)
    const overlay = this.#spaces.in(spaceOf(tenancy))
    if (event.Type === 'KVDelete') overlay.remove(event.Key)
    else overlay.put(new KvRow(event.Payload.KV, tenancy, event.Type))
  }

  /** Applies the deletions of all entries below a prefix. Cost: the uncommitted changes. */
  removeUnder(tenancy: Tenancy, prefix: string): void {
    this.#spaces.in(spaceOf(tenancy)).removeUnder(prefix)
  }
}
