// What a change of entries would do to the discovery chains (spec: users.md 53). Nothing is changed.
import { isDeepStrictEqual } from 'node:util'
import type { Chain } from '../chain/chain.js'
import { CompileError } from '../chain/chain.js'
import { compileChain } from '../chain/compile.js'
import { servicesLeadingTo, type EntryChange } from './affected.js'
import type { EntryReader } from './reader.js'
import { namedServices, SERVICE_KINDS, serviceKey, type ServiceName } from './names.js'

/** Most chains that a trial compiles; how many more there are is told. */
const MOST_CHAINS = 256

/** Keys of a map that are only after, only before, or differ. */
interface KeyDifference {
  readonly Added: readonly string[]
  readonly Removed: readonly string[]
  readonly Changed: readonly string[]
}

/** What becomes of one chain. */
interface ChainDifference {
  readonly Service: string
  readonly Namespace: string
  /** Null where it does not compile. */
  readonly Before: Chain | null
  readonly After: Chain | null
  /** Why it does not compile afterwards. */
  readonly Error?: string
  readonly Nodes: KeyDifference
  readonly Targets: KeyDifference
}

export interface ChainDiff {
  /** The chains that differ. */
  readonly Chains: readonly ChainDifference[]
  /** Number of chains that may differ and were not looked at. */
  readonly Unchecked: number
}

/** What chains are compiled with. */
interface ChainBasis {
  readonly datacenter: string
  readonly clusterId: string
}

/** Every service that entries say something of: their protocols may come from proxy-defaults. */
const known = (entries: EntryReader, partition: string, found: Map<string, ServiceName>): void => {
  for (const kind of SERVICE_KINDS)
    for (const { entry, name, tenancy } of entries.inPartition(kind, partition)) {
      found.set(serviceKey(name, tenancy), { service: name, tenancy })
      for (const place of namedServices(entry, tenancy)) {
        const key = serviceKey(place.service, place.tenancy)
        if (!found.has(key)) found.set(key, place)
      }
    }
}

/** The services that are registered in a partition. */
type Registered = (partition: string) => Iterable<ServiceName>

const concerned = (
  states: readonly EntryReader[],
  change: EntryChange,
  registered: Registered,
  found: Map<string, ServiceName>
): void => {
  const { partition } = change.tenancy
  for (const entries of states)
    if (change.kind === 'proxy-defaults') known(entries, partition, found)
    else if (SERVICE_KINDS.has(change.kind))
      for (const [key, place] of servicesLeadingTo(entries, [
        { service: change.name, tenancy: change.tenancy }
      ]))
        found.set(key, place)
  if (change.kind !== 'proxy-defaults') return
  for (const place of registered(partition)) {
    const key = serviceKey(place.service, place.tenancy)
    if (!found.has(key)) found.set(key, place)
  }
}

const compiled = (
  entries: EntryReader,
  { service, tenancy }: ServiceName,
  { datacenter, clusterId }: ChainBasis
) => {
  try {
    const question = { service, tenancy, datacenter, homeDatacenter: datacenter, clusterId }
    return { chain: compileChain(question, entries).chain, error: undefined }
  } catch (error) {
    if (error instanceof CompileError) return { chain: null, error: error.message }
    throw error
  }
}

type Keyed = Readonly<Record<string, unknown>>

const difference = (before: Keyed, after: Keyed): KeyDifference => ({
  Added: Object.keys(after).filter(key => !Object.hasOwn(before, key)),
  Removed: Object.keys(before).filter(key => !Object.hasOwn(after, key)),
  Changed: Object.keys(after).filter(
    key => Object.hasOwn(before, key) && !isDeepStrictEqual(before[key], after[key])
  )
})

/**
 * The difference that changes make to the chains of every service that leads to what is changed, over any
 * number of steps; of proxy-defaults to those of every service that is registered or that entries name. Costs two compilations a chain, of 256 chains at most.
 */
export const chainDiffOf = (
  before: EntryReader,
  after: EntryReader,
  changes: readonly EntryChange[],
  basis: ChainBasis,
  registered: Registered
): ChainDiff => {
  const places = new Map<string, ServiceName>()
  for (const change of changes) concerned([before, after], change, registered, places)
  const looked = [...places.values()].slice(0, MOST_CHAINS)
  const Chains = looked.flatMap((place): ChainDifference[] => {
    const was = compiled(before, place, basis)
    const is = compiled(after, place, basis)
    if (was.error === is.error && isDeepStrictEqual(was.chain, is.chain)) return []
    return [
      {
        Service: place.service,
        Namespace: place.tenancy.namespace,
        Before: was.chain,
        After: is.chain,
        ...(is.error === undefined ? {} : { Error: is.error }),
        Nodes: difference(was.chain?.Nodes ?? {}, is.chain?.Nodes ?? {}),
        Targets: difference(was.chain?.Targets ?? {}, is.chain?.Targets ?? {})
      }
    ]
  })
  return { Chains, Unchecked: places.size - looked.length }
}
