// The rows of configuration entries, and a table of them for each kind.
import { nameOfEntry, type ConfigEntry, type ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { Table } from '../table.js'
import { entryKey, hasPermissions, intentionIds, namedKeys, serviceKey, sourceKeys } from './names.js'

export interface EntryRow {
  readonly entry: ConfigEntry
  /** The name, also of the mesh entry. */
  readonly name: string
  readonly tenancy: Tenancy
  /** The answer of a read, serialised once. */
  readonly json: string
}

export const toRow = (entry: ConfigEntry, tenancy: Tenancy): EntryRow => ({
  entry,
  name: nameOfEntry(entry),
  tenancy,
  json: JSON.stringify(entry)
})

export type PerKind<T> = Readonly<Record<ConfigKind, T>>

export const perKind = <T>(make: (kind: ConfigKind) => T): PerKind<T> => ({
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

/** Stands for all intentions with L7 permissions among the keys of their destinations. */
export const ANY_L7 = '*'

export type EntryIndex = 'names' | 'sources' | 'ids' | 'l7' | 'partition'

export const entryTable = (kind: ConfigKind): Table<EntryRow, never, EntryIndex> =>
  new Table<EntryRow, never, EntryIndex>({
    key: row => entryKey(kind, row.name, row.tenancy),
    tenancy: row => row.tenancy,
    order: row => row.name.toLowerCase(),
    unique: {},
    multi: {
      names: row => namedKeys(row.entry, row.tenancy),
      sources: row => sourceKeys(row.entry, row.tenancy),
      ids: row => intentionIds(row.entry),
      partition: row => [row.tenancy.partition],
      l7: row => (hasPermissions(row.entry) ? [ANY_L7, serviceKey(row.name, row.tenancy)] : [])
    }
  })
