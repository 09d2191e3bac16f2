import type { Tenancy } from '../events/envelope.js'
import { spaceOf, tenancyOfSpace, type TableSpec } from './row-table.js'
import type { DerivedState, Fact } from './projection.js'
import { Table } from './table.js'
import { TableDraft } from './table-draft.js'
import type { Watch } from './watch.js'

/** The common part of read models whose rows are in one table. For the costs see `Table`. */
export abstract class TableProjection<
  Row extends object,
  Unique extends string = never,
  Multi extends string = never
> {
  protected readonly table: Table<Row, Unique, Multi>
  readonly memory: Readonly<Record<string, DerivedState>>

  /** @param below the stored rows under a draft; see `TableDraft` */
  protected constructor(spec: TableSpec<Row, Unique, Multi>, below?: TableProjection<Row, Unique, Multi>) {
    this.table = below ? new TableDraft(spec, below.table) : new Table(spec)
    this.memory = { indexes: this.table.indexes }
  }

  get index(): number {
    return this.table.index
  }

  get size(): number {
    return this.table.size
  }

  /** The rows in no order, while rows may change; see `Table.all`. */
  all(): Iterable<Row> {
    return this.table.all()
  }

  reset(): void {
    this.table.clear()
  }

  *facts(): Iterable<Fact> {
    for (const row of this.table.ordered()) yield this.factOf(row)
  }

  /** The facts in no order, while rows may change; see `Table.all`. */
  *current(): Iterable<Fact> {
    for (const row of this.table.all()) yield this.factOf(row)
  }

  /** Returns the event that recreates a row. */
  abstract factOf(row: Row): Fact
}

/**
 * Rows of a tenancy. Costs: a change O(1), a list O(rows of the tenancy).
 * Watch keys: `<plural>` for any change, `<plural>/<partition>/<namespace>` for those of a tenancy, `<singular>/<key>` for one.
 */
export abstract class TenancyRows<
  Row extends { readonly tenancy: Tenancy },
  Unique extends string = never,
  Multi extends string = never
> extends TableProjection<Row, Unique, Multi> {
  protected constructor(
    protected readonly watch: Watch,
    /** The nouns of watch keys; no `singular` if no watch key is for a single row. */
    private readonly names: { readonly plural: string; readonly singular?: string },
    spec: Omit<TableSpec<Row, Unique, Multi>, 'tenancy'>,
    below?: TenancyRows<Row, Unique, Multi>
  ) {
    super({ ...spec, tenancy: row => row.tenancy }, below)
  }

  indexOf(tenancy: Tenancy): number {
    return this.table.indexOf(tenancy)
  }

  /** The tenancies that ever had rows. */
  tenancies(): readonly Tenancy[] {
    return this.table.spaces().map(tenancyOfSpace)
  }

  /** The rows of a tenancy in their order. */
  list(tenancy: Tenancy): readonly Row[] {
    return this.table.list(tenancy)
  }

  /** The rows of a tenancy in their order; see `SortedRows.after`. */
  inOrder(tenancy: Tenancy): Iterable<Row> {
    return this.table.inOrder(tenancy)
  }

  /** The rows of a tenancy after a page key, or all, in the order of page keys; see `Table.behind`. */
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row> {
    return this.table.behind(tenancy, after)
  }

  /** The place of a row in the order of lists. */
  orderOf(row: Row): string {
    return this.table.orderOf(row)
  }

  pageKey(row: Row): string {
    return this.table.pageKey(row)
  }

  /** The rows of a tenancy at the first step, whatever changes afterwards. */
  within(tenancy: Tenancy): Iterable<Row> {
    return this.table.within(tenancy)
  }

  /** Wakes the watchers of this key and of its tenancy. */
  protected touch(tenancy: Tenancy, key: string): void {
    if (this.watch.size === 0) return
    const { singular, plural } = this.names
    this.watch.touch(plural)
    this.watch.touch(`${plural}/${spaceOf(tenancy)}`)
    if (singular !== undefined) this.watch.touch(`${singular}/${key}`)
  }
}
