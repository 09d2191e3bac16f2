// The configuration keys of idempotency keys.
import { duration, integer, section } from './values.js'

export const idempotencyConfig = section({
  window: duration(
    'Time in which a write that is repeated with its idempotency key gets its first answer again; the answer is erased then, or up to a 24th of the time later.',
    { default: '24h', least: '1m', reloads: true }
  ),
  max_keys: integer(
    1,
    100_000_000,
    'Idempotency keys whose answers are kept, each some 100 bytes of memory; while there are so many, writes with a new key are answered 429.',
    { default: 1_000_000, reloads: true }
  ),
  max_keys_per_token: integer(
    1,
    100_000_000,
    'Of those, how many one token may have, so that none takes the place of all; further writes of it with a new key are answered 429. Requests without a token share one number.',
    { default: 250_000, reloads: true }
  )
})
