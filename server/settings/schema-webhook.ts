// The configuration keys of webhooks.
import { duration, integer, section } from './values.js'

const MEBIBYTE = 1024 * 1024

export const webhookConfig = section({
  batch_bytes: integer(
    1024,
    16 * MEBIBYTE,
    'Bytes of messages that one request to a webhook carries; a single message that is larger goes alone.',
    { default: MEBIBYTE / 4, reloads: true }
  ),
  batch_messages: integer(1, 10_000, 'Messages that one request to a webhook carries.', {
    default: 500,
    reloads: true
  }),
  timeout: duration('Time in which a webhook must have answered.', {
    default: '20s',
    least: '1s',
    reloads: true
  }),
  attempts: integer(
    1,
    1000,
    'Attempts that a batch gets. Then it is given up: it is counted as a dead letter, and the next one follows.',
    { default: 20, reloads: true }
  ),
  retry_min: duration(
    'Time before the second attempt; each further one waits twice as long as the one before, but for a random part.',
    { default: '1s', least: '100ms', reloads: true }
  ),
  retry_max: duration('Longest time between two attempts, also where the receiver asks for more.', {
    default: '1h',
    least: '100ms',
    reloads: true
  }),
  max_concurrent: integer(1, 10_000, 'Requests to webhooks at a time; further ones wait for their turn.', {
    default: 16,
    reloads: true
  })
})
