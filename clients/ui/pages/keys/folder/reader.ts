// Reads the keys that are in view, several by one transaction; of what was, one after the other.
import type { Connection } from '../../../../typescript/connection.js'
import type { Fields } from '../../../things/kind.js'
import { asked, moment } from '../../../past/moment.js'
import { keyRowOf, kvPath, type KeyRow, type Space } from '../entry.js'

/** Operations of a transaction; the server takes 64 unless its settings say less. */
const AT_ONCE = 32

interface Results {
  readonly Results: readonly { readonly KV: Fields }[] | null
}

export class KeyReader {
  #wanted: readonly string[] = []
  /** Those that were asked for: what may not be read is not asked for again. */
  readonly #asked = new Set<string>()
  #isReading = false

  /** @param show gets the keys that are there and may be read */
  constructor(
    private readonly connection: Connection,
    private readonly space: Space,
    private readonly show: (rows: readonly KeyRow[]) => void,
    private readonly fail: (error: unknown) => void
  ) {
  }

  /** These are in view now, and not known: those that were before and are not, are not asked for any more. */
  want(names: readonly string[]): void {
    this.#wanted = names.filter(name => !this.#asked.has(name))
    if (this.#isReading || this.#wanted.length === 0) return
    this.#isReading = true
    this.#read().catch(this.fail)
  }

  async #read(): Promise<void> {
    try {
      while (this.#wanted.length > 0) {
        const names = this.#wanted.slice(0, AT_ONCE)
        this.#wanted = this.#wanted.slice(AT_ONCE)
        for (const name of names) this.#asked.add(name)
        const entries = await (moment.peek() === undefined ? this.#now(names) : this.#then(names))
        this.show(entries.map(keyRowOf).filter(({ index }) => index > 0))
      }
    } finally {
      this.#isReading = false
    }
  }
  async #now(names: readonly string[]): Promise<readonly Fields[]> {
    const { ns, partition } = this.space
    const body = names.map(Key => ({ KV: { Verb: 'get-or-empty', Key, Namespace: ns } }))
    const answer = await this.connection.request('PUT', '/v1/txn', { query: { partition }, body })
    const { Results } = await answer.json<Results>()
    return (Results ?? []).map(({ KV }) => KV)
  }

  /** No transaction reads what was. */
  async #then(names: readonly string[]): Promise<readonly Fields[]> {
    const entries: Fields[] = []
    for (const name of names) {
      const path = kvPath(name)
      const answer = await this.connection.request('GET', path, { query: asked(path, { ...this.space }) })
      entries.push(...(await answer.json<readonly Fields[]>()))
    }
    return entries
  }
}
