// What decisions ask of the KV store, be it the stored one or an overlay on it.
import type { Tenancy } from '../../events/envelope.js'
import type { KvRow } from './kv-row.js'

export interface KvReader {
  get(tenancy: Tenancy, key: string): KvRow | undefined
  /** The entries whose keys begin with the prefix, in byte order. Cost: those entries. */
  under(tenancy: Tenancy, prefix: string): readonly KvRow[]
  /** The entries that a session of a tenancy holds there, in the order of their keys. Cost: those entries. */
  heldBy(tenancy: Tenancy, session: string): readonly KvRow[]
  /** Whether nobody may take the lock of a key yet. `at`: epoch milliseconds (state.md §5, lock-delay). */
  isDelayed(tenancy: Tenancy, key: string, at: number): boolean
}
