// Random bytes in small portions: drawn from the system many at a time, because each draw costs a microsecond.
import { randomFillSync } from 'node:crypto'

const POOL_BYTES = 16_384

const pool = Buffer.alloc(POOL_BYTES)
let used = POOL_BYTES

/** Writes fresh random bytes from a cryptographic source, at most 4,096. No byte is handed out twice. */
export const fillRandom = (target: Buffer, at: number, bytes: number): void => {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool)
    used = 0
  }
  pool.copy(target, at, used, used + bytes)
  used += bytes
}
