import { getOrCreate } from './maps.js'

/** Most overlays, which allocate no list. */
const NOTHING_REMOVED: readonly string[] = []

/**
 * Uncommitted changes on top of rows elsewhere, which must not change meanwhile. Look-ups pass the stored result and get the changed
 * one. A look-up costs O(1), a list its rows and all changes.
 */
export class Overlay<Row extends object> {
  /** By key; null for a removed row. */
  readonly #changes = new Map<string, Row | null>()
  /** Beginnings of keys with which no stored row is left. */
  #removed = NOTHING_REMOVED

  constructor(private readonly keyOf: (row: Row) => string) {}

  /** @param below returns the stored row */
  get(key: string, below: () => Row | undefined): Row | undefined {
    const change = this.#changes.get(key)
    if (change !== undefined) return change ?? undefined
    return this.isRemoved(key) ? undefined : below()
  }

  /** Returns true if no stored row is left whose key begins with a text. */
  isRemoved(prefix: string): boolean {
    return this.#removed !== NOTHING_REMOVED && this.#removed.some(removed => prefix.startsWith(removed))
  }

  /** Returns true if any row changed whose key begins with a text. Cost: all changes. */
  isChangedUnder(prefix: string): boolean {
    for (const key of this.#changes.keys()) if (key.startsWith(prefix)) return true
    return this.#removed.some(removed => prefix.startsWith(removed) || removed.startsWith(prefix))
  }

  /** Returns the most stored rows that changes hide whose keys begin with a text. @param sizeUnder returns the number of stored rows for a text */
  mostHidden(prefix: string, sizeUnder: (prefix: string) => number): number {
    if (this.isRemoved(prefix)) return Infinity
    let hidden = 0
    for (const key of this.#changes.keys()) if (key.startsWith(prefix)) hidden++
    for (const removed of this.#removed) if (removed.startsWith(prefix)) hidden += sizeUnder(removed)
    return hidden
  }

  /** In no order. @param below the stored rows of the selection. @param belongs decides if a changed row is in the selection */
  *rows(below: Iterable<Row>, belongs: (row: Row) => boolean): Iterable<Row> {
    yield* this.#unchanged(below)
    for (const row of this.#changes.values()) if (row && belongs(row)) yield row
  }

  /**
   * Like `rows`, in the order of the stored rows. Later changes do not affect the result.
   * Cost: all changes at once, and the stored rows as they are read.
   * @param beginning text with which the keys of all stored rows begin
   */
  inOrder(
    below: Iterable<Row>,
    beginning: string,
    belongs: (row: Row) => boolean,
    compare: (a: Row, b: Row) => number
  ): Iterable<Row> {
    if (!this.#isChanged) return below
    const frozen = new Overlay<Row>(this.keyOf)
    frozen.#removed = this.#removed
    const changed: Row[] = []
    for (const [key, row] of this.#changes) {
      if (key.startsWith(beginning)) frozen.#changes.set(key, row)
      if (row && belongs(row)) changed.push(row)
    }
    return merged(frozen.#unchanged(below), changed.toSorted(compare), compare)
  }

  /** Like `inOrder`, without a beginning. */
  list(
    below: readonly Row[],
    belongs: (row: Row) => boolean,
    compare: (a: Row, b: Row) => number
  ): readonly Row[] {
    return this.#isChanged ? [...this.inOrder(below, '', belongs, compare)] : below
  }

  get #isChanged(): boolean {
    return this.#changes.size > 0 || this.#removed !== NOTHING_REMOVED
  }

  *#unchanged(below: Iterable<Row>): Generator<Row> {
    for (const row of below) {
      const key = this.keyOf(row)
      if (!this.#changes.has(key) && !this.isRemoved(key)) yield row
    }
  }

  put(row: Row): void {
    this.#changes.set(this.keyOf(row), row)
  }

  remove(key: string): void {
    this.#changes.set(key, null)
  }

  /** Removes all rows whose keys begin with a text. Cost: all changes. */
  removeUnder(prefix: string): void {
    for (const key of this.#changes.keys()) if (key.startsWith(prefix)) this.#changes.delete(key)
    this.#removed = [...this.#removed, prefix]
  }
}

/** The rows of two lists, each in the order of a comparison. */
function* merged<Row>(
  rows: Iterable<Row>,
  others: readonly Row[],
  compare: (a: Row, b: Row) => number
): Generator<Row> {
  let at = 0
  for (const row of rows) {
    for (let other = others[at]; other !== undefined && compare(other, row) < 0; other = others[++at])
      yield other
    yield row
  }
  yield* others.slice(at)
}

/** An overlay for each namespace or node, so that a list costs only its own changes. */
export class Overlays<Row extends object> {
  readonly #overlays = new Map<string, Overlay<Row>>()

  /** @param keyOf is unique in one place */
  constructor(private readonly keyOf: (row: Row) => string) {}

  in(place: string): Overlay<Row> {
    return getOrCreate(this.#overlays, place, () => new Overlay(this.keyOf))
  }
}
