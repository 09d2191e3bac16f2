// The compiled discovery chain of GET /v1/discovery-chain (spec: config.md §6.1).
import type { LoadBalancer, ResolverSubset, ServiceRoute } from '../../events/config/routing.js'
import type { MeshGateway } from '../../events/config/parts.js'
import type { ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'

export type ChainKind =
  'proxy-defaults' | 'service-defaults' | 'service-resolver' | 'service-router' | 'service-splitter'

/** Names a configuration entry that may not exist. */
export interface EntryRef {
  readonly kind: ConfigKind
  readonly name: string
  readonly tenancy: Tenancy
}

/** An entry in an error text; namespace and partition are omitted for `default`. */
export const entryText = ({ kind, name, tenancy }: EntryRef): string =>
  `${kind} ${serviceText(name, tenancy)}`

/** A service in an error text; namespace and partition are omitted for `default`. */
export const serviceText = (name: string, { partition, namespace }: Tenancy): string => {
  if (partition !== 'default') return `"${name}.${namespace}.${partition}"`
  return namespace === 'default' ? `"${name}"` : `"${name}.${namespace}"`
}

/** A failed compilation. The text names the service, the rule, and the conflicting entries. */
export class CompileError extends Error {
  override readonly name = 'CompileError'

  constructor(
    text: string,
    readonly entries: readonly EntryRef[],
    /** The entries read so far, for caches of the result. */
    readonly reads: readonly EntryRef[]
  ) {
    super(entries.length === 0 ? text : `${text} (${entries.map(entryText).join(', ')})`)
  }
}

export interface ChainRoute {
  readonly Definition: ServiceRoute
  readonly NextNode: string
}

export interface RouterNode {
  readonly Type: 'router'
  readonly Name: string
  readonly Routes: readonly ChainRoute[]
}

interface SplitterNode {
  readonly Type: 'splitter'
  readonly Name: string
  /** `Weight` is in percent; absent for 0. */
  readonly Splits: readonly { readonly Weight?: number; readonly NextNode: string }[]
  readonly LoadBalancer?: LoadBalancer
}

export interface ResolverNode {
  readonly Type: 'resolver'
  readonly Name: string
  readonly Resolver: {
    /** Duration text. */
    readonly ConnectTimeout: string
    /** True if no entry configures the resolution. */
    readonly Default?: true
    readonly Target: string
    readonly Failover?: { readonly Targets: readonly string[] }
  }
  readonly LoadBalancer?: LoadBalancer
}

export type ChainNode = RouterNode | SplitterNode | ResolverNode

export interface ChainTarget {
  readonly ID: string
  readonly Service: string
  readonly ServiceSubset?: string
  readonly Namespace: string
  /** Absent in `default`. */
  readonly Partition?: string
  readonly Datacenter: string
  /** Duration text. */
  readonly ConnectTimeout: string
  readonly MeshGateway: MeshGateway
  readonly Subset: ResolverSubset
  readonly External?: true
  readonly SNI: string
  readonly Name: string
}

export interface Chain {
  readonly ServiceName: string
  readonly Namespace: string
  /** Absent in `default`. */
  readonly Partition?: string
  readonly Datacenter: string
  /** Present if an override had an effect. */
  readonly CustomizationHash?: string
  readonly Protocol: string
  /** Key in `Nodes`. */
  readonly StartNode: string
  /** By `<Type>:<Name>`, in the order of the keys. */
  readonly Nodes: Readonly<Record<string, ChainNode>>
  /** By ID, in the order of the IDs. */
  readonly Targets: Readonly<Record<string, ChainTarget>>
}
