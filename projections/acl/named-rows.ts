// What the read models of policies and roles have in common: things with an ID and a name.
import type { Event, Tenancy } from '../../events/envelope.js'
import { tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'
import { nameKey, TenancyRows } from './tenancy-rows.js'

/** Of which things a read model is. */
interface Things<Row, Multi extends string> {
  /** One and many of them, as watch keys say it. */
  readonly singular: string
  readonly plural: string
  /** The ID, in lower case. */
  readonly idOf: (row: Row) => string
  readonly nameOf: (row: Row) => string
  /** Keys that many rows share. */
  readonly multi: { readonly [name in Multi]: (row: Row) => readonly string[] }
}

/** Rows by ID and by name, ordered by lower-cased name, in pages by ID. Costs: look-ups O(1); see `TenancyRows` for the others and for the watch keys. */
export abstract class NamedRows<
  Row extends { readonly tenancy: Tenancy },
  Multi extends string = never
> extends TenancyRows<Row, 'name', Multi> {
  #namesVersion = 0

  protected constructor(
    watch: Watch,
    private readonly resources: Things<Row, Multi>
  ) {
    const { idOf, nameOf, multi } = resources
    super(watch, resources, {
      key: idOf,
      order: row => nameOf(row).toLowerCase(),
      pageKey: idOf,
      unique: { name: row => nameKey(row.tenancy, nameOf(row)) },
      multi
    })
  }

  /** Grows when one is renamed or removed, so that texts with names in them can tell whether they still hold. */
  get namesVersion(): number {
    return this.#namesVersion
  }

  /** The one of this ID in any letter case. */
  get(id: string): Row | undefined {
    return this.table.get(id.toLowerCase())
  }

  /** The one of this name in a tenancy; letter case does not matter. */
  named(tenancy: Tenancy, name: string): Row | undefined {
    return this.table.find('name', nameKey(tenancy, name))
  }

  override reset(): void {
    super.reset()
    this.#namesVersion++
  }

  /** Those that share a value, in the order of lists. */
  protected sharing(name: Multi, value: string): readonly Row[] {
    const order = (row: Row): string => this.resources.nameOf(row).toLowerCase()
    return [...this.table.sharing(name, value)].toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
  }

  /** Folds what an event made of one. */
  protected put(row: Row, event: Event, index: number): void {
    const { idOf, nameOf } = this.resources
    const before = this.table.put(row, index)
    if (before && nameOf(before) !== nameOf(row)) this.#namesVersion++
    this.touch(tenancyOf(event), idOf(row))
  }

  /** Folds the removal of one. */
  protected delete(id: string, event: Event, index: number): void {
    if (this.table.delete(id, index)) this.#namesVersion++
    this.touch(tenancyOf(event), id)
  }
}
