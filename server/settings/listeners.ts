// Where the settings have HTTP listen, and what that lets others reach.
import { isIPv6 } from 'node:net'
import { isLoopbackHost } from '../../projections/ip-address.js'
import type { Settings } from './settings.js'

/** A place to listen at, named as `ListenError` wants it. */
interface Listener {
  readonly what: 'HTTP' | 'HTTPS'
  readonly address: string
  /** 0 for any that is free. */
  readonly port: number
  readonly settings: readonly string[]
}

const SCHEME = 'unix://'

/** Where HTTP without TLS listens: a TCP address, a Unix socket, or both. */
interface HttpAddresses {
  readonly tcp: string | undefined
  /** The path of the socket. */
  readonly socket: string | undefined
}

/** The parts of `addresses.http`. */
export const httpAddressesOf = ({ addresses }: Pick<Settings, 'addresses'>): HttpAddresses => {
  const parts = addresses.http.split(' ')
  return {
    tcp: parts.find(part => !part.startsWith(SCHEME)),
    socket: parts.find(part => part.startsWith(SCHEME))?.slice(SCHEME.length)
  }
}

/** The listeners over TCP that are on. */
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

/** Whether the server can be reached from its own machine alone. */
export const isLocalServer = (settings: Pick<Settings, 'addresses' | 'ports'>): boolean =>
  listenersOf(settings).every(({ address }) => isLoopbackHost(address))

/** What is wrong with letting others than this machine reach the server as the settings have it, in words. */
export const exposuresOf = (
  settings: Pick<Settings, 'addresses' | 'ports'> & { readonly acl: Pick<Settings['acl'], 'enabled'> }
): readonly string[] => {
  const open = listenersOf(settings).filter(({ address }) => !isLoopbackHost(address))
  const plain = open.find(({ what }) => what === 'HTTP')
  return [
    ...(plain
      ? [
          `HTTP listens on ${plain.address} without TLS: whoever is on the way reads tokens and secrets (addresses.http, ports.https)`
        ]
      : []),
    ...(open[0] && !settings.acl.enabled
      ? [
          `${open[0].what} listens on ${open[0].address} with ACLs off: whoever reaches it may do everything (acl.enabled)`
        ]
      : [])
  ]
}

/** `host:port`, an IPv6 address in brackets. */
export const hostPort = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`

/**
 * Where other servers reach this one, as a URL without a path: `http://10.0.0.1:8500`.
 * @param ports those that are listened on, -1 for off, where the settings leave them to the system
 */
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
