// Rules about several settings together.
import { urlsOf } from './datacenters.js'
import { advertisedOf, httpAddressesOf, exposuresOf } from './listeners.js'
import { NAME } from './schema.js'
import { SettingsError, type Settings, workersSocket } from './settings.js'
import { checkWitnesses } from './witnesses.js'
import { sharesPorts } from './worker-count.js'

const MAX_SOCKET_PATH = 107

/** Throws the error for a key and the rule that it breaks. */
type Refuse = (path: string, rule: string) => never

/** Refuses a section in which only some of these keys are given. */
const requireTogether = (
  path: string,
  section: Readonly<Record<string, unknown>>,
  names: readonly string[],
  refuse: Refuse
): void => {
  const given = names.find(name => section[name] !== undefined)
  const missing = names.find(name => section[name] === undefined)
  if (given !== undefined && missing !== undefined)
    refuse(`${path}.${missing}`, `be given with ${path}.${given}`)
}

const checkWorkers = ({ workers, data_dir: dataDir }: Settings, refuse: Refuse): void => {
  if (workers === 0) return
  if (!sharesPorts())
    refuse('workers', 'be 0 here: several processes share a port on Linux alone, from Node 22.12 on')
  const socket = workersSocket(dataDir)
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH)
    refuse(
      'data_dir',
      `be shorter with workers, which need a socket in it: ${socket} may have ${MAX_SOCKET_PATH} bytes`
    )
}

const checkListeners = (settings: Settings, refuse: Refuse): void => {
  const { ports, tls } = settings
  const addresses = { ...settings.addresses, http: httpAddressesOf(settings).tcp }
  for (const name of ['http', 'https'] as const)
    if (ports.dns > 0 && ports.dns === ports[name] && addresses.dns === addresses[name])
      refuse('ports.dns', `differ from ports.${name}, since DNS also listens on TCP`)
  if (ports.https > 0 && ports.https === ports.http && addresses.https === addresses.http)
    refuse('ports.https', 'differ from ports.http')
  if (ports.http === -1 && ports.https === -1) refuse('ports.http', 'be a port while ports.https is -1')
  if (ports.https !== -1 && tls.http.cert_file === undefined)
    refuse('tls.http.cert_file', 'be given with ports.https')
  for (const side of ['http', 'outgoing'] as const)
    requireTogether(`tls.${side}`, tls[side], ['cert_file', 'key_file'], refuse)
  if (tls.http.verify_incoming && tls.http.ca_file === undefined)
    refuse('tls.http.ca_file', 'be given with tls.http.verify_incoming')
  const [exposure] = tls.required ? exposuresOf(settings) : []
  if (exposure !== undefined) refuse('tls.required', `not be true while ${exposure}`)
}

/** Returns the broken rule of an entry, or undefined. */
const faultOf = (remote: Settings['datacenters'][string]): string | undefined => {
  const urls = urlsOf(remote)
  const { ca_file: ca, cert_file: cert, key_file: key, server_name: serverName } = remote
  if (urls.length === 0) return 'give "url" or "urls"'
  if (new Set(urls.map(url => new URL(url).origin)).size < urls.length) return 'name each URL once'
  if ((cert === undefined) !== (key === undefined)) return 'give "cert_file" and "key_file" together'
  const isForTls = [ca, cert, serverName].some(given => given !== undefined)
  if (isForTls && !urls.some(url => url.startsWith('https:')))
    return 'give "ca_file", "cert_file", "key_file" and "server_name" only with a URL that begins with https:'
  return undefined
}

const checkDatacenters = (
  { datacenter, datacenters, primary_datacenter: primary }: Settings,
  refuse: Refuse
): void => {
  const names = [datacenter, ...Object.keys(datacenters)]
  for (const [name, remote] of Object.entries(datacenters)) {
    const shown = JSON.stringify(name.slice(0, 64))
    if (!new RegExp(NAME).test(name))
      refuse(
        'datacenters',
        `have names of 1 to 64 letters, digits, hyphens and underscores, beginning and ending with a letter or digit, unlike ${shown}`
      )
    const other = names.find(one => one !== name && one.toLowerCase() === name.toLowerCase())
    if (other !== undefined)
      refuse(
        'datacenters',
        `not name ${shown} beside "${other}": DNS cannot tell names apart that differ only in letter case`
      )
    if (name === datacenter) refuse('datacenters', `not name ${shown}, which this server belongs to itself`)
    const fault = faultOf(remote)
    if (fault !== undefined) refuse('datacenters', `for ${shown} ${fault}`)
  }
  if (Object.keys(datacenters).length > 0 && primary !== datacenter && !Object.hasOwn(datacenters, primary))
    refuse('datacenters', `say where the primary datacenter "${primary}" is (primary_datacenter)`)
}

const checkCluster = (settings: Settings, refuse: Refuse): void => {
  const { cluster, encryption } = settings
  const { etcd } = cluster
  requireTogether('cluster.etcd', etcd, ['cert_file', 'key_file'], refuse)
  requireTogether('cluster.etcd', etcd, ['user', 'password'], refuse)
  if (!cluster.enabled) return
  if (etcd.managed) checkManaged(etcd, refuse)
  else if (etcd.endpoints.length === 0) refuse('cluster.etcd.endpoints', 'be given with cluster.enabled')
  if (new Set(etcd.endpoints.map(endpoint => new URL(endpoint).origin)).size < etcd.endpoints.length)
    refuse('cluster.etcd.endpoints', 'name each member once')
  if (new Set(etcd.endpoints.map(endpoint => new URL(endpoint).protocol)).size > 1)
    refuse('cluster.etcd.endpoints', 'all begin with http: or all with https:')
  if (encryption.key === undefined)
    refuse('encryption.key', 'be given with cluster.enabled, since etcd holds secrets that clients write')
  if (cluster.lease_ttl % 1000 !== 0) refuse('cluster.lease_ttl', 'be whole seconds')
  if (cluster.secret === undefined && cluster.tls.ca_file === undefined)
    refuse('cluster.secret', 'be given with cluster.enabled, where cluster.tls is not')
  const { advertise } = cluster
  if (httpAddressesOf(settings).tcp === undefined && settings.ports.https === -1)
    refuse(
      'addresses.http',
      'name an IP address or host name with cluster.enabled, by which servers reach each other'
    )
  if (advertise !== undefined && !URL.canParse(advertise))
    refuse('cluster.advertise', 'be a URL without a path, such as "http://10.0.0.1:8500"')
  checkCertificates(settings, refuse)
  if (['0.0.0.0', '[::]'].includes(new URL(advertisedOf(settings)).hostname))
    refuse('cluster.advertise', 'be given where HTTP listens on all addresses, and name one of them')
}

const checkManaged = (etcd: Settings['cluster']['etcd'], refuse: Refuse): void => {
  if (etcd.endpoints.length > 0) refuse('cluster.etcd.endpoints', 'not be given with cluster.etcd.managed')
  for (const key of ['client_url', 'peer_url', 'ca_file', 'cert_file', 'key_file'] as const)
    if (etcd[key] === undefined) refuse(`cluster.etcd.${key}`, 'be given with cluster.etcd.managed')
}

/** Certificates between servers require TLS addresses. */
const checkCertificates = (settings: Settings, refuse: Refuse): void => {
  const { cluster, ports } = settings
  requireTogether('cluster.tls', cluster.tls, ['ca_file', 'cert_file', 'key_file'], refuse)
  if (cluster.tls.ca_file === undefined) return
  if (ports.https === -1)
    refuse('ports.https', 'be a port with cluster.tls, since only there certificates are shown')
  if (cluster.secret === undefined && !advertisedOf(settings).startsWith('https:'))
    refuse('cluster.advertise', 'begin with https: where cluster.tls is given and cluster.secret is not')
}

/** @param sourceOf returns the source of the value at a path, if one is given @throws SettingsError for values that contradict each other */
export const checkTogether = (settings: Settings, sourceOf: (path: string) => string | undefined): void => {
  const refuse = (path: string, rule: string): never => {
    const source = sourceOf(path)
    throw new SettingsError(`${path}${source === undefined ? '' : `, given ${source},`} must ${rule}`)
  }
  const { acl, log, stream, signing } = settings
  if (acl.token_min_ttl > acl.token_max_ttl) refuse('acl.token_min_ttl', 'not exceed acl.token_max_ttl')
  if (stream.heartbeat < 1000 || stream.heartbeat > 300_000) refuse('stream.heartbeat', 'be from 1s to 5m')
  if (stream.write_timeout < 1000) refuse('stream.write_timeout', 'be 1s or more')
  if (log.ecs && log.pretty) refuse('log.ecs', 'not be set together with log.pretty')
  checkListeners(settings, refuse)
  checkWitnesses(signing, refuse)
  checkCluster(settings, refuse)
  checkWorkers(settings, refuse)
  checkDatacenters(settings, refuse)
}
