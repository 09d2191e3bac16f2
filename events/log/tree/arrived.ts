// Hashes of records that were flushed and are not in the tree yet.
import { HASH_BYTES } from './tiles.js'

/** More than come in some seconds; what is not here is read from the records. */
const MOST = 65_536
const FIRST_SIZE = 1024

export class ArrivedHashes {
  #bytes = Buffer.alloc(FIRST_SIZE * HASH_BYTES)
  /** Index of the commit whose hash is the first. */
  #first = 1
  #count = 0

  /** Index of the first commit whose hash is here; Infinity when there is none. */
  get first(): number {
    return this.#count === 0 ? Infinity : this.#first
  }

  /** Takes the hashes of a flush, one behind the other. */
  add(first: number, hashes: Uint8Array): void {
    const count = hashes.length / HASH_BYTES
    if (this.#first + this.#count !== first || this.#count + count > MOST) {
      this.#first = first
      this.#count = 0
    }
    const end = this.#count * HASH_BYTES
    if (end + hashes.length > this.#bytes.length) {
      const grown = Buffer.alloc(Math.max(end + hashes.length, 2 * this.#bytes.length))
      this.#bytes.copy(grown, 0, 0, end)
      this.#bytes = grown
    }
    this.#bytes.set(hashes, end)
    this.#count += count
  }

  /**
   * Hands out the hashes from that of a commit on, and forgets those before it.
   * @returns one behind the other, as long as nothing is added; none when that of the commit is not here
   */
  take(from: number, most: number): Uint8Array {
    const before = Math.min(Math.max(from - this.#first, 0), this.#count)
    if (before > 0) {
      this.#bytes.copyWithin(0, before * HASH_BYTES, this.#count * HASH_BYTES)
      this.#first += before
      this.#count -= before
    }
    return this.#bytes.subarray(0, from === this.first ? Math.min(most, this.#count) * HASH_BYTES : 0)
  }
}
