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
    'Memory in bytes for the bodies of all requests together. Further requests are rejected with 503.',
    { default: 256 * MEBIBYTE, reloads: true }
  ),
  http_upload_bytes_total: integer(
    [MEBIBYTE, 1024 * GIBIBYTE],
    'Disk space in bytes for the bodies of all requests together (`PUT /v1/snapshot`). Further requests are rejected with 503.',
    { default: 2 * GIBIBYTE, reloads: true }
  ),
  http_max_conns_per_client: integer(
    [0, MANY],
    'Connections from one address at a time. Further ones are rejected with 429. Connections of this machine do not count. Behind a proxy the address is that of the proxy, regardless of `http.trusted_proxies`. 0 means no limit.',
    { default: 0, reloads: true }
  ),
  http_max_conns: integer(
    [0, MANY],
    'Connections at a time. Further ones are rejected with 503. 0 means four fifths of the files that the process may open.',
    { default: 0, reloads: true }
  ),
  http_unsent_bytes: integer(
    [0, GIBIBYTE],
    'Unsent bytes of responses on one connection, above which its next request waits.',
    { default: MEBIBYTE, reloads: true }
  ),
  http_unsent_bytes_total: integer(
    [MEBIBYTE, 1024 * GIBIBYTE],
    'Unsent bytes of responses on all connections together, above which requests are rejected with 503.',
    { default: 256 * MEBIBYTE, reloads: true }
  ),
  http_header_bytes: integer([1024, MEBIBYTE], 'Largest headers of a request, in bytes.', { default: 16384 }),
  request_timeout: duration('Time in which a request must arrive completely. `0s`: no limit.', {
    default: '30s'
  }),
  keep_alive_timeout: duration('Time after which the server closes an idle connection. `0s`: never.', {
    reloads: true,
    default: '75s'
  }),
  shutdown_timeout: duration('Time for running requests to end when the server shuts down.', {
    reloads: true,
    default: '10s'
  }),
  auth_failures: integer(
    [0, MANY],
    'Failures of tokens and logins of one client address per second. Further requests are rejected with 429. An IPv6 network of 64 bits counts as one address. 0 means no limit.',
    { default: 50, reloads: true }
  ),
  auth_failures_burst: integer(
    [1, MANY],
    'Failures that one client address may have at once before `limits.auth_failures` applies.',
    { default: 1000, reloads: true }
  ),
  txn_max_ops: integer([1, 65536], 'Operations in a transaction.', { default: 64, reloads: true }),
  txn_max_body_bytes: integer([1024, GIBIBYTE], 'Largest body of a transaction, in bytes.', {
    reloads: true,
    default: 524288
  }),
  snapshot_bytes: integer([MEBIBYTE, 1024 * GIBIBYTE], 'Largest snapshot to restore, in bytes, unpacked.', {
    default: 4 * GIBIBYTE,
    reloads: true
  }),
  snapshot_line_bytes: integer(
    [MEBIBYTE, 256 * MEBIBYTE],
    'Longest line of a snapshot to restore, in bytes. A line is an event, or in snapshots of version 0.1 a commit.',
    { default: 64 * MEBIBYTE, reloads: true }
  ),
  snapshots_at_once: integer(
    [1, 1000],
    'Snapshots that are saved at a time (`GET /v1/snapshot`). Each is a copy of the log on disk, or a state in memory, until its reader has received it. Further ones are rejected with 429.',
    { default: 2, reloads: true }
  ),
  kv_max_value_size: integer([1, GIBIBYTE], 'Largest value of a key, in bytes.', {
    default: 524288,
    reloads: true
  })
})
