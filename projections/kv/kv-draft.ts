// Changes on top of the KV store, for a transaction: read as if they had happened, while the store stays as it is.
import type { Tenancy } from '../../events/envelope.js'
import type { KvEvent } from '../../events/kv.js'
import { byText, spaceOf } from '../row-table.js'
import { tenancyOf } from '../tenancy-of.js'
import { isBefore } from './key-tree.js'
import type { KvReader } from './kv-reader.js'
import { KvRow } from './kv-row.js'

/** A look-up costs O(1) more than in the store; a list also costs the number of changes. */
export class KvDraft implements KvReader {
  readonly #below: KvReader
  /** By space and key; the row is undefined for a key that was removed. */
  readonly #changes = new Map<string, { readonly key: string; readonly row: KvRow | undefined }>()

  constructor(below: KvReader) {
    this.#below = below
  }

  get(tenancy: Tenancy, key: string): KvRow | undefined {
    const change = this.#changes.get(`${spaceOf(tenancy)}/${key}`)
    return change ? change.row : this.#below.get(tenancy, key)
  }

  under(tenancy: Tenancy, prefix: string): readonly KvRow[] {
    const below = this.#below.under(tenancy, prefix)
    if (this.#changes.size === 0) return below
    const space = `${spaceOf(tenancy)}/`
    const rows = below.filter(row => !this.#changes.has(space + row.key))
    for (const [name, { key, row }] of this.#changes)
      if (row && name.startsWith(space) && key.startsWith(prefix)) rows.push(row)
    return rows.toSorted((a, b) => (isBefore(a.key, b.key) ? -1 : 1))
  }

  heldBy(session: string): readonly KvRow[] {
    const rows = this.#below
      .heldBy(session)
      .filter(row => !this.#changes.has(`${spaceOf(row.tenancy)}/${row.key}`))
    for (const { row } of this.#changes.values())
      if (row && row.session.toLowerCase() === session.toLowerCase()) rows.push(row)
    return rows.toSorted((a, b) => byText(a.key, b.key))
  }

  /** Delays of sessions that end within the draft begin with its commit. */
  delayedUntil(tenancy: Tenancy, key: string): number {
    return this.#below.delayedUntil(tenancy, key)
  }

  apply(event: KvEvent): void {
    const tenancy = tenancyOf(event)
    const row = event.Type === 'KVDelete' ? undefined : new KvRow(event.Payload.KV, tenancy)
    this.#changes.set(`${spaceOf(tenancy)}/${event.Key}`, { key: event.Key, row })
  }
}
