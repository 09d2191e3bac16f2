// Makes the events of configuration entries.
import {
  CONFIG_ENTRY_TOPIC,
  nameOfEntry,
  type ConfigEntry,
  type ConfigEntryDeleted,
  type ConfigEntryEvent,
  type ConfigEntryUpserted
} from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { makeEvent } from '../make-event.js'

const parts = (tenancy: Tenancy, entry: ConfigEntry) => {
  const name = nameOfEntry(entry)
  return {
    Topic: CONFIG_ENTRY_TOPIC,
    Key: `${entry.Kind}/${name.toLowerCase()}`,
    tenancy,
    FilterKeys: [entry.Kind, name],
    Payload: { ConfigEntry: entry }
  } as const
}

export const configEntryUpserted = (tenancy: Tenancy, entry: ConfigEntry): ConfigEntryUpserted =>
  makeEvent({ ...parts(tenancy, entry), Type: 'ConfigEntryUpserted' })

/** `entry` is its last state. */
export const configEntryDeleted = (tenancy: Tenancy, entry: ConfigEntry): ConfigEntryDeleted =>
  makeEvent({ ...parts(tenancy, entry), Type: 'ConfigEntryDeleted' })

/** The entry of an event with the tenancy in which it lives. */
export const placeOf = ({ Partition, Namespace }: ConfigEntryEvent): Tenancy => ({
  partition: Partition,
  namespace: Namespace || 'default'
})
