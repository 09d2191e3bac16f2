// Connections for requests that the server makes for a caller: only to addresses that are allowed.
import type { SecureContext } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { type Guard, guardedLookup, refusedAddress, type ResolveAll } from './guard.js'

interface GuardedAgentOptions extends Guard {
  /** Whom to believe and what to show where TLS is spoken; as the system does when undefined. */
  readonly secureContext: SecureContext | undefined
  /** Name that the certificate must be for; that of the URL when absent. */
  readonly servername?: string | undefined
  /** Whether any certificate is accepted. */
  readonly skipsVerification?: boolean
  /** How names are resolved; as the system does when absent. */
  readonly resolve?: ResolveAll
}

/**
 * An agent whose requests fail with `DestinationRefused` where they would go to an address that is not
 * allowed.
 */
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
      // Of an address nothing is looked up.
      const refused = refusedAddress(guard, options.hostname.replace(/^\[|\]$/g, ''))
      if (refused) done(refused, null)
      else connect(options, done)
    },
    keepAliveTimeout: 1000,
    keepAliveMaxTimeout: 10_000
  })
}
