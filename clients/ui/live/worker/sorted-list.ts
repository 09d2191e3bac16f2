// Rows in order: found by halving, put in and taken out one by one or many at once.
import { CHUNK_LIMIT } from './worker-chunks.js'

export type Compare<T> = (one: T, other: T) => number

/** So many changes are made one by one; for more of them all rows are gone through once. */
const FEW = 200
/** So many are sorted in one go. */
const RUN = 2048

export class SortedList<T> {
  #rows: T[]

  /** @param rows in order @param compare tells any two rows apart */
  constructor(
    private readonly compare: Compare<T>,
    rows: T[] = []
  ) {
    this.#rows = rows
  }

  get rows(): readonly T[] {
    return this.#rows
  }

  /** @param gone rows that are in it @param come rows that are not */
  change(gone: readonly T[], come: readonly T[]): void {
    if (gone.length + come.length > FEW) return this.#changeMany(gone, come)
    for (const row of gone) this.#rows.splice(this.#placeOf(row), 1)
    for (const row of come) this.#rows.splice(this.#placeOf(row), 0, row)
  }

  /** How many rows stand before one. */
  #placeOf(row: T): number {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const found = this.#rows[middle]
      if (found !== undefined && this.compare(found, row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #changeMany(gone: readonly T[], come: readonly T[]): void {
    const without = new Set(gone)
    const kept = this.#rows.filter(row => !without.has(row))
    this.#rows = [...merged(kept, come.toSorted(this.compare), this.compare)]
  }
}

function* merged<T>(one: readonly T[], other: readonly T[], compare: Compare<T>): Generator<T> {
  let next = 0
  for (const row of one) {
    for (let first = other[next]; first !== undefined && compare(first, row) < 0; first = other[++next])
      yield first
    yield row
  }
  yield* other.slice(next)
}

/** Sorts step by step, each of them short. @param sorted gets the rows in order */
export function* sortInSteps<T>(rows: readonly T[], compare: Compare<T>, sorted: T[]): Generator<void> {
  let runs: T[][] = []
  for (let at = 0; at < rows.length; at += RUN) {
    runs.push(rows.slice(at, at + RUN).toSorted(compare))
    yield
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let at = 0; at < runs.length; at += 2) {
      const both: T[] = []
      for (const row of merged(runs[at] ?? [], runs[at + 1] ?? [], compare)) {
        if (both.push(row) % CHUNK_LIMIT === 0) yield
      }
      longer.push(both)
    }
    runs = longer
  }
  for (const row of runs[0] ?? []) sorted.push(row)
}
