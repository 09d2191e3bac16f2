// The only source of randomness. Decisions never draw from it: a command carries its new IDs and secrets.
import { randomBytes, randomFillSync } from 'node:crypto'
import { Lifecycle, scoped } from 'tsyringe'

const UUID_BYTES = 16
const UUID_LENGTH = 36
const DIGITS = Buffer.from('0123456789abcdef')
const HYPHEN = 0x2d

@scoped(Lifecycle.ContainerScoped)
export class Ids {
  /** A pool of random bytes, used up to `#used`. */
  readonly #pool = Buffer.alloc(256 * UUID_BYTES)
  #used = this.#pool.length
  readonly #text = Buffer.alloc(UUID_LENGTH)

  /** Returns a UUID (version 4) from a cryptographic source. Unlike that of `crypto.randomUUID`, it is a flat string, which Maps need not flatten. */
  uuid(): string {
    if (this.#used === this.#pool.length) {
      randomFillSync(this.#pool)
      this.#used = 0
    }
    const pool = this.#pool
    const from = this.#used
    this.#used += UUID_BYTES
    pool[from + 6] = ((pool[from + 6] ?? 0) & 0x0f) | 0x40
    pool[from + 8] = ((pool[from + 8] ?? 0) & 0x3f) | 0x80
    let to = 0
    for (let i = 0; i < UUID_BYTES; i++) {
      const byte = pool[from + i] ?? 0
      if (i === 4 || i === 6 || i === 8 || i === 10) this.#text[to++] = HYPHEN
      this.#text[to++] = DIGITS[byte >> 4] ?? 0
      this.#text[to++] = DIGITS[byte & 15] ?? 0
    }
    return this.#text.toString('latin1')
  }

  /** Returns random bytes from a cryptographic source as lower-case hexadecimal digits. */
  hex(bytes: number): string {
    return randomBytes(bytes).toString('hex')
  }
}
