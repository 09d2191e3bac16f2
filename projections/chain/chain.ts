// The compiled discovery chain, as GET /v1/discovery-chain shows it (spec: config.md §6.1).
import type { LoadBalancer, ResolverSubset, ServiceRoute } from '../../events/config/routing.js'
import type { MeshGateway } from '../../events/config/shared.js'
import type { ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'

/** The kinds that a chain is compiled from. */
export type ChainKind =
  'proxy-defaults' | 'service-defaults' | 'service-resolver' | 'service-router' | 'service-splitter'

/** Names a configuration entry, whether it exists or not. */
export interface EntryRef {
  readonly kind: ConfigKind
  readonly name: string
  readonly tenancy: Tenancy
}

/** An entry as errors name it; namespace and partition are said outside `default`. */
export const entryText = ({ kind, name, tenancy }: EntryRef): string =>
  `${kind} ${serviceText(name, tenancy)}`

/** A service as errors name it; namespace and partition are said outside `default`. */
export const serviceText = (name: string, { partition, namespace }: Tenancy): string => {
  if (partition !== 'default') return `"${name}.${namespace}.${partition}"`
  return namespace === 'default' ? `"${name}"` : `"${name}.${namespace}"`
}

/** Ends a compilation. The text names the service, the rule, and the entries against each other. */
export class CompileError extends Error {
  override readonly name = 'CompileError'

  constructor(
    text: string /** The entries that stand against each other. */,
    readonly entries: readonly EntryRef[] /** The entries read until then, for caches of the result. */,
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

interface ChainSplit {
  /** Percent; absent when it is 0. */
  readonly Weight?: number
  readonly NextNode: string
}

interface SplitterNode {
  readonly Type: 'splitter'
  readonly Name: string
  readonly Splits: readonly ChainSplit[]
  readonly LoadBalancer?: LoadBalancer
}

export interface ResolverNode {
  readonly Type: 'resolver'
  readonly Name: string
  readonly Resolver: {
    /** Duration text. */
    readonly ConnectTimeout: string
    /** True where no entry says anything of how to resolve. */
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
  /** Present when an override had an effect. */
  readonly CustomizationHash?: string
  readonly Protocol: string
  /** Key in `Nodes`. */
  readonly StartNode: string
  /** By `<Type>:<Name>`, in the order of the keys. */
  readonly Nodes: Readonly<Record<string, ChainNode>>
  /** By ID, in the order of the IDs. */
  readonly Targets: Readonly<Record<string, ChainTarget>>
}
