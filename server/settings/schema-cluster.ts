import * as Type from 'typebox'
import {
  duration,
  integer,
  map,
  optionalText,
  secretKey,
  section,
  text,
  textsLike,
  toggle
} from './values.js'

const MEBIBYTE = 2 ** 20
const GIBIBYTE = 2 ** 30

const isOrigin = (url: string): boolean => /^https?:\/\/[^\s/?#@]+$/.test(url) && URL.canParse(url)

export const MEMBER_URL = '^https://(\\d{1,3}(\\.\\d{1,3}){3}|\\[[0-9a-fA-F:]+\\]):\\d{1,5}$'
const MEMBER_URL_RULE = 'be https, an IP address and a port, such as "https://10.0.0.1:2379"'

export const clusterConfig = section({
  enabled: toggle(
    'Share the log with the other servers of a cluster through etcd. This requires the same `encryption.key` on all servers, and `cluster.secret` or `cluster.tls`.'
  ),
  etcd: section({
    managed: toggle(
      'Run a member of etcd on this machine (`etcd` from PATH, with its data in `data_dir`), and restart it when it ends. `annals cluster init` and `join` set it. The member survives the end of the server, and `annals cluster stop` ends it.'
    ),
    client_url: optionalText(
      'URL at which servers reach the managed member: https, the IP address of this machine, and a port.',
      { pattern: MEMBER_URL, rule: MEMBER_URL_RULE }
    ),
    peer_url: optionalText(
      'URL at which other members reach the managed member: https, the IP address of this machine, and a port.',
      { pattern: MEMBER_URL, rule: MEMBER_URL_RULE }
    ),
    endpoints: textsLike(
      isOrigin,
      'URLs of the members of etcd, each with scheme, host and port. The server tries the next one if a member does not answer.',
      {
        rule: 'be a list of URLs without a path, such as ["https://10.0.0.1:2379"]',
        otherwise: 'those of all members, with `cluster.etcd.managed`'
      }
    ),
    ca_file: optionalText('PEM file with the authorities that may have signed the certificate of etcd.', {
      otherwise: 'those that Node trusts'
    }),
    cert_file: optionalText('PEM file with the client certificate of this server for etcd.'),
    key_file: optionalText('PEM file with the private key of `cluster.etcd.cert_file`.'),
    user: optionalText('User of etcd, if etcd authenticates users by passwords.'),
    password: optionalText(
      'Password of `cluster.etcd.user`. Use it only with https endpoints, since others send it as plain text.',
      { secret: true }
    ),
    password_file: optionalText('File that holds the password, in place of `cluster.etcd.password`.'),
    start_timeout: Type.Optional(
      duration(
        'Time after which the start of a server with an empty data folder fails if etcd is unreachable. `0s`: never. A server with a log starts without etcd, and retries until it reaches it.',
        { otherwise: '30s' }
      )
    ),
    quota: integer(
      [MEBIBYTE, 1024 * GIBIBYTE],
      'Quota of etcd in bytes, equal to its `--quota-backend-bytes`. At half of it the leader compacts etcd as far as possible. If that does not suffice, it accepts only deletions.',
      { default: 2 * GIBIBYTE }
    ),
    prefix: text('Prefix of the keys of this cluster in etcd. Each cluster needs its own.', {
      default: '/annals',
      pattern: '^(/[A-Za-z0-9._-]{1,64}){1,8}$',
      rule: 'be a path of letters, digits, dots, hyphens and underscores, such as "/annals"'
    })
  }),
  advertise: optionalText('URL at which the other servers reach this one: scheme, host and port.', {
    pattern: '^https?://[^\\s/?#@]+$',
    rule: 'be a URL without a path, such as "http://10.0.0.1:8500"',
    otherwise: 'the address and port of HTTP, or of HTTPS where HTTP is off or `cluster.tls` is given'
  }),
  secret: secretKey(
    'Key with which the servers of the cluster authenticate each other. It is optional with `cluster.tls`.'
  ),
  secret_file: optionalText('File that holds the secret, in place of `cluster.secret`.'),
  tls: section({
    ca_file: optionalText(
      'PEM file with the authorities of the servers of the cluster. Every client with a certificate of one of them counts as a server of the cluster. This server connects only to servers whose certificate (`tls.http.cert_file`) is from one of them. The server rereads the file when it changes.'
    ),
    cert_file: optionalText(
      'PEM file with the certificate that authenticates this server to the others. The server rereads the file when it changes.'
    ),
    key_file: optionalText(
      'PEM file with the private key of `cluster.tls.cert_file`. The server rereads the file when it changes.'
    )
  }),
  lease_ttl: duration(
    'Time after which an unresponsive server is no longer a member or the leader. Servers renew three times in it. A change of the leader can take this long, and half a second more. Use whole seconds, and at least three election timeouts of etcd.',
    { default: '2s', least: '2s' }
  ),
  hold: duration('Maximum time that a request waits for a leader, and a write for its outcome.', {
    default: '7s'
  }),
  max_stale: duration(
    'Time without contact to the cluster after which a follower answers only `stale` reads.',
    { default: '10s', least: '1s' }
  ),
  keep_commits: integer(
    [1, 2 ** 31],
    'Minimum number of the newest commits that etcd retains for servers that lag. Servers that lag further copy from another server.',
    { default: 10_000 }
  ),
  copies: integer(
    [1, 64],
    'Number of servers that must have stored a commit before etcd deletes it. A smaller cluster needs all of its servers.',
    { default: 2 }
  ),
  max_clock_skew: duration('Maximum difference of a leader’s clock from the median of all clocks.', {
    default: '1s',
    least: '100ms'
  })
})

const url = () => Type.Refine(Type.String(), isOrigin)
const remoteFile = () => Type.Optional(Type.String({ minLength: 1 }))

const remoteDatacenter = Type.Object(
  {
    url: Type.Optional(url()),
    urls: Type.Optional(Type.Array(url())),
    token: Type.Optional(Type.String({ minLength: 1 })),
    ca_file: remoteFile(),
    cert_file: remoteFile(),
    key_file: remoteFile(),
    server_name: Type.Optional(Type.String({ minLength: 1 }))
  },
  { additionalProperties: false }
)

export const remoteDatacenters = map(
  remoteDatacenter,
  'Other datacenters by name. `urls` (or one `url`) are the addresses of HTTP of its servers. This server tries first the one that answered last. `token` of the primary replicates its tokens. For TLS, `ca_file` has the only trusted authorities, and `cert_file` with `key_file` replace those of `tls.outgoing`. `server_name` is the name in the certificate, if it differs from the host of the URL. The server rereads the files when they change.',
  {
    secret: true,
    shows: ['url', 'urls', 'ca_file', 'cert_file', 'key_file', 'server_name'],
    rule: 'map names to {"urls": ["https://10.1.0.1:8501"], "token": "…", "ca_file": "…", "cert_file": "…", "key_file": "…", "server_name": "…"}, where each URL is a scheme, host and port, and all but the URLs may be left out'
  }
)

export const replicationConfig = section({
  key: secretKey(
    'Key that encrypts the replication from the primary to the other datacenters. It is the same in all of them.',
    { otherwise: 'none: the other datacenters must authenticate with certificates' }
  ),
  key_file: optionalText('File that holds the key, in place of `replication.key`.')
})
