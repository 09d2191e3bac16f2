import { type ExpiredResponses, expirationEvents } from '../events/retention.js'
import { type Event, type IdempotentResponse, OWNER_BYTES } from '../events/envelope.js'
import { type Projection, resourceFact, derivedState, type Fact } from './projection.js'

/** Counts keys per token. Keys are Base64 (`KeptAnswer.Key`). Tokens with equal hashes share a count. */
export class IdempotencyKeyCounts {
  readonly #counts = new Map<string, number>()

  /** The count of the token of a key. */
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

/** A text with one byte per character: half as long in memory as Base64. */
const packed = (key: string): string => Buffer.from(key, 'base64').toString('latin1')
const unpacked = (key: string): string => Buffer.from(key, 'latin1').toString('base64')

const NONE: ExpiredResponses = { UpTo: 0, Indexes: [] }

/** Indexes of commits with a response, by idempotency key. Costs: a look-up and a new key O(1) and 60 to 100 bytes, expiry O(expired keys). */
export class IdempotentResponses implements Projection {
  readonly topics = [expirationEvents.topic]
  /** Oldest first. */
  readonly #indexes = new Map<string, number>()
  readonly #owned = new IdempotencyKeyCounts()
  #forgotten = NONE
  readonly memory = {
    keys: derivedState<readonly [key: string, index: number]>({
      clear: () => this.#clear(),
      save: () => this.#saved(),
      load: ([key, index]) => this.#add(key, index)
    })
  }

  get size(): number {
    return this.#indexes.size
  }

  /** The count of the token of a key. */
  countOf(key: string): number {
    return this.#owned.countOf(key)
  }

  get forgotten(): ExpiredResponses {
    return this.#forgotten
  }

  /** Index of the commit with the response of an idempotency key (`KeptAnswer.Key`); undefined for none. */
  find(key: string): number | undefined {
    return this.#indexes.get(packed(key))
  }

  /** Indexes of the oldest responses up to a commit, ascending, at most `limit`. */
  oldest(upTo: number, limit: number): readonly number[] {
    const indexes: number[] = []
    for (const index of this.#indexes.values()) {
      if (index > upTo || indexes.length === limit) break
      indexes.push(index)
    }
    return indexes
  }

  keep({ Key }: IdempotentResponse, index: number): void {
    this.#add(Key, index)
  }

  apply(event: Event): void {
    if (!expirationEvents.is(event)) return
    this.#forgotten = event.Payload.Answers
    for (const [key, index] of this.#indexes) {
      if (index > this.#forgotten.UpTo) break
      this.#indexes.delete(key)
      this.#owned.remove(unpacked(key))
    }
  }

  *facts(): Iterable<Fact> {
    if (this.#forgotten.UpTo > 0) yield resourceFact(expirationEvents, this.#forgotten, { Index: 0 })
  }

  reset(): void {
    this.#clear()
    this.#forgotten = NONE
  }

  #add(key: string, index: number): void {
    const own = packed(key)
    // Deleted first, so that the order of the map is that of the indexes.
    if (!this.#indexes.delete(own)) this.#owned.add(key)
    this.#indexes.set(own, index)
  }

  #clear(): void {
    this.#indexes.clear()
    this.#owned.clear()
  }

  *#saved(): Iterable<readonly [key: string, index: number]> {
    for (const [key, index] of this.#indexes) yield [unpacked(key), index]
  }
}
