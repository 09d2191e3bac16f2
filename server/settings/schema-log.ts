import * as Type from 'typebox'
import { choice, duration, integer, section, sectorBytes, toggle, texts } from './values.js'

export const reasonConfig = section({
  required: texts(
    'Namespaces in which each write needs a reason (`X-Service-Reason`), such as `prod`, or `p/prod` in the partition `p`. `*` means all.',
    {
      pattern: '^(\\*|([a-z0-9-]+/)?[a-z0-9-]+)$',
      reloads: true,
      rule: 'be a list of NAMESPACE, PARTITION/NAMESPACE or *, such as ["prod"]'
    }
  )
})

export const idempotencyConfig = section({
  window: duration(
    'Time in which a write with a used idempotency key returns the first response again. The server then erases the response, at the latest after a further 24th of the time.',
    { default: '24h', least: '1m', reloads: true }
  ),
  max_keys: integer(
    [1, 100_000_000],
    'Stored idempotent responses. Each takes about 100 bytes of memory. Further writes with a new key are rejected with 429.',
    { default: 1_000_000, reloads: true }
  ),
  max_keys_per_token: integer(
    [1, 100_000_000],
    'Stored idempotent responses of one token. Its further writes with a new key are rejected with 429. Requests without a token share one number.',
    { default: 250_000, reloads: true }
  )
})

export const historyConfig = section({
  rights: choice(
    ['now', 'both'],
    'Permissions that `at`, `diff` and histories require: those that the token has `now`, or `both` these and those that it had at that index.',
    { default: 'now', reloads: true }
  )
})

export const erasureConfig = section({
  secrets_after: duration(
    'Time after which the secrets of a deleted token, auth method, query, cursor or check are erased from the files of the log.',
    { default: '1h' }
  )
})

export const logConfig = section({
  level: choice(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'Lowest level of log messages. `debug` includes each request, as `log.requests` does.',
    { default: 'info', reloads: true }
  ),
  pretty: Type.Optional(
    toggle('Write log lines for people instead of JSON.', {
      otherwise: 'true where standard output is a terminal, and `log.ecs` is not set'
    })
  ),
  ecs: toggle('Write log lines in the Elastic Common Schema.'),
  requests: toggle('Log each request after its response, at level `info`.', {
    default: false,
    reloads: true
  }),
  sector_bytes: sectorBytes(
    'Bytes that the disk writes completely or not at all. Writes to the log begin on multiples of it. Use 4096 for devices that may lose a whole block of 4096 bytes when the power fails.',
    { default: 512 }
  ),
  scrub_interval: duration(
    'Interval in which the server reads each finished file of the log again to find damage. `0s`: never.',
    { default: '24h' }
  ),
  compress: toggle(
    'Store finished files of the log in compressed blocks (zstd if Node supports it, otherwise gzip). Secrets are not compressed.'
  ),
  allow_network_filesystem: toggle(
    'Allow a log on a network file system, where a flush or a lock may have no effect.'
  ),
  public_entries: toggle(
    'Answer `GET /v1/event/tile/entries/` without a token. Entries contain the times of commits and their number of events.',
    { default: false }
  ),
  retain: section({
    age: duration('Age from which commits are pruned, once a base snapshot covers them. `0s`: no limit.', {
      default: '0s'
    }),
    bytes: integer(
      [0, 2 ** 50],
      'Size of the log in bytes above which the oldest commits are pruned. 0: no limit.',
      {
        default: 0
      }
    ),
    commits: integer([0, 2 ** 50], 'Number of commits above which the oldest ones are pruned. 0: no limit.', {
      default: 0
    }),
    index: integer(
      [0, 2 ** 50],
      'Index up to which commits are pruned, once a base snapshot covers them. 0: none.',
      { default: 0 }
    )
  })
})
