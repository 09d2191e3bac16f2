import { lowerBound } from '../events/sorted-search.js'

const MAX_CHANGES = 1024

/**
 * A set of rows that is sorted on demand. `add` and `delete` cost O(1), amortised; the first `values` after changes costs
 * one pass over the rows plus sorting the added ones, and a listing is a pass anyway.
 */
export class SortedRows<Row extends object> {
  #sorted: Row[] = []
  #added: Row[] = []
  readonly #removed = new Set<Row>()

  constructor(private readonly compare: (a: Row, b: Row) => number) {}

  get size(): number {
    return this.#sorted.length + this.#added.length - this.#removed.size
  }

  add(row: Row): void {
    this.#added.push(row)
  }

  /** The row must be present. */
  delete(row: Row): void {
    this.#removed.add(row)
    if (this.#removed.size > MAX_CHANGES && this.#removed.size > this.size) this.#dropRemoved()
  }

  /** The rows in order, in a list that never changes. */
  values(): readonly Row[] {
    if (this.#added.length > 0 || this.#removed.size > 0) this.#sort()
    return this.#sorted
  }

  /**
   * The rows from the first one that is behind a position, in order. The set must not change meanwhile. Costs a search, the
   * rows taken, and a look at the changes since the last sort, of which there are at most 1024.
   */
  *from(isBehind: (row: Row) => boolean): Iterable<Row> {
    if (this.#added.length + this.#removed.size > MAX_CHANGES) this.#sort()
    const added = this.#added.filter(row => !this.#removed.has(row) && isBehind(row)).toSorted(this.compare)
    let next = 0
    for (let i = lowerBound(this.#sorted, row => !isBehind(row)); i < this.#sorted.length; i++) {
      const row = this.#sorted[i]
      if (row === undefined || this.#removed.has(row)) continue
      for (let other = added[next]; other && this.compare(other, row) <= 0; other = added[++next]) yield other
      yield row
    }
    yield* added.slice(next)
  }

  /** The rows in no order. Rows may be removed meanwhile, and may still come just after. The first row is cheap. */
  *unordered(): Iterable<Row> {
    const lists = [this.#sorted, this.#added]
    for (const rows of lists) for (const row of rows) if (!this.#removed.has(row)) yield row
  }

  #sort(): void {
    if (this.#removed.size > 0) this.#dropRemoved()
    if (this.#added.length > 0) this.#sorted = this.#merge(this.#sorted, this.#added.toSorted(this.compare))
    this.#added = []
  }

  #dropRemoved(): void {
    const isLeft = (row: Row): boolean => !this.#removed.has(row)
    this.#sorted = this.#sorted.filter(isLeft)
    this.#added = this.#added.filter(isLeft)
    this.#removed.clear()
  }

  #merge(left: readonly Row[], right: readonly Row[]): Row[] {
    const merged: Row[] = []
    let i = 0
    for (const row of right) {
      for (let other = left[i]; other !== undefined && this.compare(other, row) <= 0; other = left[++i])
        merged.push(other)
      merged.push(row)
    }
    return merged.concat(left.slice(i))
  }
}
