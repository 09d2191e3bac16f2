import { cacheLimits } from '../../../events/cache-limits.js'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../actors/clock.js'
import { subscriberOf } from '../../../projections/ip-address.js'

/** Beyond this number, the addresses used least recently are dropped. */
const MOST_ADDRESSES = 20_000

interface Allowance {
  left: number
  /** A time of `Clock.elapsed`. */
  at: number
  /** True if the log has reported this address since its bucket was last full. */
  isLogged: boolean
}

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** An IPv6 /64 network counts as one address. A lookup costs O(1). */
export class AddressAllowances {
  readonly #allowances = new LRUCache<string, Allowance>(cacheLimits(MOST_ADDRESSES))

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#allowances.size
  }

  of(address: string, { perSecond, burst }: Rate): Allowance {
    const key = subscriberOf(address)
    const at = this.clock.elapsed()
    const known = this.#allowances.get(key)
    const left = known ? known.left + ((at - known.at) / 1000) * perSecond : burst
    const isWhole = left >= burst
    const allowance = { left: Math.min(left, burst), at, isLogged: !isWhole && known?.isLogged === true }
    this.#allowances.set(key, allowance)
    return allowance
  }

  take(address: string, rate: Rate): boolean {
    const allowance = this.of(address, rate)
    if (allowance.left < 1) return false
    allowance.left--
    return true
  }
}
