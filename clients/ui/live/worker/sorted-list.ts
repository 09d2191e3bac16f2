// A sorted list with binary search, for single and bulk changes.
import { lowerBound } from '../../../../events/sorted-search.js'
import { CHUNK_LIMIT } from './worker-chunks.js'

export type Compare<T> = (one: T, other: T) => number

/** More changes than this are applied in one pass over all rows. */
const MAX_SPLICES = 200
/** Number of rows that are sorted without a pause. */
const RUN_LENGTH = 2048

export class SortedList<T> {
  /** @param rows in order @param compare must distinguish any two rows */
  constructor(
    private readonly compare: Compare<T>,
    private sorted: T[] = []
  ) {}

  get rows(): readonly T[] {
    return this.sorted
  }

  /** @param removed rows of the list @param added rows that are not in the list */
  change(removed: readonly T[], added: readonly T[]): void {
    if (removed.length + added.length > MAX_SPLICES) return this.#changeMany(removed, added)
    for (const row of removed) this.sorted.splice(this.#indexOf(row), 1)
    for (const row of added) this.sorted.splice(this.#indexOf(row), 0, row)
  }

  /** Returns the number of rows before a row. */
  #indexOf(row: T): number {
    return lowerBound(this.sorted, found => this.compare(found, row) < 0)
  }

  #changeMany(removed: readonly T[], added: readonly T[]): void {
    const removedSet = new Set(removed)
    const remaining = this.sorted.filter(row => !removedSet.has(row))
    this.sorted = [...merged(remaining, added.toSorted(this.compare), this.compare)]
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

/** Merge sort in short steps. @param sorted receives the rows in order */
export function* sortInSteps<T>(rows: readonly T[], compare: Compare<T>, sorted: T[]): Generator<void> {
  let runs: T[][] = []
  for (let at = 0; at < rows.length; at += RUN_LENGTH) {
    runs.push(rows.slice(at, at + RUN_LENGTH).toSorted(compare))
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
