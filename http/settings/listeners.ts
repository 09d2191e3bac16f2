// Where the settings have HTTP listen, and what that lets others reach.
import { isLoopbackHost } from '../../projections/ip-address.js'
import type { Settings } from './settings.js'

/** A place to listen at, named as `ListenError` wants it. */
export interface Listener {
  readonly what: 'HTTP' | 'HTTPS'
  readonly address: string
  /** 0 for any that is free. */
  readonly port: number
  readonly settings: readonly string[]
}

/** The listeners that are on. */
export const listenersOf = ({
  addresses,
  ports
}: Pick<Settings, 'addresses' | 'ports'>): readonly Listener[] =>
  (
    [
      ['HTTP', 'http'],
      ['HTTPS', 'https']
    ] as const
  )
    .filter(([, name]) => ports[name] !== -1)
    .map(([what, name]) => ({
      what,
      address: addresses[name],
      port: ports[name],
      settings: [`addresses.${name}`, `ports.${name}`]
    }))

/** Whether the server can be reached from its own machine alone. */
export const isLocalServer = (settings: Pick<Settings, 'addresses' | 'ports'>): boolean =>
  listenersOf(settings).every(({ address }) => isLoopbackHost(address))

/** What is wrong with letting others than this machine reach the server as the settings have it, in words. */
export const exposuresOf = (settings: Pick<Settings, 'acl' | 'addresses' | 'ports'>): readonly string[] => {
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
