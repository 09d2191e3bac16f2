import { duration, fraction, integer, map, networks, optionalText, section, text } from './values.js'
import * as Type from 'typebox'

export const tracingConfig = section({
  endpoint: optionalText(
    'URL of the collector for traces of requests, with its path. The server sends OTLP over HTTP.',
    {
      pattern: '^https?://[^\\s/]+/[^\\s]*$',
      rule: 'be a URL with a path, such as "http://127.0.0.1:4318/v1/traces"',
      otherwise: 'none: nothing is traced'
    }
  ),
  headers: map(Type.String(), 'Headers of the requests to `tracing.endpoint`, such as a key.', {
    secret: true,
    rule: 'map names of headers to texts, such as {"authorization": "…"}'
  }),
  sample_ratio: fraction(
    'Share of the requests without a trace (`traceparent`) that the server traces. It traces a request with a trace if that one is recorded.',
    { default: 1 }
  ),
  service_name: text('Name of the service in the traces (`service.name`).', { default: 'annals' })
})

const MEBIBYTE = 1024 * 1024

export const webhookConfig = section({
  batch_bytes: integer(
    [1024, 16 * MEBIBYTE],
    'Bytes of messages in one request to a webhook. A larger message is sent alone.',
    { default: MEBIBYTE / 4, reloads: true }
  ),
  batch_messages: integer([1, 10_000], 'Messages in one request to a webhook.', {
    default: 500,
    reloads: true
  }),
  timeout: duration('Time in which a webhook must answer.', {
    default: '20s',
    least: '1s',
    reloads: true
  }),
  attempts: integer(
    [1, 1000],
    'Attempts to deliver a batch. After the last one the batch counts as a dead letter, and the next batch follows.',
    { default: 20, reloads: true }
  ),
  retry_min: duration(
    'Time before the second attempt. It doubles for each further attempt, with a random part.',
    { default: '1s', least: '100ms', reloads: true }
  ),
  retry_max: duration('Longest time between two attempts, even if the receiver requests more.', {
    default: '1h',
    least: '100ms',
    reloads: true
  }),
  max_concurrent: integer([1, 10_000], 'Requests to webhooks at a time. Further ones wait.', {
    default: 16,
    reloads: true
  })
})

export const outgoingConfig = section({
  allow: networks(
    'Networks that this server may connect to for callers: providers of auth methods, webhooks and witnesses. No other network is allowed if you set it.',
    {
      reloads: true,
      otherwise:
        'webhooks and witnesses: public addresses; auth methods: all but link-local and metadata ones, and this machine only while `addresses.http` is a loopback address'
    }
  ),
  checks: networks(
    'Networks that HTTP, TCP and gRPC health checks may connect to, including redirects. No other network is allowed if you set it.',
    {
      reloads: true,
      otherwise:
        'anywhere but link-local and metadata addresses: 169.254.0.0/16, fe80::/10, fd00:ec2::254 and 100.100.100.200'
    }
  )
})
