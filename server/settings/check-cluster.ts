// The rules that the settings of a cluster keep together.
import { advertisedOf, httpAddressesOf } from './listeners.js'
import type { Settings } from './settings.js'

/** Checks what a cluster needs. `refuse` throws, with the key and the rule. */
export const checkCluster = (settings: Settings, refuse: (path: string, rule: string) => never): void => {
  const { cluster, encryption } = settings
  const { etcd } = cluster
  if ((etcd.cert_file === undefined) !== (etcd.key_file === undefined)) {
    const [missing, given] =
      etcd.cert_file === undefined ? ['cert_file', 'key_file'] : ['key_file', 'cert_file']
    refuse(`cluster.etcd.${missing}`, `be given with cluster.etcd.${given}`)
  }
  if ((etcd.user === undefined) !== (etcd.password === undefined)) {
    const [missing, given] = etcd.user === undefined ? ['user', 'password'] : ['password', 'user']
    refuse(`cluster.etcd.${missing}`, `be given with cluster.etcd.${given}`)
  }
  if (!cluster.enabled) return
  if (etcd.endpoints.length === 0) refuse('cluster.etcd.endpoints', 'be given with cluster.enabled')
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

/** By what certificates servers know each other they must reach each other by TLS. */
const checkCertificates = (settings: Settings, refuse: (path: string, rule: string) => never): void => {
  const { cluster, ports } = settings
  const names = ['ca_file', 'cert_file', 'key_file'] as const
  const given = names.find(name => cluster.tls[name] !== undefined)
  if (given === undefined) return
  const missing = names.find(name => cluster.tls[name] === undefined)
  if (missing !== undefined) refuse(`cluster.tls.${missing}`, `be given with cluster.tls.${given}`)
  if (ports.https === -1)
    refuse('ports.https', 'be a port with cluster.tls, since only there certificates are shown')
  if (cluster.secret === undefined && !advertisedOf(settings).startsWith('https:'))
    refuse('cluster.advertise', 'begin with https: where cluster.tls is given and cluster.secret is not')
}
