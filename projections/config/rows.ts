import { nameOfEntry, type ConfigEntry, type ConfigKind, type EntryOf } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import type { TableSpec } from '../row-table.js'
import { TableDraft } from '../table-draft.js'
import { Table } from '../table.js'
import {
  anyServiceKeys,
  entryKey,
  hasPermissions,
  intentionIds,
  namedKeys,
  serviceKey,
  sourceKeys
} from './names.js'

/** A set of entries. An entry is the same object until it changes, so that two reads can be compared by identity. */
export interface ConfigLookup {
  /** Finds an entry in any letter case of the name. Cost: O(1). */
  get<Kind extends ConfigKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined
}

export const isOfKind = <Kind extends ConfigKind>(
  entry: ConfigEntry,
  kind: Kind
): entry is Extract<ConfigEntry, { readonly Kind: Kind }> => entry.Kind === kind

/** Texts of an entry are created at the first read of them. */
export class EntryRow {
  /** Present for the mesh entry too. */
  readonly name: string
  #json: string | undefined
  #named: readonly string[] | undefined
  #sources: readonly string[] | undefined

  constructor(
    readonly entry: ConfigEntry,
    readonly tenancy: Tenancy
  ) {
    this.name = nameOfEntry(entry)
  }

  get json(): string {
    return (this.#json ??= JSON.stringify(this.entry))
  }

  /** See `namedKeys`. */
  get named(): readonly string[] {
    return (this.#named ??= namedKeys(this.entry, this.tenancy))
  }

  /** See `sourceKeys`. */
  get sources(): readonly string[] {
    return (this.#sources ??= sourceKeys(this.entry, this.tenancy))
  }

  /** Keys of every service that the entry mentions: named services, `*` of a gateway, and sources. */
  get mentioned(): readonly string[] {
    return [...this.named, ...anyServiceKeys(this.entry, this.tenancy), ...this.sources]
  }
}

export const perKind = <T>(make: (kind: ConfigKind) => T): Record<ConfigKind, T> => ({
  'exported-services': make('exported-services'),
  'ingress-gateway': make('ingress-gateway'),
  mesh: make('mesh'),
  'proxy-defaults': make('proxy-defaults'),
  'service-defaults': make('service-defaults'),
  'service-intentions': make('service-intentions'),
  'service-resolver': make('service-resolver'),
  'service-router': make('service-router'),
  'service-splitter': make('service-splitter'),
  'terminating-gateway': make('terminating-gateway')
})

export const ANY_L7 = '*'

export type EntryIndex = 'names' | 'sources' | 'ids' | 'l7' | 'partition'

/** @param below the stored entries under a draft */
export const entryTable = (
  kind: ConfigKind,
  below?: Table<EntryRow, never, EntryIndex>
): Table<EntryRow, never, EntryIndex> => {
  const spec: TableSpec<EntryRow, never, EntryIndex> = {
    key: row => entryKey(kind, row.name, row.tenancy),
    tenancy: row => row.tenancy,
    order: row => row.name.toLowerCase(),
    unique: {},
    multi: {
      names: row => row.named,
      sources: row => row.sources,
      ids: row => intentionIds(row.entry),
      partition: row => [row.tenancy.partition],
      l7: row => (hasPermissions(row.entry) ? [ANY_L7, serviceKey(row.name, row.tenancy)] : [])
    }
  }
  return below ? new TableDraft(spec, below) : new Table(spec)
}
