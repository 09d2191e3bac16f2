import * as Type from 'typebox'
import { choice, duration, integer, section, sectorBytes, toggle, texts } from './values.js'

export const reasonConfig = section({
  required: texts(
    'Namespaces in which a write must say why it is made (`X-Service-Reason`): `prod`, in another partition than `default` `p/prod`; `*`: everywhere.',
    {
      pattern: '^(\\*|([a-z0-9-]+/)?[a-z0-9-]+)$',
      reloads: true,
      rule: 'be a list of NAMESPACE, PARTITION/NAMESPACE or *, such as ["prod"]'
    }
  )
})

export const idempotencyConfig = section({
  window: duration(
    'Time in which a write with a used idempotency key gets the first response again. The response is erased then, or up to a 24th of the time later.',
    { default: '24h', least: '1m', reloads: true }
  ),
  max_keys: integer(
    [1, 100_000_000],
    'Idempotency keys whose answers are kept, each some 100 bytes of memory; while there are so many, writes with a new key are answered 429.',
    { default: 1_000_000, reloads: true }
  ),
  max_keys_per_token: integer(
    [1, 100_000_000],
    'Stored responses of one token. Further writes of it with a new key are answered 429. Requests without a token share one number.',
    { default: 250_000, reloads: true }
  )
})

export const historyConfig = section({
  rights: choice(
    ['now', 'both'],
    'Permissions that count for `at`, `diff` and histories: those that the token has `now`, or `both` these and those that it had at that index.',
    { default: 'now', reloads: true }
  )
})

export const erasureConfig = section({
  secrets_after: duration(
    'The secrets of a token, auth method, query, cursor or check that has ended are erased from the files of the log after this time.',
    { default: '1h' }
  )
})

export const logConfig = section({
  level: choice(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'Least severe level that is logged; `debug` logs each request, as `log.requests` does.',
    { default: 'info', reloads: true }
  ),
  pretty: Type.Optional(
    toggle('Log lines for people rather than JSON.', {
      otherwise: 'true where standard output is a terminal, and `log.ecs` is not set'
    })
  ),
  ecs: toggle(
    'Log lines of JSON in the form of the Elastic Common Schema, for what collects the logs of many programs.'
  ),
  requests: toggle('Log each request that was answered, at level `info`.', { default: false, reloads: true }),
  sector_bytes: sectorBytes(
    'What the disk writes whole or not at all, in bytes: writes to the log on disk begin on multiples of it. 4096 for devices that may lose what shares such a block with a write when the power fails.',
    { default: 512 }
  ),
  scrub_interval: duration(
    'Each finished file of the log on disk is read again, to find damage, once in this time; `0s`: never.',
    { default: '24h' }
  ),
  compress: toggle(
    'Keep finished files of the log on disk in compressed blocks (zstd where Node has it, otherwise gzip); secrets are left out of them.'
  ),
  allow_network_filesystem: toggle(
    'Keep the log on a network file system all the same, where a flush or a lock may not hold.'
  ),
  public_entries: toggle(
    'Answer `GET /v1/event/tile/entries/` without a token. Entries tell the times of commits, and how many events they have.',
    { default: false }
  ),
  retain: section({
    age: duration('Older commits are pruned once a base snapshot covers them. `0s`: no limit.', {
      default: '0s'
    }),
    bytes: integer([0, 2 ** 50], 'The oldest commits are pruned while the log has more bytes. 0: no limit.', {
      default: 0
    }),
    commits: integer(
      [0, 2 ** 50],
      'The oldest commits are pruned while more than this number are newer. 0: no limit.',
      { default: 0 }
    ),
    index: integer(
      [0, 2 ** 50],
      'Commits up to this index are pruned once a base snapshot covers them. 0: none.',
      { default: 0 }
    )
  })
})
