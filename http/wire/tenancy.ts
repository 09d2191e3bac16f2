// The tenancy of requests (spec: tenancy.md §1.2, §5): the only place that reads its parameters and headers.
import { invalid } from '../../actors/refusal.js'
import { isTenancyName } from '../../actors/tenancy.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { Query } from './query.js'

/** The wildcard for all namespaces of a partition, where a route allows it. */
export const ALL_NAMESPACES = '*'

/**
 * A route's use of the tenancy: none, the partition alone, one namespace, or also `*`. `named`: one namespace that only the request
 * itself names, for routes that ignore the token. What a route does not use is ignored, never rejected.
 */
type TenancyUse = 'none' | 'partition' | 'one' | 'many' | 'named'

export interface TenancyFacts {
  /** Default: `one` (tenancy.md §7). */
  readonly tenancy?: TenancyUse
  /**
   * True if a response shows nothing of other namespaces, apart from the caller's permissions. It then waits for no commit of another
   * namespace (docs/decisions/0023).
   */
  readonly isConfined?: true
}

interface TenancySource {
  readonly query: Query
  /** @throws Refusal `denied` for an unknown or expired secret */
  readonly authority: Authority
  /** False if neither the query nor a header can name a tenancy. */
  readonly mayNameTenancy: boolean
  serviceHeader(name: 'namespace' | 'partition'): string | undefined
}

/** The tenancy in a body; empty values count as absent. */
export interface BodyTenancy {
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

export interface RequestTenancy extends Tenancy {
  /** False if the namespace is inherited from the token or the default. */
  readonly isNamespaceGiven: boolean
}

const NAMESPACE = ['ns', 'namespace'] as const
const PARTITION = ['partition', 'ap'] as const

const NOT_GIVEN: RequestTenancy = { ...DEFAULT_TENANCY, isNamespaceGiven: false }

const nameOf = (what: 'namespace' | 'partition', requested: string, use: TenancyUse): string => {
  const name = requested.toLowerCase()
  if (name === ALL_NAMESPACES) {
    if (what === 'namespace' && use === 'many') return name
    throw invalid('tenancy.invalid', `Bad request: Invalid ${what} "*": a wildcard is not allowed here`)
  }
  if (!isTenancyName(name))
    throw invalid(
      'tenancy.invalid',
      `Bad request: Invalid ${what} "${requested}": it must be a DNS label of 1 to 63 letters, digits and hyphens`
    )
  return name
}

/** Validates a namespace that is a parameter of its own. @throws Refusal `invalid`, also for `*` */
export const oneNamespace = (requested: string): string => nameOf('namespace', requested, 'one')

/** Validates a name of the query or header, even if another one takes precedence. @throws Refusal `invalid` */
const checked = (what: 'namespace' | 'partition', name: string | undefined): string | undefined => {
  if (name !== undefined && name !== ALL_NAMESPACES) nameOf(what, name, 'one')
  return name
}

/**
 * Returns true if the request itself names `default`, or all namespaces. The response then contains `default` where it is otherwise
 * omitted (decisions.md 44).
 */
export const namesDefault = (request: TenancySource, body: BodyTenancy): boolean => {
  const { query } = request
  const requested =
    body.Namespace || query.filled('ns') || query.filled('namespace') || request.serviceHeader('namespace')
  return requested !== undefined && (requested === ALL_NAMESPACES || requested.toLowerCase() === 'default')
}

/** Returns the name outside the body: the short parameter, the long one, or the header. */
const nameOutsideBody = (
  request: TenancySource,
  what: 'namespace' | 'partition',
  [short, long]: readonly [string, string]
): string | undefined => {
  const first = checked(what, request.query.filled(short))
  const second = checked(what, request.query.filled(long))
  const third = checked(what, request.serviceHeader(what))
  return first ?? second ?? third
}

/**
 * Resolves the tenancy in the order body, parameter, header, token, `default`.
 * @throws Refusal `invalid` for a malformed name; `denied` if the token is needed and unknown
 */
export const resolveTenancy = (
  request: TenancySource,
  use: TenancyUse,
  body: BodyTenancy
): RequestTenancy => {
  if (use === 'none') return NOT_GIVEN
  const { mayNameTenancy } = request
  const outer = mayNameTenancy ? nameOutsideBody(request, 'partition', PARTITION) : undefined
  const partition = body.Partition || outer
  const tokenTenancy =
    use === 'named' ? DEFAULT_TENANCY : (request.authority.token?.tenancy ?? DEFAULT_TENANCY)
  const inPartition = partition ? nameOf('partition', partition, use) : tokenTenancy.partition
  if (use === 'partition')
    return inPartition === 'default' ? NOT_GIVEN : { ...NOT_GIVEN, partition: inPartition }
  const named = mayNameTenancy ? nameOutsideBody(request, 'namespace', NAMESPACE) : undefined
  const namespace = body.Namespace || named
  if (namespace)
    return { partition: inPartition, namespace: nameOf('namespace', namespace, use), isNamespaceGiven: true }
  // A namespace is inherited only within the token's own partition.
  const inherited =
    inPartition === tokenTenancy.partition ? tokenTenancy.namespace : DEFAULT_TENANCY.namespace
  if (inherited === 'default' && inPartition === 'default') return NOT_GIVEN
  return { partition: inPartition, namespace: inherited, isNamespaceGiven: false }
}

/** Returns the namespaces of a request and its token; undefined for all namespaces. */
export const bothTenancies = (
  requested: RequestTenancy,
  own: Tenancy | undefined
): readonly Tenancy[] | undefined => {
  if (requested.namespace === ALL_NAMESPACES) return undefined
  return own ? [requested, own] : [requested]
}
