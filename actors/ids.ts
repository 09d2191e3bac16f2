// The only source of randomness. Decisions never draw from it: new IDs and secrets arrive with the command.
import { randomBytes, randomFillSync } from 'node:crypto'
import { Lifecycle, scoped } from 'tsyringe'

const UUID_BYTES = 16
const UUID_LENGTH = 36
const DIGITS = Buffer.from('0123456789abcdef')
const HYPHEN = 0x2d

@scoped(Lifecycle.ContainerScoped)
export class Ids {
  /** Random bytes that are drawn many at a time; those before `#used` were handed out. */
  readonly #pool = Buffer.alloc(256 * UUID_BYTES)
  #used = this.#pool.length
  readonly #text = Buffer.alloc(UUID_LENGTH)

  /**
   * A random UUID (version 4) from a cryptographic source, fit to be a secret. Made as one flat text: that of
   * `crypto.randomUUID` is a chain of pieces, which each Map that it becomes a key of has to join first.
   */
  uuid(): string {
    if (this.#used === this.#pool.length) {
      randomFillSync(this.#pool)
      this.#used = 0
    }
    let to = 0
    for (let i = 0; i < UUID_BYTES; i++) {
      const byte = marked(i, this.#pool[this.#used++] ?? 0)
      if (i === 4 || i === 6 || i === 8 || i === 10) this.#text[to++] = HYPHEN
      this.#text[to++] = DIGITS[byte >> 4] ?? 0
      this.#text[to++] = DIGITS[byte & 15] ?? 0
    }
    return this.#text.toString('latin1')
  }

  /** So many random bytes from a cryptographic source, as lower-case hexadecimal digits. */
  hex(bytes: number): string {
    return randomBytes(bytes).toString('hex')
  }
}

/** The byte at a place of a UUID, with the bits that tell version and variant. */
const marked = (place: number, byte: number): number =>
  place === 6 ? (byte & 0x0f) | 0x40 : place === 8 ? (byte & 0x3f) | 0x80 : byte
