// Connections for requests that the server makes for a caller: only to addresses that are allowed. What a
// name stands for is checked as it was resolved for this very connection, so that a name cannot mean another
// address afterwards.
import { lookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import { Agent, buildConnector } from 'undici'

/** The address, or all addresses of the name, is none that requests may be sent to. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused'

  constructor(host: string, addresses: readonly string[]) {
    super(`outgoing.allow keeps requests from ${[...new Set([host, ...addresses])].join(', ')}`)
  }
}

/** Resolves a name to all its addresses. */
type ResolveAll = (
  host: string,
  options: { readonly all: true },
  /** Without addresses where there is an error. */
  done: (error: Error | null, addresses?: LookupAddress[]) => void
) => void

/** A `lookup` for sockets that gives only allowed addresses. */
const guardedLookup =
  (mayReach: (address: string) => boolean, resolve: ResolveAll): LookupFunction =>
  (host, options, done) =>
    resolve(host, { ...options, all: true }, (error, found = []) => {
      if (error) return done(error, [])
      const [first, ...others] = found.filter(({ address }) => mayReach(address))
      if (first === undefined)
        done(
          new DestinationRefused(
            host,
            found.map(({ address }) => address)
          ),
          []
        )
      else if (options.all) done(null, [first, ...others])
      else done(null, first.address, first.family)
    })

interface GuardedAgentOptions {
  readonly mayReach: (address: string) => boolean
  /** Whom to believe and what to show where TLS is spoken; as the system does when undefined. */
  readonly secureContext: SecureContext | undefined
  /** How names are resolved; as the system does when absent. */
  readonly resolve?: ResolveAll
}

/**
 * An agent whose requests fail with `DestinationRefused` where they would go to an address that is not
 * allowed.
 */
export const guardedAgent = ({ mayReach, secureContext, resolve = lookup }: GuardedAgentOptions): Agent => {
  const connect = buildConnector({
    lookup: guardedLookup(mayReach, resolve),
    ...(secureContext ? { secureContext } : {})
  })
  return new Agent({
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[|\]$/g, '')
      // Of an address nothing is looked up.
      if (isIP(host) !== 0 && !mayReach(host)) done(new DestinationRefused(host, []), null)
      else connect(options, done)
    },
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 10_000
  })
}
