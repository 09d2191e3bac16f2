import type { Incoming } from './bodies/incoming-request.js'
import type { Query } from './query.js'

const BEARER = /^bearer +(\S+)/i

/** The headers of both families (decisions.md 30). */
const SERVICE_HEADERS = {
  token: ['x-service-token', 'x-consul-token'],
  namespace: ['x-service-namespace', 'x-consul-namespace'],
  partition: ['x-service-partition', 'x-consul-partition']
} as const

export type ServiceHeader = keyof typeof SERVICE_HEADERS

/** Returns a header of the `X-Service-` family, or with `compat` its twin; undefined if absent or empty. */
export const serviceHeaderOf = (
  incoming: Incoming,
  name: ServiceHeader,
  compat: boolean
): string | undefined => {
  const [ours, theirs] = SERVICE_HEADERS[name]
  return incoming.header(ours) || (compat ? incoming.header(theirs) : undefined) || undefined
}

export const secretIn = (query: Query, incoming: Incoming, compat: boolean): string | undefined => {
  const secret = query.filled('token') || serviceHeaderOf(incoming, 'token', compat)
  if (secret) return secret
  const theirs = compat ? incoming.header('x-nomad-token') : undefined
  if (theirs) return theirs
  const authorization = incoming.header('authorization')
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
}
