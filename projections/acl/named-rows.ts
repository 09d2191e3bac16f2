import type { Event, Tenancy } from '../../events/envelope.js'
import { tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'
import { nameKey, TenancyRows } from '../table-projection.js'

interface NamedRowsOptions<Row, Multi extends string> {
  /** The nouns of watch keys. */
  readonly singular: string
  readonly plural: string
  readonly idOf: (row: Row) => string
  readonly nameOf: (row: Row) => string
  readonly multi: { readonly [name in Multi]: (row: Row) => readonly string[] }
}

/** Policies or roles by ID and by name, ordered by lower-cased name, in pages by ID. Look-ups O(1); for the watch keys see `TenancyRows`. */
export abstract class NamedRows<
  Row extends { readonly tenancy: Tenancy },
  Multi extends string = never
> extends TenancyRows<Row, 'name', Multi> {
  #namesVersion = 0

  protected constructor(
    watch: Watch,
    private readonly options: NamedRowsOptions<Row, Multi>
  ) {
    const { idOf, nameOf, multi } = options
    super(watch, options, {
      key: idOf,
      order: row => nameOf(row).toLowerCase(),
      pageKey: idOf,
      unique: { name: row => nameKey(row.tenancy, nameOf(row)) },
      multi
    })
  }

  /** Grows with each rename and removal, which invalidates texts that contain names. */
  get namesVersion(): number {
    return this.#namesVersion
  }

  get(id: string): Row | undefined {
    return this.table.get(id.toLowerCase())
  }

  named(tenancy: Tenancy, name: string): Row | undefined {
    return this.table.find('name', nameKey(tenancy, name))
  }

  override reset(): void {
    super.reset()
    this.#namesVersion++
  }

  protected put(row: Row, event: Event, index: number): void {
    const { idOf, nameOf } = this.options
    const before = this.table.put(row, index)
    if (before && nameOf(before) !== nameOf(row)) this.#namesVersion++
    this.touch(tenancyOf(event), idOf(row))
  }

  protected delete(id: string, event: Event, index: number): void {
    if (this.table.delete(id, index)) this.#namesVersion++
    this.touch(tenancyOf(event), id)
  }
}
