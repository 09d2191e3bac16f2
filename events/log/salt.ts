// Random bytes in small portions: drawn from the system many at a time, because each draw costs a microsecond.
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 4096

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Fresh random bytes from a cryptographic source; at most 4,096. No byte is handed out twice. */
export const randomPortion = (bytes: number): Buffer => {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  const portion = Buffer.from(pool.subarray(used, used + bytes))
  used += bytes
  return portion
}
