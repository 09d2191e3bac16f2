// Seeded random numbers, so that a failure can be repeated.

export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** A whole number, at least 0, below `limit`. */
  below(limit: number): number
  /** A version 4 UUID. */
  uuid(): string
}

/** Mulberry32: 32 bits of state, good enough to choose what a test does. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => below(16).toString(16)).join('')
  const uuid = (): string =>
    `${hex(8)}-${hex(4)}-4${hex(3)}-${(8 + below(4)).toString(16)}${hex(3)}-${hex(12)}`
  return { next, below, uuid }
}
