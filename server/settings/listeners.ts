import { isIPv6 } from 'node:net'
import { isLoopbackHost } from '../../projections/ip-address.js'
import type { Settings } from './settings.js'

/** A listening address, named as in `ListenError`. */
interface Listener {
  readonly what: 'HTTP' | 'HTTPS'
  readonly address: string
  /** 0 for any free port. */
  readonly port: number
  readonly settings: readonly string[]
}

const SCHEME = 'unix://'

/** Listeners of HTTP without TLS: a TCP address, a Unix socket, or both. */
interface HttpAddresses {
  readonly tcp: string | undefined
  readonly socket: string | undefined
}

export const httpAddressesOf = ({ addresses }: Pick<Settings, 'addresses'>): HttpAddresses => {
  const parts = addresses.http.split(' ')
  return {
    tcp: parts.find(part => !part.startsWith(SCHEME)),
    socket: parts.find(part => part.startsWith(SCHEME))?.slice(SCHEME.length)
  }
}

export const listenersOf = (settings: Pick<Settings, 'addresses' | 'ports'>): readonly Listener[] => {
  const { addresses, ports } = settings
  return (
    [
      ['HTTP', 'http', httpAddressesOf(settings).tcp],
      ['HTTPS', 'https', addresses.https]
    ] as const
  ).flatMap(([what, name, address]) =>
    ports[name] === -1 || address === undefined
      ? []
      : [{ what, address, port: ports[name], settings: [`addresses.${name}`, `ports.${name}`] }]
  )
}

/** Returns true if all listeners are on loopback addresses. */
export const isLocalServer = (settings: Pick<Settings, 'addresses' | 'ports'>): boolean =>
  listenersOf(settings).every(({ address }) => isLoopbackHost(address))

/** Returns warnings about insecure listeners on other addresses. */
export const exposuresOf = (
  settings: Pick<Settings, 'addresses' | 'ports'> & { readonly acl: Pick<Settings['acl'], 'enabled'> }
): readonly string[] => {
  const open = listenersOf(settings).filter(({ address }) => !isLoopbackHost(address))
  const plain = open.find(({ what }) => what === 'HTTP')
  return [
    ...(plain
      ? [
          `HTTP listens on ${plain.address} without TLS: tokens and secrets can be read on the network (addresses.http, ports.https)`
        ]
      : []),
    ...(open[0] && !settings.acl.enabled
      ? [
          `${open[0].what} listens on ${open[0].address} with ACLs off: every client that reaches it has all permissions (acl.enabled)`
        ]
      : [])
  ]
}

/** Formats `host:port`, with IPv6 addresses in brackets. */
export const hostPort = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`

/** Returns the URL for other servers, such as `http://10.0.0.1:8500`. @param ports the bound ports, -1 for off, if the system chose them */
export const advertisedOf = (
  settings: Pick<Settings, 'cluster' | 'addresses' | 'ports'>,
  { http, https }: Pick<Settings['ports'], 'http' | 'https'> = settings.ports
): string => {
  const { advertise, tls } = settings.cluster
  if (advertise !== undefined) return new URL(advertise).origin
  const { tcp } = httpAddressesOf(settings)
  return http === -1 || tcp === undefined || tls.ca_file !== undefined
    ? `https://${hostPort(settings.addresses.https, https)}`
    : `http://${hostPort(tcp, http)}`
}
