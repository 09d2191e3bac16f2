// Tracks commits that are not on disk yet by the tenancies that can see them: the content of one namespace is
// invisible in others.
import type { Commit, Tenancy } from '../events/envelope.js'
import { spaceOf } from '../projections/table.js'

/**
 * All tenancies can see resources without a namespace and those of `default`, whose policies and roles grant
 * permissions elsewhere.
 */
const isShared = ({ namespace }: Tenancy): boolean => namespace === '' || namespace === 'default'

/** Returns the only namespace that can see a commit; undefined when others can. */
const confinedTo = ({ Events }: Commit): Tenancy | undefined => {
  const [first] = Events
  if (!first) return undefined
  const { Partition: partition, Namespace: namespace } = first
  if (isShared({ partition, namespace })) return undefined
  for (const event of Events)
    if (event.Namespace !== namespace || event.Partition !== partition) return undefined
  return { partition, namespace }
}

/**
 * The newest commits that may not be on disk, by visibility. Costs O(events of a commit) to note, and one
 * number for each namespace written to since everything was on disk.
 */
export class PendingWrites {
  #shared = 0
  readonly #confined = new Map<string, number>()

  note(commit: Commit): void {
    const namespace = confinedTo(commit)
    if (namespace) this.#confined.set(spaceOf(namespace), commit.Index)
    else this.#shared = commit.Index
  }

  /** Index of the newest commit that one of these tenancies can see. */
  newestIn(tenancies: readonly Tenancy[]): number {
    let newest = this.#shared
    if (this.#confined.size > 0)
      for (const tenancy of tenancies) newest = Math.max(newest, this.#confined.get(spaceOf(tenancy)) ?? 0)
    return newest
  }

  /** Call it when every noted commit is on disk or undone. */
  clear(): void {
    this.#shared = 0
    this.#confined.clear()
  }
}
