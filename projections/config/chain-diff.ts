// The effect of a change of entries on the discovery chains, without the change (spec: users.md 53).
import { isDeepStrictEqual } from 'node:util'
import { recover } from '../../events/errors.js'
import { CompileError, type Chain } from '../chain/chain.js'
import { compileChain } from '../chain/compile.js'
import { getOrCreate } from '../maps.js'
import { servicesLeadingTo, type EntryChange } from './affected.js'
import type { EntryReader } from './reader.js'
import { namedServices, SERVICE_KINDS, serviceKey, type ServiceName } from './names.js'

const MAX_CHAINS = 256

interface KeyDifference {
  readonly Added: readonly string[]
  readonly Removed: readonly string[]
  readonly Changed: readonly string[]
}

interface ChainDifference {
  readonly Service: string
  readonly Namespace: string
  /** Null if it does not compile. */
  readonly Before: Chain | null
  readonly After: Chain | null
  readonly Error?: string
  readonly Nodes: KeyDifference
  readonly Targets: KeyDifference
}

export interface ChainDiff {
  readonly Chains: readonly ChainDifference[]
  /** Number of affected chains beyond the limit, which were not compared. */
  readonly Unchecked: number
}

interface ChainBasis {
  readonly datacenter: string
  readonly clusterId: string
}

/** Adds every service that entries name, whose protocol may come from proxy-defaults. */
const known = (entries: EntryReader, partition: string, found: Map<string, ServiceName>): void => {
  for (const kind of SERVICE_KINDS)
    for (const { entry, name, tenancy } of entries.inPartition(kind, partition)) {
      found.set(serviceKey(name, tenancy), { service: name, tenancy })
      for (const place of namedServices(entry, tenancy))
        getOrCreate(found, serviceKey(place.service, place.tenancy), () => place)
    }
}

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
  for (const place of registered(partition))
    getOrCreate(found, serviceKey(place.service, place.tenancy), () => place)
}

const compiled = (
  entries: EntryReader,
  { service, tenancy }: ServiceName,
  { datacenter, clusterId }: ChainBasis
) => {
  const question = { service, tenancy, datacenter, homeDatacenter: datacenter, clusterId }
  return recover(
    () => ({ chain: compileChain(question, entries).chain, error: undefined }),
    CompileError,
    ({ message }) => ({ chain: null, error: message })
  )
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
 * Compares the chains of every service that leads to a change, over any number of steps; for proxy-defaults the chains
 * of every service that is registered or that entries name. Costs two compilations a chain, of 256 chains at most.
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
  const compared = [...places.values()].slice(0, MAX_CHAINS)
  const Chains = compared.flatMap((place): ChainDifference[] => {
    const old = compiled(before, place, basis)
    const current = compiled(after, place, basis)
    if (old.error === current.error && isDeepStrictEqual(old.chain, current.chain)) return []
    return [
      {
        Service: place.service,
        Namespace: place.tenancy.namespace,
        Before: old.chain,
        After: current.chain,
        ...(current.error === undefined ? {} : { Error: current.error }),
        Nodes: difference(old.chain?.Nodes ?? {}, current.chain?.Nodes ?? {}),
        Targets: difference(old.chain?.Targets ?? {}, current.chain?.Targets ?? {})
      }
    ]
  })
  return { Chains, Unchecked: places.size - compared.length }
}
