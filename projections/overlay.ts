// What decisions see of the events that they have made so far: changes on top of rows that stay as they are.
import type { TableReader, TableSpec } from './row-table.js'

/**
 * Rows that were put or removed, on top of rows elsewhere, which must not change meanwhile. Those are asked
 * first; what they answer goes in, and what it is after the changes comes out. A look-up costs O(1), a list
 * its rows and all changes.
 */
export class Overlay<Row extends object> {
  /** By key; null for a row that was removed. */
  readonly #changes = new Map<string, Row | null>()

  constructor(private readonly keyOf: (row: Row) => string) {}

  /** @param below gives the row of this key without the changes */
  get(key: string, below: () => Row | undefined): Row | undefined {
    const change = this.#changes.get(key)
    return change === undefined ? below() : (change ?? undefined)
  }

  /**
   * In no order.
   * @param below the rows asked for without the changes
   * @param belongs whether a row that was put is one of those asked for
   */
  *rows(below: Iterable<Row>, belongs: (row: Row) => boolean): Iterable<Row> {
    for (const row of below) if (!this.#changes.has(this.keyOf(row))) yield row
    for (const row of this.#changes.values()) if (row && belongs(row)) yield row
  }

  /** As `rows`, in the order that those below have already. */
  list(
    below: readonly Row[],
    belongs: (row: Row) => boolean,
    compare: (a: Row, b: Row) => number
  ): readonly Row[] {
    return this.#changes.size === 0 ? below : [...this.rows(below, belongs)].toSorted(compare)
  }

  put(row: Row): void {
    this.#changes.set(this.keyOf(row), row)
  }

  remove(key: string): void {
    this.#changes.set(key, null)
  }
}

/**
 * An overlay for each namespace, node or whatever rows are in, so that a list costs its own changes alone.
 */
export class Overlays<Row extends object> {
  readonly #overlays = new Map<string, Overlay<Row>>()

  /** @param keyOf tells the rows in one place apart */
  constructor(private readonly keyOf: (row: Row) => string) {}

  in(place: string): Overlay<Row> {
    let overlay = this.#overlays.get(place)
    if (!overlay) this.#overlays.set(place, (overlay = new Overlay(this.keyOf)))
    return overlay
  }
}

/** An overlay of a table. */
export class TableOverlay<Row extends object, Multi extends string> implements TableReader<Row, Multi> {
  readonly #multi: TableSpec<Row, never, Multi>['multi']
  readonly #rows: Overlay<Row>

  constructor(
    { key, multi }: Pick<TableSpec<Row, never, Multi>, 'key' | 'multi'>,
    private readonly below: TableReader<Row, Multi>
  ) {
    this.#multi = multi
    this.#rows = new Overlay(key)
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key, () => this.below.get(key))
  }

  sharing(name: Multi, value: string): Iterable<Row> {
    const valuesOf = this.#multi[name]
    return this.#rows.rows(this.below.sharing(name, value), row => valuesOf(row).includes(value))
  }

  put(row: Row): void {
    this.#rows.put(row)
  }

  remove(key: string): void {
    this.#rows.remove(key)
  }
}
