import type { SecureContext } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { type Guard, guardedLookup, refusedAddress, type ResolveAll } from './destinations.js'

interface GuardedAgentOptions extends Guard {
  /** Trusted authorities and own certificate for TLS; the system's defaults when undefined. */
  readonly secureContext: SecureContext | undefined
  readonly servername?: string | undefined
  readonly skipsVerification?: boolean
  /** Resolves names; by default as the system does. */
  readonly resolve?: ResolveAll
}

/** Returns an agent whose requests fail with `DestinationRefused` for addresses that are not allowed. */
export const guardedAgent = ({
  secureContext,
  servername,
  skipsVerification = false,
  resolve,
  ...guard
}: GuardedAgentOptions): Agent => {
  const connect = buildConnector({
    lookup: guardedLookup(guard, resolve),
    rejectUnauthorized: !skipsVerification,
    ...(servername ? { servername } : {}),
    ...(secureContext ? { secureContext } : {})
  })
  return new Agent({
    connect: (options, done) => {
      // An address is not looked up.
      const refused = refusedAddress(guard, options.hostname.replace(/^\[|\]$/g, ''))
      if (refused) done(refused, null)
      else connect(options, done)
    },
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 10_000
  })
}
