import { type ConfigEntry, type ConfigKind, isConfigKind, type EntryOf } from '../../events/config-entry.js'
import { entryKey, type ServiceName } from './names.js'
import { type EntryIndex, type EntryRow, isOfKind, ANY_L7, type ConfigLookup } from './rows.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Table } from '../table.js'
import type { ProxyDefaultsDependents } from './proxy-defaults-dependents.js'

/** The state of the stored entries, without the changes of a draft. */
interface StoredEntryState {
  /** Services with changes that were not validated. */
  readonly unchecked: {
    /** True if no partition has any. */
    readonly isEmpty: boolean
    /** In no order. */
    of(partition: string): Iterable<ServiceName>
    /** True after an unchecked change of the default protocol of a partition. */
    hasDefaults(partition: string): boolean
  }
  readonly dependents: Pick<ProxyDefaultsDependents, 'of'>
}

/** Entries as stored, or after a write. A look-up costs O(1), a list its entries; on a draft also the changes. */
export class EntryReader implements ConfigLookup, StoredEntryState {
  readonly unchecked: StoredEntryState['unchecked']
  readonly dependents: StoredEntryState['dependents']

  constructor(
    private readonly tables: Readonly<Record<ConfigKind, Table<EntryRow, never, EntryIndex>>>,
    { unchecked, dependents }: StoredEntryState
  ) {
    this.unchecked = unchecked
    this.dependents = dependents
  }

  row(kind: ConfigKind, name: string, tenancy: Tenancy): EntryRow | undefined {
    return this.tables[kind].get(entryKey(kind, name, tenancy))
  }

  get<Kind extends ConfigKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined
  get(kind: ConfigKind, name: string, tenancy: Tenancy): ConfigEntry | undefined {
    const entry = this.row(kind, name, tenancy)?.entry
    return entry && isOfKind(entry, kind) ? entry : undefined
  }

  /** Accepts a text that may not be a kind. */
  find(kind: string, name: string, tenancy: Tenancy): EntryRow | undefined {
    return isConfigKind(kind) ? this.row(kind, name, tenancy) : undefined
  }

  /** In no order. */
  inPartition(kind: ConfigKind, partition: string): Iterable<EntryRow> {
    return this.tables[kind].sharing('partition', partition)
  }

  /** The entries of a kind that name a service (a key of `serviceKey`) directly, in no order. */
  naming(kind: ConfigKind, service: string): Iterable<EntryRow> {
    return this.tables[kind].sharing('names', service)
  }

  get hasL7Intentions(): boolean {
    return this.tables['service-intentions'].isShared('l7', ANY_L7)
  }

  /** Intentions on a service (a key of `serviceKey`), in no order. */
  l7IntentionsOn(service: string): Iterable<EntryRow> {
    return this.tables['service-intentions'].sharing('l7', service)
  }
}
