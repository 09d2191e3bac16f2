// Joins rows that are serialised already into the bytes of a JSON array.

const COMMA = 0x2c
const OPEN = 0x5b
const CLOSE = 0x5d
/** Most bytes of UTF-8 for one unit of UTF-16. */
const WIDEST = 3

/**
 * The bytes of a JSON array of elements that are texts already. Writing them one by one into one buffer costs about half
 * of joining the texts and encoding them then.
 */
export class JsonList {
  #bytes: Buffer
  #length = 0
  #isFresh = true

  /** @param expected about how many bytes there will be */
  constructor(expected = 4096) {
    this.#bytes = Buffer.allocUnsafe(expected + 64)
    this.#bytes[this.#length++] = OPEN
  }

  /** Number of bytes so far. */
  get length(): number {
    return this.#length
  }

  /** Where the next element will begin, behind its comma. */
  get nextAt(): number {
    return this.#isFresh ? this.#length : this.#length + 1
  }

  push(text: string): void {
    this.#reserve(text.length * WIDEST + 1)
    this.#separate()
    this.#length += this.#bytes.write(text, this.#length)
  }

  /** Adds elements, one at least, that are joined already. */
  pushJoined(elements: Buffer): void {
    this.#reserve(elements.length + 1)
    this.#separate()
    this.#length += elements.copy(this.#bytes, this.#length)
  }

  /** The whole array. The list is of no use afterwards. */
  end(): Buffer {
    this.#reserve(1)
    this.#bytes[this.#length++] = CLOSE
    return this.#bytes.subarray(0, this.#length)
  }

  #separate(): void {
    if (this.#isFresh) this.#isFresh = false
    else this.#bytes[this.#length++] = COMMA
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const wider = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes))
    this.#bytes.copy(wider, 0, 0, this.#length)
    this.#bytes = wider
  }
}
