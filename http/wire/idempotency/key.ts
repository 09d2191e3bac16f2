import { hash } from 'node:crypto'
import { invalidWith } from '../../../actors/refusal.js'
import { OWNER_BYTES } from '../../../events/envelope.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import type { RequestContext } from '../request-context.js'
import { isRead, type Route, type RouteFacts } from '../route.js'

const invalidKey = invalidWith('idempotency.invalid', 'Bad request: ')

export const IDEMPOTENCY_HEADER = 'X-Service-Idempotency-Key'
/** The name of the header as it is received. */
export const IDEMPOTENCY = IDEMPOTENCY_HEADER.toLowerCase()
export const LONGEST_KEY = 255
/** Characters of a key that is the only protection of a response: the digits of a random UUID. */
export const SHORTEST_SECRET_KEY = 32
const FORM = /^[\x20-\x7e]+$/
/** Bytes of the hash that identifies a key within its owner: enough to exclude collisions, few because it is in memory. */
const NAME_BYTES = 12

export const storesResponses = (route: Pick<RouteFacts, 'method' | 'idempotency'>): boolean =>
  !isRead(route) && typeof route.idempotency !== 'object'

/**
 * Returns the idempotency key of a request that has one; undefined if it cannot write.
 * @throws Refusal `invalid`, naming header and rule
 */
export const idempotencyKeyOf = (route: Route, request: RequestContext): string | undefined => {
  if (isRead(route)) return undefined
  const [key = '', ...others] = request.headerValues(IDEMPOTENCY)
  if (others.length > 0 || key.length > LONGEST_KEY || !FORM.test(key))
    throw invalidKey(
      `${IDEMPOTENCY_HEADER} must be 1 to ${LONGEST_KEY} printable ASCII characters, and be given once`
    )
  const { idempotency } = route
  if (idempotency === 'by the key' && key.length < SHORTEST_SECRET_KEY)
    throw invalidKey(
      `${IDEMPOTENCY_HEADER} must have at least ${SHORTEST_SECRET_KEY} characters here, drawn at random: nothing else says whose the answer is`
    )
  if (typeof idempotency === 'object')
    throw invalidKey(`${IDEMPOTENCY_HEADER} cannot be kept to here: ${idempotency.refused}`)
  return key
}

const accessorOf = ({ access }: Route, request: RequestContext): string =>
  access.resolvesToken ? (request.authority.token?.token.AccessorID ?? ANONYMOUS_ACCESSOR) : ''

const parametersOf = ({ query }: RequestContext): unknown =>
  [...query.names]
    .filter(name => name !== 'token')
    .toSorted()
    .map(name => [name, query.all(name)])

const digest = (text: string): Buffer => Buffer.from(hash('sha256', text, 'hex'), 'hex')

/**
 * Identifies a key within one accessor, method, path, query and tenancy (`KeptAnswer.Key`).
 * @throws Refusal `denied` for an unknown or expired secret; `invalid` for an impossible tenancy
 */
export const keyFingerprintOf = (key: string, route: Route, request: RequestContext): string => {
  const { partition, namespace } = request.tenancy
  const accessor = accessorOf(route, request)
  const counted = [
    accessor,
    route.method,
    route.path,
    request.params,
    parametersOf(request),
    partition,
    namespace,
    key
  ]
  const [owner, named] = [digest(accessor), digest(JSON.stringify(counted))]
  return Buffer.concat([owner.subarray(0, OWNER_BYTES), named.subarray(0, NAME_BYTES)]).toString('base64')
}

/** `KeptAnswer.Body` of a request. */
export const hashOfBody = ({ body }: RequestContext): string => hash('sha256', body ?? '', 'base64')
