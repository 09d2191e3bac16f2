// What the read models of policies and roles have in common: things with an ID and a name.
import type { Event, Tenancy } from '../../events/envelope.js'
import { Table, spaceOf } from '../table.js'
import type { Watch } from '../watch.js'

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

/** Names are unique within a tenancy without regard to letter case (acl.md §4.3, §5). */
const nameKey = (tenancy: Tenancy, name: string): string => `${spaceOf(tenancy)}/${name.toLowerCase()}`

/**
 * Rows by ID and by name. Costs: look-ups O(1), a change O(1), a list O(rows of the tenancy).
 * Watch keys: `<plural>` for any change, `<plural>/<partition>/<namespace>` for those of a tenancy, `<singular>/<id>` for one.
 */
export abstract class NamedRows<Row extends { readonly tenancy: Tenancy }, Multi extends string = never> {
  readonly #watch: Watch
  readonly #things: Things<Row, Multi>
  readonly #table: Table<Row, 'name', Multi>
  #namesVersion = 0

  protected constructor(watch: Watch, things: Things<Row, Multi>) {
    this.#watch = watch
    this.#things = things
    this.#table = new Table({
      key: row => things.idOf(row),
      tenancy: row => row.tenancy,
      order: row => things.nameOf(row).toLowerCase(),
      unique: { name: row => nameKey(row.tenancy, things.nameOf(row)) },
      multi: things.multi
    })
  }

  /** Index of the last change of any of them. */
  get index(): number {
    return this.#table.index
  }

  /** Index of the last change of one of this tenancy. */
  indexOf(tenancy: Tenancy): number {
    return this.#table.indexOf(tenancy)
  }

  /** Grows when one is renamed or removed, so that texts with names in them can tell whether they still hold. */
  get namesVersion(): number {
    return this.#namesVersion
  }

  /** The one of this ID in any letter case. */
  get(id: string): Row | undefined {
    return this.#table.get(id.toLowerCase())
  }

  /** The one of this name in a tenancy; letter case does not matter. */
  named(tenancy: Tenancy, name: string): Row | undefined {
    return this.#table.find('name', nameKey(tenancy, name))
  }

  /** Those of a tenancy, ordered by lower-cased name. */
  list(tenancy: Tenancy): readonly Row[] {
    return this.#table.list(tenancy)
  }

  /** Those of a tenancy in no order, while they are deleted: cheap to begin, whatever their number. */
  within(tenancy: Tenancy): Iterable<Row> {
    return this.#table.within(tenancy)
  }

  reset(): void {
    this.#table.clear()
    this.#namesVersion++
  }

  /** Those that share a value, in the order of lists. */
  protected sharing(name: Multi, value: string): readonly Row[] {
    const order = (row: Row): string => this.#things.nameOf(row).toLowerCase()
    return [...this.#table.sharing(name, value)].toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
  }

  /** Folds what an event made of one. */
  protected put(row: Row, event: Event, index: number): void {
    const { idOf, nameOf } = this.#things
    const before = this.#table.put(row, index)
    if (before && nameOf(before) !== nameOf(row)) this.#namesVersion++
    this.#touch(idOf(row), event)
  }

  /** Folds the removal of one. */
  protected delete(id: string, event: Event, index: number): void {
    if (this.#table.delete(id, index)) this.#namesVersion++
    this.#touch(id, event)
  }

  /** By ID. */
  protected sorted(): readonly Row[] {
    const { idOf } = this.#things
    return [...this.#table.all()].toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  }

  #touch(id: string, { Partition: partition, Namespace: namespace }: Event): void {
    const { singular, plural } = this.#things
    this.#watch.touch(plural)
    this.#watch.touch(`${plural}/${spaceOf({ partition, namespace })}`)
    this.#watch.touch(`${singular}/${id}`)
  }
}
