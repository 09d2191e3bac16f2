// Maps configuration keys of a Consul agent to those of this server, and explains keys without a meaning here.

interface Renamed {
  readonly to: string
  /** Converts the value; undefined if there is no equivalent. */
  readonly convert?: (value: unknown) => unknown
}

const LEVELS: Readonly<Record<string, string>> = { err: 'error', warning: 'warn' }
const level = (value: unknown): unknown => {
  const name = typeof value === 'string' ? value.toLowerCase() : ''
  return LEVELS[name] ?? name
}

/** A single address; templates and lists are rejected. */
const address = (value: unknown): unknown =>
  typeof value === 'string' && /^[A-Za-z0-9._:%-]+$/.test(value) ? value : undefined

/** An address, a Unix socket, or both. */
const httpAddress = (value: unknown): unknown =>
  typeof value === 'string' && /^(?:[A-Za-z0-9._:%-]+ ?)?(?:unix:\/\/\/\S+)?$/.test(value)
    ? value || undefined
    : undefined

/** `TLSv1_2`, or `tls12` in old versions. */
const tlsVersion = (value: unknown): unknown => {
  const [, minor] = /^tls(?:v1_|1)([23])$/i.exec(String(value)) ?? []
  return minor === undefined ? undefined : `1.${minor}`
}

const tlsOf = (prefix: string): readonly (readonly [string, Renamed])[] => [
  [`${prefix}cert_file`, { to: 'tls.http.cert_file' }],
  [`${prefix}key_file`, { to: 'tls.http.key_file' }],
  [`${prefix}ca_file`, { to: 'tls.http.ca_file' }],
  [`${prefix}verify_incoming`, { to: 'tls.http.verify_incoming' }],
  [`${prefix}tls_min_version`, { to: 'tls.http.min_version', convert: tlsVersion }]
]

/** By path; of several keys with one meaning, the last one counts. Keys with the same path here are omitted. */
export const RENAMED: ReadonlyMap<string, Renamed> = new Map<string, Renamed>([
  ['client_addr', { to: 'bind', convert: address }],
  ['addresses.http', { to: 'addresses.http', convert: httpAddress }],
  ['addresses.https', { to: 'addresses.https', convert: address }],
  ['addresses.dns', { to: 'addresses.dns', convert: address }],
  ['limits.txn_max_req_len', { to: 'limits.txn_max_body_bytes' }],
  ['log_level', { to: 'log.level', convert: level }],
  ['acl_datacenter', { to: 'primary_datacenter' }],
  ['acl_default_policy', { to: 'acl.default_policy' }],
  ['acl_down_policy', { to: 'acl.down_policy' }],
  ['acl_ttl', { to: 'acl.token_ttl' }],
  ['acl_enable_key_list_policy', { to: 'acl.enable_key_list_policy' }],
  ['acl_master_token', { to: 'acl.tokens.initial_management' }],
  ['acl_token', { to: 'acl.tokens.default' }],
  ['acl.tokens.master', { to: 'acl.tokens.initial_management' }],
  ...tlsOf(''),
  ['verify_incoming_https', { to: 'tls.http.verify_incoming' }],
  ...tlsOf('tls.defaults.'),
  ...tlsOf('tls.https.')
])

const GOSSIP = 'there is no gossip: servers know each other by their settings (cluster)'
const RAFT = 'servers order their log by etcd (cluster), and one alone needs nothing'
const MESH = 'there is no certificate authority and no proxy configuration'
const REGISTERED = 'services and checks are registered over HTTP'
const LOGS = 'the log goes to standard output, as JSON unless log.pretty is set'
const CACHED = 'policies and roles are not cached: they count as soon as they are written'
const OWN_TOKEN = 'the server needs no token for its own work'

/** By path of a key or a section. */
const NO_MEANING: Readonly<Record<string, readonly string[]>> = {
  [GOSSIP]: [
    'bind_addr',
    'advertise_addr',
    'advertise_addr_wan',
    'serf_lan',
    'serf_wan',
    'encrypt',
    'encrypt_verify_incoming',
    'encrypt_verify_outgoing',
    'retry_join',
    'retry_join_wan',
    'retry_interval',
    'retry_max',
    'start_join',
    'start_join_wan',
    'rejoin_after_leave',
    'leave_on_terminate',
    'skip_leave_on_interrupt',
    'gossip_lan',
    'gossip_wan',
    'reconnect_timeout',
    'reconnect_timeout_wan',
    'ports.serf_lan',
    'ports.serf_wan',
    'ports.server',
    'verify_server_hostname',
    'verify_outgoing',
    'tls.internal_rpc'
  ],
  [RAFT]: [
    'server',
    'bootstrap',
    'bootstrap_expect',
    'performance',
    'autopilot',
    'raft_protocol',
    'raft_logstore',
    'raft_snapshot_threshold',
    'raft_snapshot_interval',
    'raft_trailing_logs'
  ],
  [MESH]: [
    'connect',
    'auto_encrypt',
    'auto_config',
    'peering',
    'xds',
    'ports.grpc',
    'ports.grpc_tls',
    'addresses.grpc',
    'addresses.grpc_tls',
    'tls.grpc'
  ],
  [REGISTERED]: [
    'service',
    'services',
    'check',
    'checks',
    'enable_script_checks',
    'enable_local_script_checks',
    'check_update_interval'
  ],
  'write them with `annals config write`': ['config_entries'],
  '`annals watch` runs a command at each change': ['watches'],
  'metrics are asked for at /v1/agent/metrics': ['telemetry'],
  'the server always shows its own pages, at /ui': ['ui', 'ui_config', 'ui_dir', 'ui_content_path'],
  'Consul has its state there: set data_dir to a new folder': ['data_dir'],
  [LOGS]: [
    'log_json',
    'log_file',
    'log_rotate_bytes',
    'log_rotate_duration',
    'log_rotate_max_files',
    'enable_syslog',
    'syslog_facility'
  ],
  [CACHED]: ['acl.policy_ttl', 'acl.role_ttl'],
  [OWN_TOKEN]: [
    'acl.tokens.agent',
    'acl.tokens.agent_recovery',
    'acl.tokens.agent_master',
    'acl.tokens.replication',
    'acl.tokens.config_file_service_registration',
    'acl_agent_token',
    'acl_agent_master_token',
    'acl_replication_token'
  ],
  'nothing is reported to anybody': ['disable_update_check', 'disable_anonymous_signature', 'license_path']
}

const whyByPath = new Map(
  Object.entries(NO_MEANING).flatMap(([why, paths]) => paths.map(path => [path, why] as const))
)

/** @param path dotted */
export const explainIgnoredKey = (path: string): string => whyByPath.get(path) ?? 'it is not known here'

/** Returns true if keys below the path are known by name, so that each is handled alone. */
export const hasNamedBelow = (path: string): boolean =>
  [...RENAMED.keys(), ...whyByPath.keys()].some(each => each.startsWith(`${path}.`))
