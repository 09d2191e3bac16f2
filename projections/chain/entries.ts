// What a chain is compiled from: the fields of configuration entries that matter to it, and how entries are looked up.
import type { Tenancy } from '../../events/envelope.js'

export interface MeshGateway {
  readonly Mode?: string
}

export interface ServiceDefaults {
  readonly Protocol: string
  readonly ExternalSNI?: string
  readonly MeshGateway: MeshGateway
}

export interface ProxyDefaults {
  readonly Config: Readonly<Record<string, unknown>> | null
  readonly MeshGateway: MeshGateway
}

/** A route's destination; further fields are the proxy's business and are passed on. */
export interface RouteDestination {
  readonly Service?: string
  readonly ServiceSubset?: string
  readonly Namespace?: string
}

export interface Route {
  readonly Match?: object
  readonly Destination?: RouteDestination
}

export interface ServiceRouter {
  readonly Name: string
  readonly Routes: readonly Route[] | null
}

export interface Split extends RouteDestination {
  /** Percent, in hundredths. */
  readonly Weight: number
}

export interface ServiceSplitter {
  readonly Splits: readonly Split[]
}

export interface Subset {
  readonly Filter?: string
  readonly OnlyPassing?: boolean
}

export interface Redirect extends RouteDestination {
  readonly Datacenter?: string
}

export interface Failover extends RouteDestination {
  readonly Datacenters?: readonly string[]
}

export interface LoadBalancer {
  readonly Policy?: string
}

export interface ServiceResolver {
  /** Duration text. */
  readonly ConnectTimeout?: string
  readonly DefaultSubset?: string
  readonly Subsets?: Readonly<Record<string, Subset>>
  readonly Redirect?: Redirect
  readonly Failover?: Readonly<Record<string, Failover>>
  readonly LoadBalancer?: LoadBalancer
}

/** The kinds that chains are compiled from, each in the form in which it is read. */
export interface ChainEntries {
  readonly 'proxy-defaults': ProxyDefaults
  readonly 'service-defaults': ServiceDefaults
  readonly 'service-resolver': ServiceResolver
  readonly 'service-router': ServiceRouter
  readonly 'service-splitter': ServiceSplitter
}

export type ChainKind = keyof ChainEntries

/** Where entries are found. Names are compared without regard to letter case. */
export interface EntryLookup {
  get<Kind extends ChainKind>(kind: Kind, name: string, tenancy: Tenancy): ChainEntries[Kind] | undefined
}

/** Names a configuration entry, whether it exists or not. */
export interface EntryRef {
  readonly kind: string
  readonly name: string
  readonly tenancy: Tenancy
}

/** One text for a configuration entry, as a key of a Map: equal for names that differ in letter case only. */
export const entryKey = ({ kind, name, tenancy }: EntryRef): string =>
  `${kind}/${tenancy.partition}/${tenancy.namespace}/${name.toLowerCase()}`

/** An entry as errors name it; the namespace is said outside `default`. */
export const entryText = ({ kind, name, tenancy }: EntryRef): string =>
  `${kind} ${serviceText(name, tenancy)}`

/** A service as errors name it; the namespace is said outside `default`. */
export const serviceText = (name: string, { namespace }: Tenancy): string =>
  namespace === 'default' ? `"${name}"` : `"${name}.${namespace}"`
