// Rows that are listed in order now and then and changed all the time.

/** Below this number of removed rows nothing is tidied up. */
const TOLERATED = 1024

/**
 * A set of rows with an order that is made when it is asked for. `add` and `delete` cost O(1), amortised; the
 * first `values` after changes costs one pass over the rows plus sorting what was added, and a listing is a
 * pass anyway.
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

  /** The row must be there. */
  delete(row: Row): void {
    this.#removed.add(row)
    if (this.#removed.size > TOLERATED && this.#removed.size > this.size) this.#forgetRemoved()
  }

  /** The rows in order. The list stays as it is, whatever is changed meanwhile. */
  values(): readonly Row[] {
    if (this.#added.length > 0 || this.#removed.size > 0) this.#tidy()
    return this.#sorted
  }

  /**
   * The rows from the first one on that is behind some place, in order. Nothing may be changed meanwhile. Costs a search, the
   * rows taken, and a look at what has changed since all were listed, of which there are 1024 at most: then all are put in order.
   */
  *from(isBehind: (row: Row) => boolean): Iterable<Row> {
    if (this.#added.length + this.#removed.size > TOLERATED) this.#tidy()
    const added = this.#added.filter(row => !this.#removed.has(row) && isBehind(row)).toSorted(this.compare)
    let next = 0
    for (let i = firstBehind(this.#sorted, isBehind); i < this.#sorted.length; i++) {
      const row = this.#sorted[i]
      if (row === undefined || this.#removed.has(row)) continue
      for (let other = added[next]; other && this.compare(other, row) <= 0; other = added[++next]) yield other
      yield row
    }
    yield* added.slice(next)
  }

  /** The rows in no order, while others are removed: cheap to begin; rows just removed may still come. */
  *unordered(): Iterable<Row> {
    const lists = [this.#sorted, this.#added]
    for (const rows of lists) for (const row of rows) if (!this.#removed.has(row)) yield row
  }

  #tidy(): void {
    if (this.#removed.size > 0) this.#forgetRemoved()
    if (this.#added.length > 0) this.#sorted = this.#merge(this.#sorted, this.#added.toSorted(this.compare))
    this.#added = []
  }

  #forgetRemoved(): void {
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

/** Where in rows the first one is of which this is true, as it is of all that follow. */
const firstBehind = <Row>(rows: readonly Row[], isBehind: (row: Row) => boolean): number => {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    const row = rows[middle]
    if (row !== undefined && isBehind(row)) high = middle
    else low = middle + 1
  }
  return low
}
