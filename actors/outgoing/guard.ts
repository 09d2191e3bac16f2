// Which addresses the requests of one initiator may reach. A name is checked as it was resolved for the very connection, so
// that it cannot mean another address afterwards.
import { lookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { type Destinations, type Initiator, settingOf } from './destinations.js'

type Setting = ReturnType<typeof settingOf>

/** The address, or all addresses of the name, is none that requests may be sent to. */
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
  /** Without addresses where there is an error. */
  done: (error: Error | null, addresses?: LookupAddress[]) => void
) => void

/** Which addresses one initiator may reach. */
export interface Guard {
  readonly mayReach: (address: string) => boolean
  /** The setting that says so. */
  readonly setting: Setting
}

/** The guard of requests on the word of an initiator. */
export const guardOf = (destinations: Pick<Destinations, 'mayReach'>, initiator: Initiator): Guard => ({
  mayReach: address => destinations.mayReach(initiator, address),
  setting: settingOf(initiator)
})

/** Returns the reason why an address may not be connected to; undefined for names, which `guardedLookup` checks. */
export const refusedAddress = ({ mayReach, setting }: Guard, host: string): DestinationRefused | undefined =>
  isIP(host) !== 0 && !mayReach(host) ? new DestinationRefused(setting, host, []) : undefined

/** A `lookup` for sockets that gives only allowed addresses. */
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
