// Instances by the name of their service, with the commit index of each name (spec: state.md §10).
import { SortedRows } from '../sorted-rows.js'
import type { ServiceRow } from './rows.js'
const byOrder = (a: ServiceRow, b: ServiceRow): number => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)

export class ServiceInstances {
  /** Index of the last change of any of the instances, their nodes, or their checks. */
  index = 0
  readonly #rows = new SortedRows<ServiceRow>(byOrder)
  #tags: ReadonlyMap<string, readonly string[]> | undefined

  get size(): number {
    return this.#rows.size
  }

  get rows(): readonly ServiceRow[] {
    return this.#rows.values()
  }

  /** The rows after one (`ServiceRow.order`), or all, in order; see `SortedRows.from`. */
  behind(after: string | undefined): Iterable<ServiceRow> {
    return this.#rows.from(row => after === undefined || row.order > after)
  }

  /** The rows in no order. Rows may be deleted meanwhile, and the first row is cheap. */
  unordered(): Iterable<ServiceRow> {
    return this.#rows.unordered()
  }

  /** The distinct tags by name as spelled, cached until a change. */
  get tags(): ReadonlyMap<string, readonly string[]> {
    return (this.#tags ??= tagsByName(this.rows))
  }

  add(row: ServiceRow): void {
    this.#tags = undefined
    this.#rows.add(row)
  }

  delete(row: ServiceRow): void {
    this.#tags = undefined
    this.#rows.delete(row)
  }
}

export const tagsByName = (rows: Iterable<ServiceRow>): ReadonlyMap<string, readonly string[]> => {
  const names = new Map<string, Set<string>>()
  for (const row of rows) {
    let tags = names.get(row.name)
    if (!tags) names.set(row.name, (tags = new Set()))
    for (const tag of row.state.service.Tags ?? []) tags.add(tag)
  }
  return new Map([...names].map(([name, tags]) => [name, [...tags]]))
}

/** All groups of one namespace. A change costs O(1) for each affected name. */
export class ServiceGroups {
  readonly #groups = new Map<string, ServiceInstances>()
  /** Index of the last time any name lost its last instance. */
  extinction = 0

  get(name: string): ServiceInstances | undefined {
    return this.#groups.get(name.toLowerCase())
  }

  names(): readonly string[] {
    return [...this.#groups.keys()].toSorted()
  }

  all(): Iterable<ServiceInstances> {
    return this.#groups.values()
  }

  add(name: string, row: ServiceRow): void {
    const key = name.toLowerCase()
    let group = this.#groups.get(key)
    if (!group) this.#groups.set(key, (group = new ServiceInstances()))
    group.add(row)
  }

  delete(name: string, row: ServiceRow, index: number): void {
    const key = name.toLowerCase()
    const group = this.#groups.get(key)
    group?.delete(row)
    if (group?.size !== 0) return
    this.#groups.delete(key)
    this.extinction = index
  }
}
