// Token buckets by client address: so many at once, and so many a second afterwards.
import type { Clock } from '../../../actors/clock.js'
import { subscriberOf } from '../../../projections/ip-address.js'
import { LruMap } from '../lru-map.js'

/** More addresses are not kept: those that were counted longest ago are dropped. */
const MOST_ADDRESSES = 20_000

/** The remaining allowance of an address at a time. */
interface Allowance {
  left: number
  /** A time of `Clock.elapsed`. */
  at: number
  /** Whether the log names this address as one without an allowance, which has not been whole since. */
  isLogged: boolean
}

/** How much an address may do. */
interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** An IPv6 network of 64 bits counts as one address. A look-up costs O(1). */
export class AddressAllowances {
  /** In the order in which they were last counted. */
  readonly #allowances = new LruMap<string, Allowance>(MOST_ADDRESSES)

  constructor(private readonly clock: Clock) {}

  /** Addresses that are kept. */
  get size(): number {
    return this.#allowances.size
  }

  /** The current allowance of an address. */
  of(address: string, { perSecond, burst }: Rate): Allowance {
    const key = subscriberOf(address)
    const at = this.clock.elapsed()
    const known = this.#allowances.get(key)
    const left = known ? known.left + ((at - known.at) / 1000) * perSecond : burst
    const isWhole = left >= burst
    const allowance = {
      left: Math.min(left, burst),
      at,
      isLogged: !isWhole && known?.isLogged === true
    }
    this.#allowances.set(key, allowance)
    return allowance
  }

  /** Takes one from the allowance of an address. Returns whether there was one. */
  take(address: string, rate: Rate): boolean {
    const allowance = this.of(address, rate)
    if (allowance.left < 1) return false
    allowance.left--
    return true
  }
}
