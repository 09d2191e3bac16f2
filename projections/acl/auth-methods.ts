// Read model of the auth methods.
import { AUTH_METHOD_TOPIC, isAuthMethodEvent } from '../../events/auth-method.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import type { Projection } from '../projection.js'
import { Table, spaceOf } from '../table.js'
import type { Watch } from '../watch.js'
import { AuthMethodRow } from './auth-method-row.js'

/** One text for a method: names are unique within a tenancy without regard to letter case. */
export const methodKey = (tenancy: Tenancy, name: string): string =>
  `${spaceOf(tenancy)}/${name.toLowerCase()}`

/**
 * Auth methods by name. Costs: look-ups O(1), a change O(1), a list O(methods of the tenancy).
 * Watch key: `auth-methods` for any change, `auth-methods/<partition>/<namespace>` for those of a tenancy.
 */
export class AuthMethods implements Projection {
  readonly topics = [AUTH_METHOD_TOPIC]
  readonly #watch: Watch
  readonly #table = new Table<AuthMethodRow>({
    key: row => methodKey(row.tenancy, row.method.Name),
    tenancy: row => row.tenancy,
    order: row => row.method.Name.toLowerCase(),
    unique: {},
    multi: {}
  })

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** Index of the last change of any method. */
  get index(): number {
    return this.#table.index
  }

  /** Index of the last change of a method of this tenancy. */
  indexOf(tenancy: Tenancy): number {
    return this.#table.indexOf(tenancy)
  }

  /** The method of this name in a tenancy; letter case does not matter. */
  named(tenancy: Tenancy, name: string): AuthMethodRow | undefined {
    return this.#table.get(methodKey(tenancy, name))
  }

  /** The methods of a tenancy, ordered by lower-cased name. */
  list(tenancy: Tenancy): readonly AuthMethodRow[] {
    return this.#table.list(tenancy)
  }

  /** The methods of a tenancy in no order, while they are deleted: cheap to begin, whatever their number. */
  within(tenancy: Tenancy): Iterable<AuthMethodRow> {
    return this.#table.within(tenancy)
  }

  apply(event: Event, commit: Commit): void {
    if (!isAuthMethodEvent(event)) return
    const { AuthMethod } = event.Payload
    const tenancy = { partition: event.Partition, namespace: event.Namespace }
    if (event.Type === 'ACLAuthMethodUpserted') {
      const Config = { ...AuthMethod.Config, ...event.Secrets }
      this.#table.put(new AuthMethodRow({ ...AuthMethod, Config }, tenancy), commit.Index)
    } else this.#table.delete(methodKey(tenancy, AuthMethod.Name), commit.Index)
    this.#watch.touch('auth-methods')
    this.#watch.touch(`auth-methods/${spaceOf({ partition: event.Partition, namespace: event.Namespace })}`)
  }

  reset(): void {
    this.#table.clear()
  }

  *dump(): Iterable<unknown> {
    const key = (row: AuthMethodRow): string => methodKey(row.tenancy, row.method.Name)
    for (const row of [...this.#table.all()].toSorted((a, b) => (key(a) < key(b) ? -1 : 1)))
      yield [row.tenancy, row.method]
    yield this.index
  }
}
