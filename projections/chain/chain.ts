// The compiled discovery chain, as GET /v1/discovery-chain shows it (spec: config.md §6.1).
import type { LoadBalancer, ResolverSubset, ServiceRoute } from '../../events/config/routing.js'
import type { MeshGateway } from '../../events/config/shared.js'

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
