import type { Tenancy } from '../events/envelope.js'
import { byText, type TableSpec } from './row-table.js'
import { Table } from './table.js'

/**
 * A table with uncommitted changes on top of another one, which keeps its own. A look-up costs O(1) more than there, `sharing` the changes, and the
 * rows there if any of them changed, and a list the changes and the rows there.
 */
export class TableDraft<
  Row extends object,
  Unique extends string = never,
  Multi extends string = never
> extends Table<Row, Unique, Multi> {
  /** Keys of the rows below that are replaced or removed. */
  readonly #covered = new Set<string>()

  constructor(
    private readonly rules: TableSpec<Row, Unique, Multi>,
    private readonly below: Table<Row, Unique, Multi>
  ) {
    super(rules)
  }

  override get index(): number {
    return Math.max(super.index, this.below.index)
  }

  override indexOf(tenancy: Tenancy): number {
    return Math.max(super.indexOf(tenancy), this.below.indexOf(tenancy))
  }

  override get(key: string): Row | undefined {
    return super.get(key) ?? (this.#covered.has(key) ? undefined : this.below.get(key))
  }

  override find(name: Unique, value: string): Row | undefined {
    return super.find(name, value) ?? this.#uncovered(this.below.find(name, value))
  }

  override sharing(name: Multi, value: string): ReadonlySet<Row> {
    const [below, own] = [this.below.sharing(name, value), super.sharing(name, value)]
    if (own.size === 0 && !this.#coversAny(below)) return below
    return new Set([...this.#uncoveredOf(below), ...own])
  }

  override isShared(name: Multi, value: string): boolean {
    if (super.sharing(name, value).size > 0) return true
    for (const row of this.below.sharing(name, value)) if (this.#uncovered(row)) return true
    return false
  }

  override list(tenancy: Tenancy): readonly Row[] {
    const { order } = this.rules
    const rows = [...this.#uncoveredOf(this.below.list(tenancy)), ...super.list(tenancy)]
    return rows.toSorted((a, b) => byText(order(a), order(b)))
  }

  override put(row: Row, index: number): Row | undefined {
    const key = this.rules.key(row)
    const before = this.get(key)
    this.#covered.add(key)
    super.put(row, index)
    return before
  }

  override delete(key: string, index: number): Row | undefined {
    const before = this.get(key)
    this.#covered.add(key)
    super.delete(key, index)
    return before
  }

  #uncovered(row: Row | undefined): Row | undefined {
    return row && !this.#covered.has(this.rules.key(row)) ? row : undefined
  }

  /** Costs the changes, since many rows may share a value. */
  #coversAny(rows: ReadonlySet<Row>): boolean {
    for (const key of this.#covered) {
      const row = this.below.get(key)
      if (row && rows.has(row)) return true
    }
    return false
  }

  #uncoveredOf(rows: Iterable<Row>): readonly Row[] {
    return [...rows].filter(row => !this.#covered.has(this.rules.key(row)))
  }
}
