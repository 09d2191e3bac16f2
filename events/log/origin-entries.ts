// The commits of each accessor and of each source address, by 32-bit hashes. Origins are erasable, so their entries can be removed.
import type { Origin } from '../envelope.js'
import { mix, OFFSET } from './identity-hash.js'

/** More commits of one hash than these are not listed in an index file: it then has one more. */
export const MOST_LISTED = 512

export const accessorHash = (accessor: string): number => mix(mix(OFFSET, 'accessor'), accessor) >>> 0

export const addressHash = (address: string): number => mix(mix(OFFSET, 'source address'), address) >>> 0

type IndexedOrigin = Pick<Origin, 'AccessorID' | 'Address'>

export class OriginEntries {
  readonly #commits = new Map<number, number[]>()
  /** Most commits have the origin of the one before. */
  #last: { readonly origin: IndexedOrigin; readonly hashes: readonly number[] } | undefined

  /** Adds a commit behind those before. Origins without accessor and address, such as erased ones, have no entries. */
  add({ AccessorID, Address }: IndexedOrigin, index: number): void {
    const { origin } = this.#last ?? {}
    if (origin?.AccessorID !== AccessorID || origin.Address !== Address) {
      const hashes = AccessorID === '' ? [] : [accessorHash(AccessorID)]
      if (Address !== '') hashes.push(addressHash(Address))
      this.#last = { origin: { AccessorID, Address }, hashes }
    }
    for (const hash of this.#last?.hashes ?? []) {
      const known = this.#commits.get(hash)
      if (known) known.push(index)
      else this.#commits.set(hash, [index])
    }
  }

  addAll(others: OriginEntries): void {
    for (const [hash, commits] of others.#commits) {
      const known = this.#commits.get(hash)
      if (!known) this.#commits.set(hash, commits.slice())
      else for (const index of commits) known.push(index)
    }
  }

  clear(): void {
    this.#commits.clear()
  }

  /** Removes the entries of commits whose origins are erased. */
  erase(commits: ReadonlySet<number>): void {
    this.#last = undefined
    for (const [hash, indexes] of this.#commits) {
      const others = indexes.filter(index => !commits.has(index))
      if (others.length > 0) this.#commits.set(hash, others)
      else this.#commits.delete(hash)
    }
  }

  /** Yields each hash with its ascending commits, at most `MOST_LISTED` and one more. */
  *listed(): Generator<readonly [hash: number, commits: readonly number[]]> {
    for (const [hash, commits] of this.#commits) yield [hash, commits.slice(0, MOST_LISTED + 1)]
  }
}
