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
    'Share the log with the other servers of a cluster, through etcd. `encryption.key` is then required, the same on all servers, and `cluster.secret`, too, or `cluster.tls`.'
  ),
  etcd: section({
    managed: toggle(
      'The server runs a member of etcd on this machine (`etcd` from PATH, with its data in `data_dir`), and starts it again when it ends. `annals cluster init` and `join` set it. The member survives the end of the server; `annals cluster stop` ends it.'
    ),
    client_url: optionalText(
      'Where servers reach the managed member: https, the IP address of this machine, and a port.',
      { pattern: MEMBER_URL, rule: MEMBER_URL_RULE }
    ),
    peer_url: optionalText(
      'Where other members reach the managed member: https, the IP address of this machine, and a port.',
      { pattern: MEMBER_URL, rule: MEMBER_URL_RULE }
    ),
    endpoints: textsLike(
      isOrigin,
      'Members of etcd that are asked, in turn when one does not answer: of each its scheme, host and port.',
      {
        rule: 'be a list of URLs without a path, such as ["https://10.0.0.1:2379"]',
        otherwise: 'those of all members, with `cluster.etcd.managed`'
      }
    ),
    ca_file: optionalText(
      'File with the certificates, in PEM, of those whom etcd’s certificate may be from.',
      { otherwise: 'those that Node trusts' }
    ),
    cert_file: optionalText('File with the certificate, in PEM, that this server shows etcd.'),
    key_file: optionalText('File with the private key, in PEM, of `cluster.etcd.cert_file`.'),
    user: optionalText('User of etcd, where its authentication is on and goes by passwords.'),
    password: optionalText(
      'Password of `cluster.etcd.user`. Use it only with https: endpoints: others show it to the network.',
      { secret: true }
    ),
    password_file: optionalText('File that holds the password, in place of `cluster.etcd.password`.'),
    start_timeout: Type.Optional(
      duration(
        'How long the start of a server with an empty data folder tries to reach etcd before it fails; 0s for ever. A server that has a log starts without etcd, and tries until it reaches it.',
        { otherwise: '30s' }
      )
    ),
    quota: integer(
      [MEBIBYTE, 1024 * GIBIBYTE],
      'Bytes that etcd may take (`--quota-backend-bytes`), the same as there. At half of them the leader compacts etcd as far as it can, and then takes only deletions.',
      { default: 2 * GIBIBYTE }
    ),
    prefix: text('What the keys of this cluster begin with in etcd: one prefix is one cluster.', {
      default: '/annals',
      pattern: '^(/[A-Za-z0-9._-]{1,64}){1,8}$',
      rule: 'be a path of letters, digits, dots, hyphens and underscores, such as "/annals"'
    })
  }),
  advertise: optionalText('Where the other servers reach this one over HTTP: scheme, host and port.', {
    pattern: '^https?://[^\\s/?#@]+$',
    rule: 'be a URL without a path, such as "http://10.0.0.1:8500"',
    otherwise: 'the address and port of HTTP, or of HTTPS where HTTP is off or `cluster.tls` is given'
  }),
  secret: secretKey(
    'Key by which the servers of the cluster know each other. With `cluster.tls` it may be left out.'
  ),
  secret_file: optionalText('File that holds the secret, in place of `cluster.secret`.'),
  tls: section({
    ca_file: optionalText(
      'PEM file with the certificates that have signed those of the servers of the cluster, and those that these are from. Every client with a certificate that one of them has signed counts as such a server. Only servers whose certificate (`tls.http.cert_file`) is from it are sent anything. It is read again when it changes.'
    ),
    cert_file: optionalText(
      'PEM file with the certificate by which the other servers know this one. It is read again when it changes.'
    ),
    key_file: optionalText(
      'PEM file with the private key of `cluster.tls.cert_file`. It is read again when it changes.'
    )
  }),
  lease_ttl: duration(
    'How long a server that is not heard of stays a member, and the leader: so long can a change of leader take. In whole seconds, at least three election timeouts of etcd.',
    { default: '3s', least: '2s' }
  ),
  hold: duration(
    'How long a request waits while there is no leader, and a write while its outcome is unknown.',
    { default: '7s' }
  ),
  max_stale: duration(
    'A follower that has not heard of the cluster for longer answers `stale` reads alone.',
    { default: '10s', least: '1s' }
  ),
  keep_commits: integer(
    [1, 2 ** 31],
    'Newest commits that etcd keeps at least, for servers that are behind; those that are further behind copy from another server.',
    { default: 10_000 }
  ),
  copies: integer(
    [1, 64],
    'Servers whose disks must hold a commit before etcd deletes it; if the cluster has fewer, all of them.',
    { default: 2 }
  ),
  max_clock_skew: duration('A server whose clock differs more from the median of all clocks does not lead.', {
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
  'Other datacenters by name. Of each `urls` of the HTTP interface of its servers (or one `url`), which are tried in turn, the one that answered last first; of the primary `token`, by which its tokens are replicated. For TLS `ca_file` (the only certificates to trust there), `cert_file` with `key_file`, in place of those of `tls.outgoing`, and `server_name` where the certificate there is for another name than the host of the URL; the files are read again when they change.',
  {
    secret: true,
    shows: ['url', 'urls', 'ca_file', 'cert_file', 'key_file', 'server_name'],
    rule: 'map names to {"urls": ["https://10.1.0.1:8501"], "token": "…", "ca_file": "…", "cert_file": "…", "key_file": "…", "server_name": "…"}, where each URL is a scheme, host and port, and all but the URLs may be left out'
  }
)

export const replicationConfig = section({
  key: secretKey(
    'Key that seals what the primary sends the other datacenters for replication, the same in all of them.',
    { otherwise: 'none: the primary must know the others by their certificates' }
  ),
  key_file: optionalText('File that holds the key, in place of `replication.key`.')
})
