// Declares every configuration key, from which validation, the settings' type, CLI help and docs/reference/settings.md derive.
import * as Type from 'typebox'
import { clusterConfig, remoteDatacenters, replicationConfig } from './schema-cluster.js'
import { dnsConfig } from './schema-dns.js'
import {
  ADDRESS,
  addressesConfig,
  addressRule,
  httpConfig,
  tlsConfig,
  unixSocketsConfig
} from './schema-http.js'
import { limitsConfig } from './schema-limits.js'
import { erasureConfig, historyConfig, idempotencyConfig, logConfig, reasonConfig } from './schema-log.js'
import { outgoingConfig, tracingConfig, webhookConfig } from './schema-outgoing.js'
import {
  choice,
  duration,
  fraction,
  integer,
  integerOrAuto,
  map,
  optionalText,
  secretKey,
  section,
  text,
  texts,
  textsLike,
  toggle
} from './values.js'
import { parseWitness } from './witnesses.js'
import { automaticWorkers } from './worker-count.js'

const cursorConfig = section({
  max_held: integer(
    [0, 2 ** 50],
    'Bytes of the log that a cursor protects from pruning (`log.retain`), at most the free space of the disk. Older commits are pruned, and the reader of the cursor receives 410. The server warns at half of it. 0: cursors protect nothing.',
    { default: 2 ** 30 }
  ),
  max_per_token: integer([0, 1_000_000], 'Cursors that one token may own. 0 means no limit.', {
    default: 100
  })
})

const MEBIBYTE = 1024 * 1024

const auditConfig = section({
  denials: toggle(
    'Store denied requests (403) in files beside the log, with token, address, request and missing permission.',
    { default: false, reloads: true }
  ),
  denials_bytes: integer(
    [64 * 1024, 1024 * MEBIBYTE],
    'Bytes of both files of denied requests together. The older file is deleted when the newer one reaches half of it.',
    { default: 16 * MEBIBYTE, reloads: true }
  )
})

const MANY = 1_000_000

export const NAME = '^[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$'
const DOMAIN =
  '^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)*[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.?$'
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'

const nameRule =
  'be 1 to 64 letters, digits, hyphens and underscores, beginning and ending with a letter or digit'
const domainRule = 'be a domain name, such as "consul" or "svc.example"'

const legacyToken = Type.Object(
  { secret: Type.String({ minLength: 1 }), rules: Type.String() },
  { additionalProperties: false }
)

export const schema = section({
  datacenter: text('Name of the datacenter this server belongs to.', {
    default: 'dc1',
    pattern: NAME,
    rule: nameRule
  }),
  primary_datacenter: text('Datacenter that holds the global tokens, policies and roles.', {
    pattern: NAME,
    rule: nameRule,
    otherwise: 'the value of `datacenter`'
  }),
  node_name: text('Name of this server’s own node in the catalog.', { otherwise: 'the host name' }),
  node_id: text('UUID of this server’s own node.', {
    pattern: UUID,
    rule: 'be a UUID in lower case',
    otherwise: 'random, and stored in `data_dir`'
  }),
  node_meta: map(Type.String(), 'Metadata of this server’s own node.', {
    rule: 'map names to texts, such as {"rack": "a1"}'
  }),
  domain: text('Domain that DNS answers for.', { default: 'consul', pattern: DOMAIN, rule: domainRule }),
  alt_domain: optionalText('A second domain that DNS answers for.', { pattern: DOMAIN, rule: domainRule }),
  data_dir: text(
    'Data folder, with the log. The server creates it if it does not exist. One server uses it at a time.',
    { default: './data' }
  ),
  bind: text('Address that HTTP and DNS listen on.', {
    default: '127.0.0.1',
    pattern: ADDRESS,
    rule: addressRule
  }),
  addresses: addressesConfig,
  unix_sockets: unixSocketsConfig,
  ports: section({
    http: integer([-1, 65535], 'Port of HTTP. 0 selects a free port, and -1 turns HTTP without TLS off.', {
      default: 8500,
      flag: 'http-port'
    }),
    https: integer(
      [-1, 65535],
      'Port of HTTP over TLS (`tls.http`). 0 selects a free port, and -1 turns it off.',
      { default: -1, flag: 'https-port' }
    ),
    dns: integer([-1, 65535], 'Port of DNS, UDP and TCP. -1 turns DNS off.', {
      default: 8600,
      flag: 'dns-port'
    })
  }),
  compat: toggle(
    'Also accept and send the X-Consul-* and X-Nomad-* headers, and match field names in any letter case.',
    { default: true }
  ),
  advertise_namespaces: toggle(
    'Report the build `ent` and a license for namespaces in /v1/agent/self, which Nomad requires before it uses namespaces.'
  ),
  recursors: texts('DNS servers that resolve names outside the domain.', {
    pattern: '^[A-Za-z0-9._:%\\[\\]-]+$',
    reloads: true,
    rule: 'be a list of ADDRESS or ADDRESS:PORT, such as ["192.0.2.1:53"]'
  }),
  acl: section({
    enabled: toggle('Check permissions. When off, every request is allowed.', { default: true }),
    default_policy: choice(['allow', 'deny'], 'Decision if no rule applies.', { default: 'deny' }),
    enable_key_list_policy: toggle('Require `list` instead of `read` to list keys.'),
    tokens: section({
      initial_management: optionalText(
        'Secret of a management token that exists from the first start. Bootstrap is then impossible.',
        { secret: true, reloads: true, otherwise: 'none: bootstrap creates the first token' }
      ),
      default: optionalText('Secret of the token of HTTP and DNS requests without one.', {
        secret: true,
        reloads: true,
        otherwise: 'none: the anonymous token'
      })
    }),
    enable_token_replication: toggle(
      'In a secondary datacenter, replicate the global tokens of the primary, besides policies and roles. Logins and local tokens require it.',
      { otherwise: 'true where `datacenters` has a `token` for the primary, else false' }
    ),
    down_policy: choice(
      ['allow', 'deny', 'extend-cache', 'async-cache'],
      'Decision about a token that is not replicated while the primary is unreachable. `allow` and `deny` allow or deny everything. `extend-cache` extends the cached permissions. `async-cache` does so, too, and never waits for the primary.',
      { default: 'extend-cache' }
    ),
    token_ttl: duration('Time for which the resolution of a token that is not replicated is cached.', {
      default: '30s'
    }),
    token_min_ttl: duration('Shortest life of a token that expires.', { default: '1m' }),
    token_max_ttl: duration('Longest life of a token that expires.', { default: '24h' }),
    usage: section({
      enabled: toggle(
        'Record the permission questions of each token by day, with counts and times to the minute. The record is not in the log.',
        { default: true, reloads: true }
      ),
      days: integer([1, 90], 'Days for which the server stores the questions.', { default: 90 }),
      entries: integer(
        [1000, 10_000_000],
        'Stored questions, each counted once a day. Above it the oldest days are deleted. 100,000 take about 40 MB of memory, and up to 250 MB if each is of another token.',
        { default: 100_000 }
      ),
      advice_days: integer(
        [1, 90],
        'Days that must be recorded before an answer calls a rule or a link unused.',
        { default: 30, reloads: true }
      )
    }),
    legacy_tokens: map(
      legacyToken,
      'Tokens of the legacy ACL system by name. The start creates those whose secret is unknown. Their rules, whose labels are prefixes, apply until the token is updated.',
      { secret: true, reloads: true, rule: 'map names to {"secret": "…", "rules": "…"}' }
    )
  }),
  datacenters: remoteDatacenters,
  replication: replicationConfig,
  encryption: section({
    key: secretKey(
      'Key that encrypts secrets in the log (AES-256-GCM), and the archive of a running restore.',
      { otherwise: 'none: secrets are not encrypted at rest' }
    ),
    key_file: optionalText('File that holds the key, in place of `encryption.key`.')
  }),
  signing: section({
    key: secretKey(
      'Seed of the Ed25519 key that signs the checkpoints of the log. The data folder does not contain it.',
      {
        otherwise: 'created at the first start, and stored beside the log, encrypted with `encryption.key`'
      }
    ),
    key_file: optionalText('File that holds the seed, in place of `signing.key`.'),
    witnesses: textsLike(
      value => parseWitness(value) !== undefined,
      'Witnesses that sign the checkpoints (C2SP `tlog-witness`), each as its public key, a space, and the URL before `/add-checkpoint`. `outgoing.allow` restricts their addresses.',
      {
        rule: 'be a list of "KEY URL", such as ["witness.example/w1+8d66cf3f+BNy… https://witness.example/"], the keys of type 4 (cosignature/v1)'
      }
    ),
    required_witnesses: integer(
      [0, 100],
      'Number of witnesses whose signatures the checkpoint of `GET /v1/event/checkpoint` must have. Writes do not wait for them.',
      { default: 0 }
    )
  }),
  cluster: clusterConfig,
  workers: integerOrAuto(
    [0, 64],
    automaticWorkers,
    'Further processes of this server, for machines with several cores. Each has the read models, takes as much memory as the main process, and listens on the same ports. It answers reads, streams and DNS, and forwards other requests to the main process. `auto`: one for each core but one, at most 8. Workers need Linux and Node 22.12 or newer. Elsewhere `auto` starts none.',
    { default: 0 }
  ),
  log: logConfig,
  snapshot: section({
    commits: integer(
      [0, 2 ** 31],
      'Number of commits after which another process writes a state snapshot. A start, and a deposed leader of a cluster, replay only later commits. 0: none is written.',
      { default: 10_000 }
    )
  }),
  stream: section({
    event_backlog: integer(
      [0, 2 ** 31],
      'Number of the newest commits with which a stream without an index begins. 0 means all.',
      { default: 1000 }
    ),
    heartbeat: duration('Time between heartbeats of a stream.', { default: '30s' }),
    write_timeout: duration('Time after which the server closes a stream whose reader receives nothing.', {
      default: '40s'
    }),
    catch_up_share: fraction(
      'Share of one core for all streams together that read older commits from files. It applies while a write arrives at least every 100 ms. Otherwise they read as fast as they can.',
      { default: 0.2 }
    ),
    snapshot_share: fraction('Share of the main thread for all snapshots of streams together.', {
      default: 0.25
    }),
    max_connections_per_address: integer(
      [0, MANY],
      'Streams of one client address at a time. 0 means no limit.',
      { default: 200 }
    ),
    max_subscriptions_per_connection: integer(
      [1, MANY],
      'Subscriptions that a WebSocket of the event stream may have at a time (subprotocol `annals.v1`).',
      { default: 64 }
    )
  }),
  cursor: cursorConfig,
  erasure: erasureConfig,
  reason: reasonConfig,
  audit: auditConfig,
  idempotency: idempotencyConfig,
  history: historyConfig,
  outgoing: outgoingConfig,
  webhook: webhookConfig,
  http: httpConfig,
  tls: tlsConfig,
  tracing: tracingConfig,
  limits: limitsConfig,
  dns_config: dnsConfig
})
