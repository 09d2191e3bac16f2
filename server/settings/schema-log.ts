// The configuration keys of the log on disk, and of the lines that the server logs.
import * as Type from 'typebox'
import { choice, duration, integer, section, sectorBytes, toggle } from './values.js'

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
    'Log lines of JSON in the form of the Elastic Common Schema, for what collects the logs of many programs.',
    { default: false }
  ),
  requests: toggle('Log each request that was answered, at level `info`.', {
    default: false,
    reloads: true
  }),
  sector_bytes: sectorBytes(
    'What the disk writes whole or not at all, in bytes: writes to the log on disk begin on multiples of it. 4096 for devices that may lose what shares such a block with a write when the power fails.',
    { default: 512 }
  ),
  scrub_interval: duration(
    'Each finished file of the log on disk is read again, to find damage, once in this time; `0s`: never.',
    { default: '24h' }
  ),
  compress: toggle(
    'Keep finished files of the log on disk in compressed blocks (zstd where Node has it, otherwise gzip); secrets are left out of them.',
    { default: false }
  ),
  allow_network_filesystem: toggle(
    'Keep the log on a network file system all the same, where a flush or a lock may not hold.',
    { default: false }
  ),
  retain: section({
    age: duration('Commits that are older go, when a base stands in for them; `0s`: however old they are.', {
      default: '0s'
    }),
    bytes: integer(
      0,
      2 ** 50,
      'The oldest commits go while the log has more bytes; 0: however many it has.',
      {
        default: 0
      }
    ),
    commits: integer(
      0,
      2 ** 50,
      'The oldest commits go while more than so many are newer; 0: however many are.',
      {
        default: 0
      }
    ),
    index: integer(
      0,
      2 ** 50,
      'Commits up to this index go, when a base stands in for them; 0: none for their index.',
      { default: 0 }
    )
  })
})
