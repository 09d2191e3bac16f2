// Which of the writes that are not on disk yet show to whom: what happens inside one namespace shows to
// nobody outside of it.
import type { Commit, Tenancy } from '../events/envelope.js'
import { spaceOf } from '../projections/table.js'

/**
 * Things of no namespace belong to everybody, and so does `default`: its policies and roles give rights
 * elsewhere.
 */
const isShared = ({ namespace }: Tenancy): boolean => namespace === '' || namespace === 'default'

/** The one namespace that a commit stays within; undefined when it shows in more than that. */
const confinesOf = ({ Events }: Commit): Tenancy | undefined => {
  const [first] = Events
  if (!first) return undefined
  const { Partition: partition, Namespace: namespace } = first
  if (isShared({ partition, namespace })) return undefined
  for (const event of Events)
    if (event.Namespace !== namespace || event.Partition !== partition) return undefined
  return { partition, namespace }
}

/**
 * The newest commits that may not be on disk yet, by where they show. Costs O(events of a commit) to note,
 * and one number for each namespace that was written to since everything was on disk.
 */
export class PendingWrites {
  #shared = 0
  readonly #confined = new Map<string, number>()

  note(commit: Commit): void {
    const confines = confinesOf(commit)
    if (confines) this.#confined.set(spaceOf(confines), commit.Index)
    else this.#shared = commit.Index
  }

  /** Index of the newest commit of which these tenancies show anything. */
  newestIn(tenancies: readonly Tenancy[]): number {
    let newest = this.#shared
    if (this.#confined.size > 0)
      for (const tenancy of tenancies) newest = Math.max(newest, this.#confined.get(spaceOf(tenancy)) ?? 0)
    return newest
  }

  /** To be called when every commit noted is on disk, or undone. */
  clear(): void {
    this.#shared = 0
    this.#confined.clear()
  }
}
