// Entries that make a discovery chain: router, splitter and resolver (spec: config.md §4.3 to §4.5).
import type { HeaderMatch, WithMeta } from './services.js'

/** A condition on a query parameter: exactly one of Present, Exact and Regex. */
interface QueryParamMatch {
  readonly Name: string
  readonly Present?: boolean
  readonly Exact?: string
  readonly Regex?: string
}

interface RouteHttpMatch {
  readonly PathExact?: string
  readonly PathPrefix?: string
  readonly PathRegex?: string
  readonly Header?: readonly HeaderMatch[]
  readonly QueryParam?: readonly QueryParamMatch[]
  readonly Methods?: readonly string[]
}

interface RouteMatch {
  readonly HTTP?: RouteHttpMatch
}

interface RouteDestination {
  readonly Service?: string
  readonly ServiceSubset?: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly PrefixRewrite?: string
  /** Duration text. */
  readonly RequestTimeout?: string
  readonly NumRetries?: number
  readonly RetryOnConnectFailure?: boolean
  readonly RetryOnStatusCodes?: readonly number[]
}

export interface ServiceRoute {
  readonly Match?: RouteMatch
  readonly Destination?: RouteDestination
}

export interface ServiceRouter extends WithMeta {
  readonly Kind: 'service-router'
  readonly Name: string
  /** Null and empty are different values. */
  readonly Routes: readonly ServiceRoute[] | null
}

export interface ServiceSplit {
  /** Percent, a multiple of 0.01. */
  readonly Weight: number
  readonly Service?: string
  readonly ServiceSubset?: string
  readonly Namespace?: string
  readonly Partition?: string
}

export interface ServiceSplitter extends WithMeta {
  readonly Kind: 'service-splitter'
  readonly Name: string
  readonly Splits: readonly ServiceSplit[]
}

export interface ResolverSubset {
  readonly Filter?: string
  readonly OnlyPassing?: boolean
}

export interface ResolverRedirect {
  readonly Service?: string
  readonly ServiceSubset?: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly Datacenter?: string
}

export interface ResolverFailover {
  readonly Service?: string
  readonly ServiceSubset?: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly Datacenters?: readonly string[]
}

interface CookieConfig {
  readonly Session?: boolean
  /** Nanoseconds. */
  readonly TTL?: number
  readonly Path?: string
}

export interface HashPolicy {
  readonly Field?: string
  readonly FieldValue?: string
  readonly CookieConfig?: CookieConfig
  readonly SourceIP?: boolean
  readonly Terminal?: boolean
}

export interface LoadBalancer {
  readonly Policy?: string
  readonly RingHashConfig?: { readonly MinimumRingSize?: number; readonly MaximumRingSize?: number }
  readonly LeastRequestConfig?: { readonly ChoiceCount?: number }
  readonly HashPolicies?: readonly HashPolicy[]
}

export interface ServiceResolver extends WithMeta {
  readonly Kind: 'service-resolver'
  readonly Name: string
  /** Duration text; left out when it is zero. */
  readonly ConnectTimeout?: string
  readonly DefaultSubset?: string
  readonly Subsets?: Readonly<Record<string, ResolverSubset>>
  readonly Redirect?: ResolverRedirect
  /** By subset, `*` for the rest. */
  readonly Failover?: Readonly<Record<string, ResolverFailover>>
  readonly LoadBalancer?: LoadBalancer
}
