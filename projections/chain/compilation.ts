// A chain while it is compiled: the question, the entries read, and the nodes, targets and protocol so far.
import type { EntryOf } from '../../events/config-entry.js'
import type { LoadBalancer } from '../../events/config/routing.js'
import type { Tenancy } from '../../events/envelope.js'
import type { ConfigLookup } from '../config/rows.js'
import { entryKey } from '../config/names.js'
import type { ResolverNode, RouterNode, ChainKind, EntryRef } from './chain.js'
import { CompileError } from './chain.js'
import type { Overrides } from './overrides.js'
import { Targets } from './targets.js'

/** What a chain is compiled for. */
export interface ChainQuestion {
  readonly service: string
  readonly tenancy: Tenancy
  /** The datacenter in which the chain is to be used. */
  readonly datacenter: string
  /** The server's own datacenter. */
  readonly homeDatacenter: string
  /** UUID of the cluster; part of the names of targets. */
  readonly clusterId: string
  readonly overrides?: Overrides
}

/** A split that may still lead to another splitter. */
export interface UnfinishedSplit {
  readonly weight: number
  readonly next: string
}

export interface UnfinishedSplitter {
  readonly Type: 'splitter'
  readonly Name: string
  readonly entry: EntryRef
  splits: readonly UnfinishedSplit[]
  loadBalancer: LoadBalancer | undefined
}

export type UnfinishedNode = RouterNode | ResolverNode | UnfinishedSplitter

export const isL7 = (protocol: string): boolean => ['http', 'http2', 'grpc'].includes(protocol)

/** The state of a compilation, which its steps share and change. */
export class Compilation {
  readonly targets: Targets
  /** By `<Type>:<Name>`. */
  readonly nodes = new Map<string, UnfinishedNode>()
  /** Which overrides had an effect. */
  readonly used = { protocol: false, connectTimeout: false, meshGatewayMode: false }
  /** That of the first service met, with where it comes from; all others must agree. */
  protocol: { readonly name: string; readonly from: readonly EntryRef[] } | undefined
  /** The first router or splitter used: chains with them need an L7 protocol. */
  advancedBy: EntryRef | undefined
  readonly #reads = new Map<string, EntryRef>()

  constructor(
    readonly question: ChainQuestion,
    private readonly entries: ConfigLookup,
    readonly overrides: Overrides
  ) {
    this.targets = new Targets(question)
  }

  /** The protocol override leaves out routers and splitters. */
  get isFlat(): boolean {
    return this.overrides.protocol !== '' && !isL7(this.overrides.protocol)
  }

  /** The entries looked up so far, found or not. */
  get reads(): readonly EntryRef[] {
    return [...this.#reads.values()]
  }

  /** The name of a router or splitter node; the partition is said where it is not that of the chain. */
  nodeName(service: string, { partition, namespace }: Tenancy): string {
    const name = `${service}.${namespace}`
    return partition === this.question.tenancy.partition ? name : `${name}.${partition}`
  }

  find<Kind extends ChainKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined {
    this.#reads.set(entryKey(kind, name, tenancy), { kind, name, tenancy })
    return this.entries.get(kind, name, tenancy)
  }

  /** The defaults of all services of a partition. */
  proxyDefaults({ partition }: Tenancy): EntryOf<'proxy-defaults'> | undefined {
    return this.find('proxy-defaults', 'global', { partition, namespace: 'default' })
  }

  /** @param entries those that stand against each other */
  fail(text: string, entries: readonly EntryRef[]): CompileError {
    return new CompileError(text, entries, this.reads)
  }
}
