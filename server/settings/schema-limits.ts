import { duration, integer, section } from './values.js'

const MEBIBYTE = 1024 * 1024
const GIBIBYTE = 1024 * MEBIBYTE
const MANY = 1_000_000

export const limitsConfig = section({
  http_body_bytes: integer([1024, GIBIBYTE], 'Largest body of a request, in bytes.', {
    reloads: true,
    default: 2 * MEBIBYTE
  }),
  http_body_bytes_total: integer(
    [MEBIBYTE, 1024 * GIBIBYTE],
    'Bytes that the bodies of all requests together may take in memory; a request whose body finds no room is answered 503.',
    { default: 256 * MEBIBYTE, reloads: true }
  ),
  http_upload_bytes_total: integer(
    [MEBIBYTE, 1024 * GIBIBYTE],
    'Bytes that bodies of all requests together may take on disk (`PUT /v1/snapshot`); a request whose body finds no room is answered 503.',
    { default: 2 * GIBIBYTE, reloads: true }
  ),
  http_max_conns_per_client: integer(
    [0, MANY],
    'Connections from one address at a time; more are answered 429. Those of this machine are not counted. The address is the one that connects: behind a proxy that is the proxy, whatever `http.trusted_proxies` says. 0 means no limit.',
    { default: 0, reloads: true }
  ),
  http_max_conns: integer(
    [0, MANY],
    'Connections at a time; more are answered 503. 0 means four fifths of the files that the process may open.',
    { default: 0, reloads: true }
  ),
  http_unsent_bytes: integer(
    [0, GIBIBYTE],
    'Bytes of answers that may wait to be sent on one connection while a further request of it is handled.',
    { default: MEBIBYTE, reloads: true }
  ),
  http_unsent_bytes_total: integer(
    [MEBIBYTE, 1024 * GIBIBYTE],
    'Bytes of answers that may wait to be sent on all connections together; while it is more, requests are answered 503.',
    { default: 256 * MEBIBYTE, reloads: true }
  ),
  http_header_bytes: integer([1024, MEBIBYTE], 'Largest headers of a request, in bytes.', { default: 16384 }),
  request_timeout: duration('Time in which a request must have arrived whole; `0s`: no limit.', {
    default: '30s'
  }),
  keep_alive_timeout: duration('An idle connection is closed after this time; `0s`: never.', {
    reloads: true,
    default: '75s'
  }),
  shutdown_timeout: duration('Time that requests in flight get when the server shuts down.', {
    reloads: true,
    default: '10s'
  }),
  auth_failures: integer(
    [0, MANY],
    'Failures of tokens and logins of one client address a second; more are answered 429. An IPv6 network of 64 bits counts as one address. 0 means no limit.',
    { default: 50, reloads: true }
  ),
  auth_failures_burst: integer(
    [1, MANY],
    'Failures that one client address may have at once, before `limits.auth_failures` counts.',
    { default: 1000, reloads: true }
  ),
  txn_max_ops: integer([1, 65536], 'Operations in a transaction.', { default: 64, reloads: true }),
  txn_max_body_bytes: integer([1024, GIBIBYTE], 'Largest body of a transaction, in bytes.', {
    reloads: true,
    default: 524288
  }),
  snapshot_bytes: integer(
    [MEBIBYTE, 1024 * GIBIBYTE],
    'Largest snapshot that is restored, in bytes, unpacked.',
    { default: 4 * GIBIBYTE, reloads: true }
  ),
  snapshot_line_bytes: integer(
    [MEBIBYTE, 256 * MEBIBYTE],
    'Longest line of a snapshot that is restored, in bytes: an event, or in snapshots of version 0.1 a commit.',
    { default: 64 * MEBIBYTE, reloads: true }
  ),
  snapshots_at_once: integer(
    [1, 1000],
    'Snapshots that are saved at a time (`GET /v1/snapshot`). Each is a copy of the log on disk, or a state in memory, until its reader has received it. More are answered 429.',
    { default: 2, reloads: true }
  ),
  kv_max_value_size: integer([1, GIBIBYTE], 'Largest value of a key, in bytes.', {
    default: 524288,
    reloads: true
  })
})
