// The state of a compilation: the question, the entries read, and the nodes, targets and protocol so far.
import type { ResolverRedirect, ResolverSubset, LoadBalancer } from '../../events/config/routing.js'
import type { MeshGateway } from '../../events/config/parts.js'
import { tenancyNamed, entryKey } from '../config/names.js'
import { getOrCreate } from '../maps.js'
import { byText } from '../row-table.js'
import {
  type ChainTarget,
  CompileError,
  type ResolverNode,
  type RouterNode,
  type ChainKind,
  type EntryRef
} from './chain.js'
import type { EntryOf } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import type { ConfigLookup } from '../config/rows.js'

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
  /** Some several times. */
  readonly #reads: EntryRef[] = []

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
    const reads = this.#reads.map(read => [entryKey(read.kind, read.name, read.tenancy), read] as const)
    return [...new Map(reads).values()]
  }

  /** The name of a router or splitter node; the partition is omitted if it is that of the chain. */
  nodeName(service: string, { partition, namespace }: Tenancy): string {
    const name = `${service}.${namespace}`
    return partition === this.question.tenancy.partition ? name : `${name}.${partition}`
  }

  find<Kind extends ChainKind>(kind: Kind, name: string, tenancy: Tenancy): EntryOf<Kind> | undefined {
    this.#reads.push({ kind, name, tenancy })
    return this.entries.get(kind, name, tenancy)
  }

  proxyDefaults({ partition }: Tenancy): EntryOf<'proxy-defaults'> | undefined {
    return this.find('proxy-defaults', 'global', { partition, namespace: 'default' })
  }

  fail(text: string, entries: readonly EntryRef[]): CompileError {
    return new CompileError(text, entries, this.reads)
  }
}

interface TargetSettings {
  readonly connectTimeout: string
  readonly subset: ResolverSubset
  readonly externalSni: string
  readonly meshGateway: MeshGateway
}

/** A service or a subset of it in one datacenter. */
export interface Target {
  readonly id: string
  readonly service: string
  /** Empty for all instances. */
  readonly subset: string
  readonly tenancy: Tenancy
  readonly datacenter: string
}

/** The last label of every target's name, whatever the domain of DNS (config.md §6.1). */
const DOMAIN = 'consul'

class Targets {
  readonly #byId = new Map<string, Target>()
  readonly #kept = new Map<string, ChainTarget>()

  constructor(private readonly question: ChainQuestion) {}

  target(service: string, subset: string, tenancy: Tenancy, datacenter = this.question.datacenter): Target {
    const { partition, namespace } = tenancy
    const parts = [service, namespace, ...(partition === 'default' ? [] : [partition]), datacenter]
    const id = (subset === '' ? parts : [subset, ...parts]).join('.')
    return getOrCreate(this.#byId, id, () => ({ id, service, subset, tenancy, datacenter }))
  }

  /** The target of a redirect or failover; another service starts without a subset. */
  rewrite(from: Target, to: ResolverRedirect): Target {
    const service = to.Service || from.service
    const subset = to.ServiceSubset || (service === from.service ? from.subset : '')
    return this.target(service, subset, tenancyNamed(to, from.tenancy), to.Datacenter || from.datacenter)
  }

  keep(target: Target, settings: TargetSettings): void {
    this.#kept.set(target.id, this.#shown(target, settings))
  }

  /** The targets of the chain, in the order of their IDs. */
  kept(): readonly ChainTarget[] {
    return [...this.#kept.values()].toSorted((a, b) => byText(a.ID, b.ID))
  }

  #shown({ id, service, subset, tenancy, datacenter }: Target, settings: TargetSettings): ChainTarget {
    const { partition, namespace } = tenancy
    const isDefault = partition === 'default'
    const name = `${id}.${isDefault ? 'internal' : 'internal-v1'}.${this.question.clusterId}.${DOMAIN}`
    return {
      ID: id,
      Service: service,
      ...(subset === '' ? {} : { ServiceSubset: subset }),
      Namespace: namespace,
      ...(isDefault ? {} : { Partition: partition }),
      Datacenter: datacenter,
      ConnectTimeout: settings.connectTimeout,
      MeshGateway: settings.meshGateway,
      Subset: settings.subset,
      ...(settings.externalSni === '' ? {} : { External: true as const }),
      SNI: settings.externalSni || name,
      Name: name
    }
  }
}

/** Overrides of a chain (spec: config.md §6.2). Empty texts and 0 override nothing. */
export interface Overrides {
  readonly protocol: string
  /** Nanoseconds. */
  readonly connectTimeout: number
  readonly meshGatewayMode: string
}

export const NO_OVERRIDES: Overrides = Object.freeze({ protocol: '', connectTimeout: 0, meshGatewayMode: '' })

const FNV_OFFSET = 14695981039346656037n
const FNV_PRIME = 1099511628211n
const MASK = 2n ** 64n - 1n

const fnv = (bytes: Uint8Array): bigint => {
  let hash = FNV_OFFSET
  for (const byte of bytes) hash = ((hash * FNV_PRIME) & MASK) ^ BigInt(byte)
  return hash
}

const ofText = (text: string): bigint => fnv(Buffer.from(text))

/** Encodes as 64-bit little-endian integers. */
const ofNumbers = (...values: readonly bigint[]): bigint => {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [i, value] of values.entries()) bytes.writeBigUInt64LE(value, 8 * i)
  return fnv(bytes)
}

/** Returns eight hexadecimal digits that depend on the overrides only. */
export const customizationHash = ({ protocol, connectTimeout, meshGatewayMode }: Overrides): string => {
  const mode = ofText('MeshGatewayConfig') ^ ofNumbers(ofText('Mode'), ofText(meshGatewayMode))
  const hash =
    ofText('') ^
    ofNumbers(ofText('OverrideMeshGateway'), mode) ^
    ofNumbers(ofText('OverrideProtocol'), ofText(protocol)) ^
    ofNumbers(ofText('OverrideConnectTimeout'), ofNumbers(BigInt(Math.trunc(connectTimeout))))
  return hash.toString(16).slice(0, 8)
}
