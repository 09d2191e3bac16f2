// Makes the events of KV entries.
import type { Tenancy } from '../../events/envelope.js'
import { foldersOf, KV_TOPIC, type KvDelete, type KvEntry, type KvEvent } from '../../events/kv.js'
import type { KvRow } from '../../projections/kv/kv-row.js'
import { shownTenancy } from '../../projections/shown-tenancy.js'
import { makeEvent } from '../make-event.js'

const happened = <const Type extends KvEvent['Type']>(Type: Type, tenancy: Tenancy, entry: KvEntry) =>
  makeEvent({
    Topic: KV_TOPIC,
    Type,
    Key: entry.Key,
    tenancy,
    FilterKeys: foldersOf(entry.Key),
    Payload: { KV: { ...entry, ...shownTenancy(tenancy) } }
  })

/** What a write did to an entry, as its event says. */
export type KvChange = 'KVSet' | 'KVLock' | 'KVUnlock'

export const kvWritten = (change: KvChange, tenancy: Tenancy, entry: KvEntry): KvEvent =>
  happened(change, tenancy, entry)

export const kvDeleted = ({ tenancy, entry }: KvRow): KvDelete => happened('KVDelete', tenancy, entry)

/** The lock of an entry is given back; the value stays. */
export const kvReleased = ({ tenancy, entry }: KvRow, index: number): KvEvent => {
  const { Session: _, ...rest } = entry
  return happened('KVUnlock', tenancy, { ...rest, ModifyIndex: index })
}
