// The configuration entries with the uncommitted changes of a decision.
import {
  nameOfEntry,
  type ConfigEntry,
  type ConfigEntryEvent,
  type ConfigKind
} from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import type { TableOverlay } from '../overlay.js'
import { entryKey, tenancyOfEntry } from './names.js'
import { EntryReader, type StoredEntryState } from './reader.js'
import { toRow, type EntryIndex, type EntryRow, type PerKind } from './rows.js'

export class ConfigOverlay extends EntryReader {
  constructor(
    private readonly overlaid: PerKind<TableOverlay<EntryRow, EntryIndex>>,
    standing: StoredEntryState
  ) {
    super(overlaid, standing)
  }

  put(entry: ConfigEntry, tenancy: Tenancy): void {
    this.overlaid[entry.Kind].put(toRow(entry, tenancy))
  }

  remove(kind: ConfigKind, name: string, tenancy: Tenancy): void {
    this.overlaid[kind].remove(entryKey(kind, name, tenancy))
  }

  apply(event: ConfigEntryEvent): void {
    const entry = event.Payload.ConfigEntry
    if (event.Type === 'ConfigEntryUpserted') this.put(entry, tenancyOfEntry(event))
    else this.remove(entry.Kind, nameOfEntry(entry), tenancyOfEntry(event))
  }
}
