// The state of a compilation: the question, the entries read, and the nodes, targets and protocol so far.
import type { EntryOf } from '../../events/config-entry.js'
import type { LoadBalancer } from '../../events/config/routing.js'
import type { Tenancy } from '../../events/envelope.js'
import type { ConfigLookup } from '../config/rows.js'
import { entryKey } from '../config/names.js'
import { CompileError, type ResolverNode, type RouterNode, type ChainKind, type EntryRef } from './chain.js'
import type { Overrides } from './overrides.js'
import { Targets } from './targets.js'

export interface ChainQuestion {
  readonly service: string
  readonly tenancy: Tenancy
  readonly datacenter: string
  /** The server's own datacenter. */
  readonly homeDatacenter: string
  /** UUID of the cluster; part of the names of targets. */
  readonly clusterId: string
  readonly overrides?: Overrides
}

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

export class Compilation {
  readonly targets: Targets
  /** By `<Type>:<Name>`. */
  readonly nodes = new Map<string, UnfinishedNode>()
  readonly used = { protocol: false, connectTimeout: false, meshGatewayMode: false }
  /** The protocol of the first service, with its source; all others must agree. */
  protocol: { readonly name: string; readonly from: readonly EntryRef[] } | undefined
  /** The first router or splitter; chains with them need an L7 protocol. */
  advancedBy: EntryRef | undefined
  readonly #reads = new Map<string, EntryRef>()

  constructor(
    readonly question: ChainQuestion,
    private readonly entries: ConfigLookup,
    readonly overrides: Overrides
  ) {
    this.targets = new Targets(question)
  }

  /** The protocol override disables routers and splitters. */
  get isFlat(): boolean {
    return this.overrides.protocol !== '' && !isL7(this.overrides.protocol)
  }

  /** The entries looked up so far, whether they exist or not. */
  get reads(): readonly EntryRef[] {
    return [...this.#reads.values()]
  }

  /** The name of a router or splitter node; the partition is omitted if it is that of the chain. */
  nodeName(service: string, { partition, namespace }: Tenancy): string {
    const name = `${service}.${namespace}`
    return partition === this.question.tenancy.partition ? name : `${name}.${partition}`
  }

  find<Kind extends ChainKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined {
    this.#reads.set(entryKey(kind, name, tenancy), { kind, name, tenancy })
    return this.entries.get(kind, name, tenancy)
  }

  proxyDefaults({ partition }: Tenancy): EntryOf<'proxy-defaults'> | undefined {
    return this.find('proxy-defaults', 'global', { partition, namespace: 'default' })
  }

  fail(text: string, entries: readonly EntryRef[]): CompileError {
    return new CompileError(text, entries, this.reads)
  }
}
