// Which partition and namespace a request means (spec: tenancy.md §1.2, §5). Resolved once, here; nothing below looks
// at parameters or headers again.
import { invalid } from '../../actors/refusal.js'
import { isTenancyName } from '../../actors/tenancy.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { Query } from './query.js'

/** The namespace that stands for all of a partition, where a route allows it. */
export const ALL_NAMESPACES = '*'

/**
 * How far a route takes part: not at all, with a partition alone, with one namespace, or with `*` as well. `named`: with
 * the one namespace that the request itself names, for routes that do not look at its token. What a route does not take is
 * ignored, never refused.
 */
type TenancyUse = 'none' | 'partition' | 'one' | 'many' | 'named'

/** What a route declares of its tenancy. */
export interface TenancyFacts {
  /** Whether the route has a namespace; `one` unless said otherwise (tenancy.md §7). */
  readonly tenancy?: TenancyUse
  /**
   * Whether an answer shows nothing of any other namespace than that of the request, apart from what the caller may do. It
   * then waits for no commit of another one (docs/decisions/0023).
   */
  readonly isConfined?: true
}

/** What the tenancy of a request follows from, apart from its body. */
interface TenancySource {
  readonly query: Query
  /** @throws Refusal `denied` when the secret presented belongs to no valid token */
  readonly authority: Authority
  serviceHeader(name: 'namespace' | 'partition'): string | undefined
}

/** Where a body names its tenancy; empty texts stand for what was not said. */
export interface BodyTenancy {
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

export interface RequestTenancy extends Tenancy {
  /** False when the namespace was inherited from the token or is the default: nobody named it. */
  readonly isNamespaceGiven: boolean
}

const NAMESPACE = ['ns', 'namespace'] as const
const PARTITION = ['partition', 'ap'] as const

const NOT_GIVEN: RequestTenancy = { ...DEFAULT_TENANCY, isNamespaceGiven: false }

const nameOf = (what: 'namespace' | 'partition', given: string, use: TenancyUse): string => {
  const name = given.toLowerCase()
  if (name === ALL_NAMESPACES) {
    if (what === 'namespace' && use === 'many') return name
    throw invalid(`Bad request: Invalid ${what} "*": a wildcard is not allowed here`)
  }
  if (!isTenancyName(name))
    throw invalid(
      `Bad request: Invalid ${what} "${given}": it must be a DNS label of 1 to 63 letters, digits and hyphens`
    )
  return name
}

/**
 * The name of a namespace in a parameter of its own. @throws Refusal `invalid`, also for `*`
 */
export const oneNamespace = (given: string): string => nameOf('namespace', given, 'one')

/** A name of the query or header, which is refused also where another one counts. @throws Refusal `invalid` */
const checked = (what: 'namespace' | 'partition', name: string | undefined): string | undefined => {
  if (name !== undefined && name !== ALL_NAMESPACES) nameOf(what, name, 'one')
  return name
}

/**
 * Whether the request itself says that it means `default`, or every namespace, whatever its route takes. Such an answer says
 * `default` where others leave it out (decisions.md 44).
 */
export const namesDefault = (request: TenancySource, body: BodyTenancy): boolean => {
  const { query } = request
  const given =
    body.Namespace || query.filled('ns') || query.filled('namespace') || request.serviceHeader('namespace')
  return given !== undefined && (given === ALL_NAMESPACES || given.toLowerCase() === 'default')
}

/** What the request says apart from its body: by the short parameter, the long one, the header. */
const outside = (
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
 * The tenancy by the five steps: body, parameter, header, token, `default`.
 * @throws Refusal `invalid` for a name that cannot be one; `denied` when the token is needed and unknown
 */
export const resolveTenancy = (
  request: TenancySource,
  use: TenancyUse,
  body: BodyTenancy
): RequestTenancy => {
  if (use === 'none') return NOT_GIVEN
  const outer = outside(request, 'partition', PARTITION)
  const partition = body.Partition || outer
  const home = use === 'named' ? DEFAULT_TENANCY : (request.authority.token?.tenancy ?? DEFAULT_TENANCY)
  const inPartition = partition ? nameOf('partition', partition, use) : home.partition
  if (use === 'partition')
    return inPartition === 'default' ? NOT_GIVEN : { ...NOT_GIVEN, partition: inPartition }
  const named = outside(request, 'namespace', NAMESPACE)
  const namespace = body.Namespace || named
  if (namespace)
    return {
      partition: inPartition,
      namespace: nameOf('namespace', namespace, use),
      isNamespaceGiven: true
    }
  // A namespace is inherited only within the token's own partition.
  const inherited = inPartition === home.partition ? home.namespace : DEFAULT_TENANCY.namespace
  if (inherited === 'default' && inPartition === 'default') return NOT_GIVEN
  return { partition: inPartition, namespace: inherited, isNamespaceGiven: false }
}

/** The namespace of a request and that of its token; undefined where the request means all of them. */
export const bothTenancies = (
  asked: RequestTenancy,
  own: Tenancy | undefined
): readonly Tenancy[] | undefined => {
  if (asked.namespace === ALL_NAMESPACES) return undefined
  return own ? [asked, own] : [asked]
}
