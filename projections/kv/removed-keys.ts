import type { Commit } from '../../events/envelope.js'
import { parseTime } from '../../events/time.js'
import { derivedState } from '../projection.js'

/** The time for which a removed key keeps the indexes of the prefixes that cover only it. */
const REMOVED_KEY_MS = 15 * 60_000
/** Keys that a commit prunes beyond as many as it removes, so that it does not take long after many were removed at once. */
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

/** The removed keys whose nodes are not pruned yet. A removal costs O(1), amortised. */
export class RemovedKeys<Space extends PrunedSpace> {
  #removals: Removal<Space>[] = []
  /** The number of removals at the start of the list whose keys are pruned. */
  #pruned = 0
  /** The commit of the last removal, its time in epoch milliseconds, and the number of keys that it may still prune. */
  #commit = { index: 0, at: 0, prunes: 0 }
  readonly memory = derivedState<readonly [space: string, key: string, at: number]>({
    clear: () => {},
    save: () => this.#saved(),
    load: ([space, key, at]) => this.#add(this.spaceNamed(space), key, at)
  })

  constructor(private readonly spaceNamed: (name: string) => Space) {}

  /** Adds a removed key, and prunes those whose time is over. Times come from the commits, so that a replay prunes the same keys. */
  add(space: Space, key: string, { Index, Time }: Commit): void {
    // A commit may remove many keys. It prunes as many, or keys that many commits remove at once would never be pruned.
    if (this.#commit.index === Index) this.#commit.prunes++
    else this.#commit = { index: Index, at: parseTime(Time) ?? 0, prunes: MOST_PRUNED }
    this.#add(space, key, this.#commit.at)
    this.#prune()
  }

  /**
   * Adds further keys of the commit of the last removed key, and keeps their array.
   * @returns false without adding them, if that commit left keys whose time is over
   */
  addRest(space: Space, keys: string[]): boolean {
    const { at } = this.#commit
    if (this.#isOver(this.#removals[this.#pruned])) return false
    this.#removals.push({ space, keys, at, pruned: 0 })
    this.#commit.prunes += keys.length
    return true
  }

  clear(): void {
    this.#removals = []
    this.#pruned = 0
    this.#commit = { index: 0, at: 0, prunes: 0 }
  }

  *#saved(): Iterable<readonly [space: string, key: string, at: number]> {
    for (const { space, keys, at, pruned } of this.#removals.slice(this.#pruned))
      for (const key of keys.slice(pruned)) yield [space.name, key, at]
  }

  #add(space: Space, key: string, at: number): void {
    const last = this.#removals.at(-1)
    if (last?.space === space && last.at === at) last.keys.push(key)
    else this.#removals.push({ space, keys: [key], at, pruned: 0 })
  }

  #isOver(removal: Removal<Space> | undefined): boolean {
    return removal !== undefined && removal.at < this.#commit.at - REMOVED_KEY_MS
  }

  #prune(): void {
    for (; this.#commit.prunes > 0; this.#commit.prunes--) {
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
}
