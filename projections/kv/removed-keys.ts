import type { Commit } from '../../events/envelope.js'
import { parseTime } from '../../events/time.js'
import { derivedState } from '../projection.js'

/** The time for which a removed key keeps the indexes of the prefixes that cover only it. */
const REMOVED_KEY_MS = 15 * 60_000
/** Keys that a commit prunes, so that none takes long after many keys were removed at once. Hardly any commit creates as many. */
const MOST_PRUNED = 1000

interface PrunedSpace {
  readonly name: string
  prune(key: string): void
}

/** Keys that were removed from a space at one time, in the order of their removal. */
interface Removal<Space> {
  readonly space: Space
  readonly keys: string[]
  /** Epoch milliseconds. */
  readonly at: number
  /** The number of pruned keys at the start of the list. */
  pruned: number
}

/** The removed keys whose nodes are not pruned yet. A removal costs O(1), and pruning O(1) for each key, which later changes do. */
export class RemovedKeys<Space extends PrunedSpace> {
  #removals: Removal<Space>[] = []
  /** The number of removals at the start of the list whose keys are pruned. */
  #pruned = 0
  /** The commit of the last removal, and its time in epoch milliseconds. */
  #last = { index: 0, at: 0 }
  /** The last commit that has pruned keys, and the number of keys that it may still prune. */
  #pruning = { index: 0, left: 0 }
  readonly memory = derivedState<readonly [space: string, key: string, at: number]>({
    clear: () => {},
    save: () => this.#saved(),
    load: ([space, key, at]) => {
      // The keys of the last removal are never pruned before another one.
      this.#last.at = at
      this.#add(this.spaceNamed(space), key)
    }
  })

  constructor(private readonly spaceNamed: (name: string) => Space) {}

  /** Adds a removed key, and prunes others as `prune`. */
  add(space: Space, key: string, { Index, Time }: Commit): void {
    // A commit may remove many keys.
    if (this.#last.index !== Index) this.#last = { index: Index, at: parseTime(Time) ?? 0 }
    this.#add(space, key)
    this.prune(Index)
  }

  /** Adds further keys of the commit of the last removed key, and keeps their array. */
  addRest(space: Space, keys: string[]): void {
    this.#removals.push({ space, keys, at: this.#last.at, pruned: 0 })
  }

  /**
   * Prunes keys whose time was over at the last removal, in bounded number. Times come from the commits, so that a replay prunes the same keys.
   * @param index of a commit that changes keys
   */
  prune(index: number): void {
    const oldest = this.#removals[this.#pruned]
    if (!oldest || !this.#isOver(oldest)) return
    if (this.#pruning.index !== index) this.#pruning = { index, left: MOST_PRUNED }
    for (; this.#pruning.left > 0; this.#pruning.left--) {
      const old = this.#removals[this.#pruned]
      const key = old?.keys[old.pruned]
      if (!old || key === undefined || !this.#isOver(old)) break
      old.space.prune(key)
      if (++old.pruned === old.keys.length) this.#pruned++
    }
    // In bulk, so that the list is not copied for each key.
    if (this.#pruned * 2 > this.#removals.length) {
      this.#removals = this.#removals.slice(this.#pruned)
      this.#pruned = 0
    }
  }

  clear(): void {
    this.#removals = []
    this.#pruned = 0
    this.#last = { index: 0, at: 0 }
    this.#pruning = { index: 0, left: 0 }
  }

  *#saved(): Iterable<readonly [space: string, key: string, at: number]> {
    for (const { space, keys, at, pruned } of this.#removals.slice(this.#pruned))
      for (const key of keys.slice(pruned)) yield [space.name, key, at]
  }

  #add(space: Space, key: string): void {
    const { at } = this.#last
    const newest = this.#removals.at(-1)
    if (newest?.space === space && newest.at === at) newest.keys.push(key)
    else this.#removals.push({ space, keys: [key], at, pruned: 0 })
  }

  #isOver(removal: Removal<Space>): boolean {
    return removal.at < this.#last.at - REMOVED_KEY_MS
  }
}
