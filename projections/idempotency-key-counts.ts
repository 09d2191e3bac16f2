// How many idempotency keys each token has.
import { OWNER_BYTES } from '../events/idempotent-response.js'

/** Keys are given as Base64 (`KeptAnswer.Key`). Tokens whose hashes are the same by chance count as one. */
export class IdempotencyKeyCounts {
  readonly #counts = new Map<string, number>()

  /** Of the token that a key belongs to. */
  countOf(key: string): number {
    return this.#counts.get(ownerOf(key)) ?? 0
  }

  add(key: string): void {
    const owner = ownerOf(key)
    this.#counts.set(owner, (this.#counts.get(owner) ?? 0) + 1)
  }

  remove(key: string): void {
    const owner = ownerOf(key)
    const left = (this.#counts.get(owner) ?? 0) - 1
    if (left > 0) this.#counts.set(owner, left)
    else this.#counts.delete(owner)
  }

  clear(): void {
    this.#counts.clear()
  }
}

const ownerOf = (key: string): string => Buffer.from(key, 'base64').toString('latin1', 0, OWNER_BYTES)
