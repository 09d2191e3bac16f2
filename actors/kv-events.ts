import type { Tenancy } from '../events/envelope.js'
import { type KvDelete, type KvEntry, type KvEvent, kvEvents } from '../events/kv.js'
import type { KvRow } from '../projections/kv/kv-row.js'
import { tenancyViewOf } from '../projections/tenancy-view.js'

export const kvEvent = <const Type extends KvEvent['Type']>(Type: Type, tenancy: Tenancy, entry: KvEntry) =>
  kvEvents.create(Type, tenancy, { ...entry, ...tenancyViewOf(tenancy) })

export const kvDeleted = ({ tenancy, entry }: KvRow): KvDelete => kvEvent('KVDelete', tenancy, entry)

export const kvReleased = ({ tenancy, entry }: KvRow, index: number): KvEvent => {
  const { Key, Value, Flags, LockIndex, CreateIndex } = entry
  return kvEvent('KVUnlock', tenancy, { Key, Value, Flags, LockIndex, CreateIndex, ModifyIndex: index })
}
