import type { Link } from '../../events/definition/types.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import type { Watch } from '../watch.js'
import { nameKey } from '../row-table.js'
import { TenancyRows, type Resource, type RowSpec } from '../table-projection.js'

interface NamedRow {
  readonly tenancy: Tenancy
  /** Shared by the resources that link to this one. */
  readonly link: Link
  /** The name in lower case. */
  readonly order: string
}

interface NamedRowsOptions<Row, Stored extends Resource, E extends Event, Multi extends string> extends Pick<
  RowSpec<Row, Stored, E, 'name', Multi>,
  'events' | 'rowOf' | 'resourceOf' | 'multi'
> {
  /** The nouns of watch keys. */
  readonly singular: string
  readonly plural: string
}

/** Policies or roles by ID and by name, ordered by lower-cased name, in pages by ID. Look-ups O(1); for the watch keys see `TenancyRows`. */
export abstract class NamedRows<
  Row extends NamedRow,
  Stored extends Resource,
  E extends Event,
  Multi extends string = never
> extends TenancyRows<Row, Stored, E, 'name', Multi> {
  #namesVersion: number

  protected constructor(
    watch: Watch,
    { singular, plural, ...spec }: NamedRowsOptions<Row, Stored, E, Multi>,
    below?: NamedRows<Row, Stored, E, Multi>
  ) {
    const idOf = ({ link }: Row): string => link.ID
    super(
      watch,
      { singular, plural },
      {
        ...spec,
        key: idOf,
        order: row => row.order,
        pageKey: idOf,
        unique: { name: row => nameKey(row.tenancy, row.order) }
      },
      below
    )
    // Rows of a draft are also those of the stored state: what they cache with this version is never taken for current.
    this.#namesVersion = below ? NaN : 0
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

  protected override replaced(before: Row | undefined, row: Row | undefined): void {
    if (before && before.link.Name !== row?.link.Name) this.#namesVersion++
  }
}
