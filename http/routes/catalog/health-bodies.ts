import { LRUCache } from 'lru-cache'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { ServiceInstances } from '../../../projections/catalog/services-by-namespace.js'

const MOST_BYTES = 64 * 2 ** 20
/** Estimated memory of an entry besides its body. */
const ENTRY_BYTES = 300

/** The instances of a group that a caller may see, and all headers that follow from them. */
export interface HealthBody {
  readonly body: string | Buffer
  /** True if instances were left out for want of permissions. */
  readonly isShortened: boolean
}

interface Entry {
  readonly index: number
  readonly body: Buffer
  readonly isShortened: boolean
}

/**
 * The serialized instances of service groups, by the permissions of the callers. An entry holds as long as the index of its group, which grows
 * with every change of an instance, its node or its checks. Memory: at most 64 MiB; the least recently used entries are evicted.
 */
export class HealthBodies {
  readonly #entries = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body }) => body.length + ENTRY_BYTES
  })
  readonly #numbers = new WeakMap<object, number>()
  #newest = 0

  /** Returns the body of a group for an authorizer, which `serialize` creates if there is none of this index. */
  of(group: ServiceInstances, authorizer: Authorizer, serialize: () => HealthBody): HealthBody {
    const key = `${this.#numberOf(group)} ${this.#numberOf(authorizer)}`
    const known = this.#entries.get(key)
    if (known?.index === group.index) return known
    const { body, isShortened } = serialize()
    const entry = { index: group.index, body: Buffer.from(body), isShortened }
    this.#entries.set(key, entry)
    return entry
  }

  #numberOf(object: object): number {
    let number = this.#numbers.get(object)
    if (number === undefined) this.#numbers.set(object, (number = ++this.#newest))
    return number
  }
}
