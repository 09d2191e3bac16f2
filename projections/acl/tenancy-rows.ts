// What the read models of the ACL system have in common: rows that live in a tenancy, and who waits for their changes.
import type { Tenancy } from '../../events/envelope.js'
import type { Fact, DerivedState } from '../saved-form.js'
import { spaceOf, Table, type TableSpec } from '../table.js'
import type { Watch } from '../watch.js'

/** How watch keys call what the rows are of. */
interface Names {
  readonly plural: string
  /** Absent where nobody waits for one alone. */
  readonly singular?: string
}

/** One text for a name, unique within a tenancy without regard to letter case (acl.md §4.3, §5; auth.md §1). */
export const nameKey = (tenancy: Tenancy, name: string): string => `${spaceOf(tenancy)}/${name.toLowerCase()}`

/**
 * Rows of a tenancy. Costs: a change O(1), a list O(rows of the tenancy).
 * Watch keys: `<plural>` for any change, `<plural>/<partition>/<namespace>` for those of a tenancy, `<singular>/<key>` for one.
 */
export abstract class TenancyRows<
  Row extends { readonly tenancy: Tenancy },
  Unique extends string = never,
  Multi extends string = never
> {
  protected readonly table: Table<Row, Unique, Multi>
  readonly memory: { readonly indexes: DerivedState }

  protected constructor(
    private readonly watch: Watch,
    private readonly names: Names,
    spec: Omit<TableSpec<Row, Unique, Multi>, 'tenancy'>
  ) {
    this.table = new Table({ ...spec, tenancy: row => row.tenancy })
    this.memory = { indexes: this.table.indexes }
  }

  /** Index of the last change of any of them. */
  get index(): number {
    return this.table.index
  }

  /** Index of the last change of one of this tenancy. */
  indexOf(tenancy: Tenancy): number {
    return this.table.indexOf(tenancy)
  }

  /** Those of a tenancy in their order. */
  list(tenancy: Tenancy): readonly Row[] {
    return this.table.list(tenancy)
  }

  /** Those of a tenancy behind a page key, or all, in the order of page keys; see `Table.behind`. */
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row> {
    return this.table.behind(tenancy, after)
  }

  /** What a page of a list goes on behind. */
  pageKey(row: Row): string {
    return this.table.pageKey(row)
  }

  /** Those of a tenancy in no order, while they are deleted: cheap to begin, whatever their number. */
  within(tenancy: Tenancy): Iterable<Row> {
    return this.table.within(tenancy)
  }

  reset(): void {
    this.table.clear()
  }

  *facts(): Iterable<Fact> {
    for (const row of this.table.ordered()) yield this.factOf(row)
  }

  /** The facts in no order, while rows may change between two of them; see `Table.all`. */
  *current(): Iterable<Fact> {
    for (const row of this.table.all()) yield this.factOf(row)
  }

  /** The event that makes a row what it is. */
  protected abstract factOf(row: Row): Fact

  /** Wakes who waits for the one of this key, or for any in its tenancy. */
  protected touch(tenancy: Tenancy, key: string): void {
    if (this.watch.size === 0) return
    const { singular, plural } = this.names
    this.watch.touch(plural)
    this.watch.touch(`${plural}/${spaceOf(tenancy)}`)
    if (singular !== undefined) this.watch.touch(`${singular}/${key}`)
  }
}
