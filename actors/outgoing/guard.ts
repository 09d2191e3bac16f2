// Guards the addresses of an initiator's requests. A name is checked by the address of the connection itself,
// so that a later resolution cannot differ.
import { lookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type Destinations, type Initiator, settingOf } from './destinations.js'

type Setting = ReturnType<typeof settingOf>

/** The address, or every address of the name, is not allowed. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused'

  constructor(setting: Setting, host: string, addresses: readonly string[]) {
    super(`${setting} keeps requests from ${[...new Set([host, ...addresses])].join(', ')}`)
  }
}

/** Resolves a name to all its addresses. */
export type ResolveAll = (
  host: string,
  options: { readonly all: true },
  /** Without addresses after an error. */
  done: (error: Error | null, addresses?: LookupAddress[]) => void
) => void

export interface Guard {
  readonly mayReach: (address: string) => boolean
  /** The setting that allows them. */
  readonly setting: Setting
}

export const guardOf = (destinations: Pick<Destinations, 'mayReach'>, initiator: Initiator): Guard => ({
  mayReach: address => destinations.mayReach(initiator, address),
  setting: settingOf(initiator)
})

/** Returns the reason why an address may not be connected to; undefined for names, which `guardedLookup` checks. */
export const refusedAddress = ({ mayReach, setting }: Guard, host: string): DestinationRefused | undefined =>
  isIP(host) !== 0 && !mayReach(host) ? new DestinationRefused(setting, host, []) : undefined

/** Returns a `lookup` for sockets that resolves to allowed addresses only. */
export const guardedLookup =
  ({ mayReach, setting }: Guard, resolve: ResolveAll = lookup): LookupFunction =>
  (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, found = []) => {
      if (error) return done(error, [])
      const [first, ...others] = found.filter(({ address }) => mayReach(address))
      if (first === undefined)
        done(
          new DestinationRefused(
            setting,
            host,
            found.map(({ address }) => address)
          ),
          []
        )
      else if (options.all) done(null, [first, ...others])
      else done(null, first.address, first.family)
    })
