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
  /** By space, then key; null for a key that was removed. */
  readonly #changes = new Map<string, Map<string, KvRow | null>>()

  constructor(below: KvReader) {
    this.#below = below
  }

  get(tenancy: Tenancy, key: string): KvRow | undefined {
    const change = this.#changeOf(tenancy, key)
    return change === undefined ? this.#below.get(tenancy, key) : (change ?? undefined)
  }

  under(tenancy: Tenancy, prefix: string): readonly KvRow[] {
    const below = this.#below.under(tenancy, prefix)
    const changes = this.#changes.get(spaceOf(tenancy))
    if (!changes) return below
    const rows = below.filter(row => !changes.has(row.key))
    for (const row of changes.values()) if (row?.key.startsWith(prefix)) rows.push(row)
    return rows.toSorted((a, b) => (isBefore(a.key, b.key) ? -1 : 1))
  }

  heldBy(session: string): readonly KvRow[] {
    const holder = session.toLowerCase()
    const rows = this.#below.heldBy(session).filter(row => this.#changeOf(row.tenancy, row.key) === undefined)
    for (const changes of this.#changes.values())
      for (const row of changes.values()) if (row?.session.toLowerCase() === holder) rows.push(row)
    return rows.toSorted((a, b) => byText(a.key, b.key))
  }

  /** Delays of sessions that end within the draft begin with its commit. */
  isDelayed(tenancy: Tenancy, key: string, at: number): boolean {
    return this.#below.isDelayed(tenancy, key, at)
  }

  apply(event: KvEvent): void {
    const tenancy = tenancyOf(event)
    const space = spaceOf(tenancy)
    let changes = this.#changes.get(space)
    if (!changes) this.#changes.set(space, (changes = new Map()))
    changes.set(event.Key, event.Type === 'KVDelete' ? null : new KvRow(event.Payload.KV, tenancy))
  }

  #changeOf(tenancy: Tenancy, key: string): KvRow | null | undefined {
    return this.#changes.get(spaceOf(tenancy))?.get(key)
  }
}
