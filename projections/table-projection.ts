import {
  DEFAULT_TENANCY,
  type Commit,
  type Event,
  type ResourceEvents,
  type Tenancy
} from '../events/envelope.js'
import { spaceOf, tenancyOfSpace, type TableSpec } from './row-table.js'
import { resourceFact, type DerivedState, type Fact, type Projection } from './projection.js'
import { tenancyOf } from './tenancy-view.js'
import { Table } from './table.js'
import { TableDraft } from './table-draft.js'
import type { Watch, WatchName } from './watch.js'

export interface Resource {
  readonly CreateIndex: number
  readonly ModifyIndex?: number
}

/** A table whose rows follow from the events of a resource kind. */
export interface RowSpec<
  Row,
  Stored extends Resource,
  E extends Event,
  Unique extends string,
  Multi extends string
> extends Omit<TableSpec<Row, Unique, Multi>, 'tenancy'> {
  readonly events: ResourceEvents<string, readonly [string, ...string[]], Stored, E['Payload']> & {
    readonly is: (event: Event) => event is E
  }
  /** The type of the event that deletes a row; by default all but the first type do. */
  readonly deletedBy?: E['Type']
  /** Returns the row after an event. @param rows those before it */
  readonly rowOf: (event: E, tenancy: Tenancy, rows: Table<Row & object, Unique, Multi>) => Row
  readonly resourceOf: (row: Row) => Stored
  readonly secretsOf?: (row: Row) => Readonly<Record<string, string>> | undefined
  /** Returns the key of a row for that of its events, by default the same. */
  readonly keyOf?: (key: string, tenancy: Tenancy) => string
  /** Absent for resources of the whole cluster. */
  readonly tenancy?: (row: Row) => Tenancy
  /** Returns the watch keys of a change. @param key that of the event */
  readonly watched?: (tenancy: Tenancy, key: string) => readonly WatchName[]
}

/** The common part of read models whose rows are in one table. For the costs see `Table`. */
export abstract class TableProjection<
  Row extends object,
  Stored extends Resource,
  E extends Event,
  Unique extends string = never,
  Multi extends string = never
> implements Projection {
  protected readonly table: Table<Row, Unique, Multi>
  readonly topics: readonly string[]
  readonly memory: Readonly<Record<string, DerivedState>>

  /** @param below the stored rows under a draft; see `TableDraft` */
  protected constructor(
    private readonly watch: Watch,
    private readonly spec: RowSpec<Row, Stored, E, Unique, Multi>,
    below?: TableProjection<Row, Stored, E, Unique, Multi>
  ) {
    const tableSpec = { ...spec, tenancy: spec.tenancy ?? (() => DEFAULT_TENANCY) }
    this.table = below ? new TableDraft(tableSpec, below.table) : new Table(tableSpec)
    this.topics = [spec.events.topic]
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

  apply(event: Event, { Index }: Commit): void {
    const { events, deletedBy, rowOf, keyOf, watched } = this.spec
    if (!events.is(event)) return
    const { Key, Type } = event
    const tenancy = tenancyOf(event)
    const isEnd = deletedBy === undefined ? Type !== events.types[0] : Type === deletedBy
    const row = isEnd ? undefined : rowOf(event, tenancy, this.table)
    const before = row
      ? this.table.put(row, Index)
      : this.table.delete(keyOf ? keyOf(Key, tenancy) : Key, Index)
    this.replaced?.(before, row)
    if (watched && this.watch.size > 0) for (const name of watched(tenancy, Key)) this.watch.touch(name)
  }

  /** Follows each change of a row, and each deletion, also of an unknown one. */
  protected replaced?(before: Row | undefined, row: Row | undefined): void

  /** Returns the event that recreates a row. */
  factOf(row: Row): Fact {
    const { events, resourceOf, secretsOf, tenancy } = this.spec
    const resource = resourceOf(row)
    return resourceFact(events, resource, {
      ...(tenancy && { tenancy: tenancy(row) }),
      Index: resource.ModifyIndex ?? resource.CreateIndex,
      Secrets: secretsOf?.(row)
    })
  }
}

/**
 * Rows of a tenancy. Costs: a change O(1), a list O(rows of the tenancy).
 * Watch keys: `<plural>` for any change, `<plural>/<partition>/<namespace>` for those of a tenancy, `<singular>/<key>` for one.
 */
export abstract class TenancyRows<
  Row extends { readonly tenancy: Tenancy },
  Stored extends Resource,
  E extends Event,
  Unique extends string = never,
  Multi extends string = never
> extends TableProjection<Row, Stored, E, Unique, Multi> {
  protected constructor(
    watch: Watch,
    /** The nouns of watch keys; no `singular` if no watch key is for a single row. */
    { plural, singular }: { readonly plural: string; readonly singular?: string },
    spec: Omit<RowSpec<Row, Stored, E, Unique, Multi>, 'tenancy'>,
    below?: TenancyRows<Row, Stored, E, Unique, Multi>
  ) {
    const watched = (tenancy: Tenancy, key: string): readonly WatchName[] => [
      plural,
      `${plural}/${spaceOf(tenancy)}`,
      ...(singular === undefined ? [] : [`${singular}/${spec.keyOf?.(key, tenancy) ?? key}`])
    ]
    super(watch, { watched, ...spec, tenancy: row => row.tenancy }, below)
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
}
