// Read model of the configuration entries.
import {
  CONFIG_ENTRY_TOPIC,
  CONFIG_KINDS,
  isConfigEntryEvent,
  nameOfEntry,
  type ConfigEntry,
  type ConfigKind,
  type EntryOf
} from '../../events/config-entry.js'
import type { Commit, Event, Tenancy } from '../../events/envelope.js'
import type { Projection } from '../projection.js'
import { spaceOf, Table } from '../table.js'
import type { Watch } from '../watch.js'
import { isOfKind, type ConfigLookup } from './lookup.js'
import { entryKey, homeOf, namedKeys } from './names.js'

export interface EntryRow {
  readonly entry: ConfigEntry
  /** The name, also of the mesh entry. */
  readonly name: string
  readonly tenancy: Tenancy
  /** The answer of a read, serialised once. */
  readonly json: string
}

const toRow = (entry: ConfigEntry, tenancy: Tenancy): EntryRow => ({
  entry,
  name: nameOfEntry(entry),
  tenancy,
  json: JSON.stringify(entry)
})

type Tables = Readonly<Record<ConfigKind, Table<EntryRow, never, 'names' | 'l7'>>>

const makeTable = (kind: ConfigKind): Tables[ConfigKind] =>
  new Table({
    key: row => entryKey(kind, row.name, row.tenancy),
    tenancy: row => row.tenancy,
    order: row => row.name.toLowerCase(),
    unique: {},
    multi: {
      names: row => namedKeys(row.entry, row.tenancy),
      l7: row => (hasPermissions(row.entry) ? [row.tenancy.partition] : [])
    }
  })

/** Whether intentions have permissions that only L7 proxies can enforce. */
const hasPermissions = (entry: ConfigEntry): boolean =>
  entry.Kind === 'service-intentions' &&
  entry.Name !== '*' &&
  entry.Sources.some(({ Permissions }) => Permissions !== undefined)

/**
 * Entries by kind, tenancy and name, with the services that they name directly. Costs: a look-up O(1), a change O(names
 * in the entry), a list O(entries of the kind in the tenancy). About 1 kB an entry besides its text.
 * Watch keys: `config` for any change, `config/<kind>` for a kind, `config/<kind>/<partition>/<namespace>` for a list,
 * and `entryWatchKey` for one entry.
 */
export class ConfigEntries implements Projection, ConfigLookup {
  readonly topics = [CONFIG_ENTRY_TOPIC]
  readonly #watch: Watch
  readonly #tables: Tables = {
    'ingress-gateway': makeTable('ingress-gateway'),
    mesh: makeTable('mesh'),
    'proxy-defaults': makeTable('proxy-defaults'),
    'service-defaults': makeTable('service-defaults'),
    'service-intentions': makeTable('service-intentions'),
    'service-resolver': makeTable('service-resolver'),
    'service-router': makeTable('service-router'),
    'service-splitter': makeTable('service-splitter'),
    'terminating-gateway': makeTable('terminating-gateway')
  }
  #index = 0

  constructor(watch: Watch) {
    this.#watch = watch
  }

  /** Index of the last change of any entry of any kind. */
  get index(): number {
    return this.#index
  }

  row(kind: ConfigKind, name: string, tenancy: Tenancy): EntryRow | undefined {
    return this.#tables[kind].get(entryKey(kind, name, tenancy))
  }

  get<Kind extends ConfigKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined
  get(kind: ConfigKind, name: string, tenancy: Tenancy): ConfigEntry | undefined {
    const entry = this.row(kind, name, tenancy)?.entry
    return entry && isOfKind(entry, kind) ? entry : undefined
  }

  /** The entries of a kind in a tenancy, by lower-cased name. */
  list(kind: ConfigKind, tenancy: Tenancy): readonly EntryRow[] {
    return this.#tables[kind].list(homeOf(kind, tenancy))
  }

  /** The entries of a kind in all namespaces of a partition, namespace by namespace. */
  listAll(kind: ConfigKind, partition: string): EntryRow[] {
    const table = this.#tables[kind]
    return table
      .spaces()
      .filter(space => space.startsWith(`${partition}/`))
      .flatMap(space => [...table.list({ partition, namespace: space.slice(partition.length + 1) })])
  }

  /** The entries of a kind that name a service (a key of `serviceKey`) directly, in no order. */
  naming(kind: ConfigKind, service: string): Iterable<EntryRow> {
    return this.#tables[kind].sharing('names', service)
  }

  /** The intentions with L7 permissions in a partition, in no order. */
  l7Intentions(partition: string): ReadonlySet<EntryRow> {
    return this.#tables['service-intentions'].sharing('l7', partition)
  }

  apply(event: Event, commit: Commit): void {
    if (!isConfigEntryEvent(event)) return
    const entry = event.Payload.ConfigEntry
    const kind = entry.Kind
    const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
    const key = entryKey(kind, nameOfEntry(entry), tenancy)
    if (event.Type === 'ConfigEntryUpserted') this.#tables[kind].put(toRow(entry, tenancy), commit.Index)
    else this.#tables[kind].delete(key, commit.Index)
    this.#index = commit.Index
    this.#watch.touch('config')
    this.#watch.touch(`config/${kind}`)
    this.#watch.touch(`config/${kind}/${spaceOf(tenancy)}`)
    this.#watch.touch(`config/${key}`)
  }

  reset(): void {
    for (const kind of CONFIG_KINDS) this.#tables[kind].clear()
    this.#index = 0
  }

  *dump(): Iterable<unknown> {
    for (const kind of CONFIG_KINDS)
      for (const space of this.#tables[kind].spaces()) {
        const [partition = '', namespace = ''] = space.split('/')
        for (const row of this.#tables[kind].list({ partition, namespace })) yield [row.tenancy, row.entry]
      }
    yield this.#index
  }
}
