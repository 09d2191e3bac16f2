// What decisions ask of the configuration entries: those stored, or those that there would be after a write.
import { isConfigKind, type ConfigEntry, type ConfigKind, type EntryOf } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import type { TableReader } from '../row-table.js'
import { isOfKind, ANY_L7 } from './rows.js'
import type { ConfigLookup, EntryIndex, EntryRow, PerKind } from './rows.js'
import { entryKey, type ServiceName } from './names.js'
import type { ProxyDefaultsDependents } from './proxy-defaults-dependents.js'

/** What is known of the entries stored; what an overlay changes is not in it. */
export interface StoredEntryState {
  /** What writes may have broken without having been checked. */
  readonly unchecked: {
    /** Of all partitions. */
    readonly isEmpty: boolean
    /** The services of a partition, in no order. */
    of(partition: string): Iterable<ServiceName>
    /** Whether the default protocol of a partition changed and nothing was checked. */
    hasDefaults(partition: string): boolean
  }
  /** What another default protocol concerns. */
  readonly takers: Pick<ProxyDefaultsDependents, 'of'>
}

/**
 * Entries as they are, or as they would be after a write. A look-up costs O(1), a list its entries; on an
 * overlay also the changes.
 */
export class EntryReader implements ConfigLookup, StoredEntryState {
  readonly unchecked: StoredEntryState['unchecked']
  readonly takers: StoredEntryState['takers']

  constructor(
    private readonly tables: PerKind<TableReader<EntryRow, EntryIndex>>,
    { unchecked, takers }: StoredEntryState
  ) {
    this.unchecked = unchecked
    this.takers = takers
  }

  row(kind: ConfigKind, name: string, tenancy: Tenancy): EntryRow | undefined {
    return this.tables[kind].get(entryKey(kind, name, tenancy))
  }

  get<Kind extends ConfigKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined
  get(kind: ConfigKind, name: string, tenancy: Tenancy): ConfigEntry | undefined {
    const entry = this.row(kind, name, tenancy)?.entry
    return entry && isOfKind(entry, kind) ? entry : undefined
  }

  /** The row of a kind that may not be one. */
  find(kind: string, name: string, tenancy: Tenancy): EntryRow | undefined {
    return isConfigKind(kind) ? this.row(kind, name, tenancy) : undefined
  }

  /** The entries of a kind in all namespaces of a partition, in no order. */
  inPartition(kind: ConfigKind, partition: string): Iterable<EntryRow> {
    return this.tables[kind].sharing('partition', partition)
  }

  /** The entries of a kind that name a service (a key of `serviceKey`) directly, in no order. */
  naming(kind: ConfigKind, service: string): Iterable<EntryRow> {
    return this.tables[kind].sharing('names', service)
  }

  /** Whether there are any intentions with L7 permissions. */
  get hasL7Intentions(): boolean {
    const [any] = this.l7IntentionsOn(ANY_L7)
    return any !== undefined
  }

  /** The intentions with L7 permissions on a service (a key of `serviceKey`), in no order. */
  l7IntentionsOn(service: string): Iterable<EntryRow> {
    return this.tables['service-intentions'].sharing('l7', service)
  }
}
