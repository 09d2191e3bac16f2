import { duration, fraction, integer, map, networks, optionalText, section, text } from './values.js'
import * as Type from 'typebox'

export const tracingConfig = section({
  endpoint: optionalText(
    'URL to which the traces of requests are sent: that of a collector which takes OTLP over HTTP, its path included.',
    {
      pattern: '^https?://[^\\s/]+/[^\\s]*$',
      rule: 'be a URL with a path, such as "http://127.0.0.1:4318/v1/traces"',
      otherwise: 'none: nothing is traced'
    }
  ),
  headers: map(Type.String(), 'Headers that are sent with them, such as one that bears a key.', {
    secret: true,
    rule: 'map names of headers to texts, such as {"authorization": "…"}'
  }),
  sample_ratio: fraction(
    'How many of the requests are traced that come without a trace (`traceparent`); one that comes with a trace is traced if that is recorded.',
    { default: 1 }
  ),
  service_name: text('Name of the service in the traces (`service.name`).', { default: 'annals' })
})

const MEBIBYTE = 1024 * 1024

export const webhookConfig = section({
  batch_bytes: integer(
    [1024, 16 * MEBIBYTE],
    'Bytes of messages that one request to a webhook carries; a single message that is larger goes alone.',
    { default: MEBIBYTE / 4, reloads: true }
  ),
  batch_messages: integer([1, 10_000], 'Messages that one request to a webhook carries.', {
    default: 500,
    reloads: true
  }),
  timeout: duration('Time in which a webhook must have answered.', {
    default: '20s',
    least: '1s',
    reloads: true
  }),
  attempts: integer(
    [1, 1000],
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
  max_concurrent: integer([1, 10_000], 'Requests to webhooks at a time; further ones wait for their turn.', {
    default: 16,
    reloads: true
  })
})

export const outgoingConfig = section({
  allow: networks(
    'Where requests may go that this server makes for callers: to the providers of auth methods, to webhooks and to witnesses. Networks that are set are the only ones.',
    {
      reloads: true,
      otherwise:
        'webhooks and witnesses: public addresses; auth methods: all but link-local and metadata ones, and this machine only while `addresses.http` is a loopback address'
    }
  ),
  checks: networks(
    'Where HTTP, TCP and gRPC health checks may connect to, redirects included. Networks that are set are the only ones.',
    {
      reloads: true,
      otherwise:
        'anywhere but link-local and metadata addresses: 169.254.0.0/16, fe80::/10, fd00:ec2::254 and 100.100.100.200'
    }
  )
})
