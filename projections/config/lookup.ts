// How the compiler of discovery chains and the checks of writes find entries.
import type { ConfigEntry, ConfigKind, EntryOf } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'

/**
 * A set of entries: those that are stored, or those that there would be after a write. An entry found is the
 * same object until it changes, so that two readings can be compared by identity.
 */
export interface ConfigLookup {
  /** The entry of this kind and name; letter case of the name does not matter. Cost: O(1). */
  get<Kind extends ConfigKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined
}

export const isOfKind = <Kind extends ConfigKind>(
  entry: ConfigEntry,
  kind: Kind
): entry is Extract<ConfigEntry, { readonly Kind: Kind }> => entry.Kind === kind
