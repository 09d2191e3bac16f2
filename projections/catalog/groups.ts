// Instances by the name of their service, with the commit index of each name (spec: state.md §10).
import { getOrCreate } from '../maps.js'
import { byText } from '../row-table.js'
import { SortedRows } from '../sorted-rows.js'
import type { ServiceRow } from './rows.js'

export class ServiceInstances extends SortedRows<ServiceRow> {
  /** Index of the last change of any of the instances, their nodes, or their checks. */
  index = 0
  #tags: ReadonlyMap<string, readonly string[]> | undefined

  constructor() {
    super((a, b) => byText(a.order, b.order))
  }

  get rows(): readonly ServiceRow[] {
    return this.values()
  }

  /** The rows after one (`ServiceRow.order`), or all, in order; see `SortedRows.from`. */
  behind(after: string | undefined): Iterable<ServiceRow> {
    return this.from(row => after === undefined || row.order > after)
  }

  /** The distinct tags by name as spelled, cached until a change. */
  get tags(): ReadonlyMap<string, readonly string[]> {
    return (this.#tags ??= tagsByName(this.rows))
  }

  override add(row: ServiceRow): void {
    this.#tags = undefined
    super.add(row)
  }

  override delete(row: ServiceRow): void {
    this.#tags = undefined
    super.delete(row)
  }
}

export const tagsByName = (rows: Iterable<ServiceRow>): ReadonlyMap<string, readonly string[]> => {
  const names = new Map<string, Set<string>>()
  for (const row of rows) {
    const tags = getOrCreate(names, row.name, () => new Set())
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
    getOrCreate(this.#groups, name.toLowerCase(), () => new ServiceInstances()).add(row)
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
