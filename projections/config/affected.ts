// Finds the chains, gateways and intentions that a write of entries may have broken (spec: config.md §5).
//
// Three rules apply. Each chain compiles. An ingress gateway has the protocol of the chains that it lists. Intentions
// with permissions are on a service whose chain has an L7 protocol. Compiling every chain at every write would take
// half a second among 10,000 entries (decisions/0015), so a write checks only the affected ones:
//
// - Nothing, if chains do not depend on the change: weights, timeouts, metadata (`isChainNeutral`).
// - For an entry of a service: the chain of the service, the chains that name it directly, the gateways that list it,
//   and the intentions on every service whose chain leads to it, over any number of steps.
// - For a gateway or intentions: these themselves.
// - For proxy-defaults with another protocol: every chain that leads to a service without service-defaults, whose
//   protocol is the default (`ProxyDefaultsDependents`).
//
// As in the reference, an entry of a service may break a chain two steps away. And some commands check nothing: a namespace deletion, a restore run.
// The reference finds such errors at the next write of proxy-defaults, which checks everything. Here `UnvalidatedServices` records the services that
// may have them. A write of proxy-defaults checks the chains that lead to them, and once it is stored the list is empty. Every other chain was valid
// at its last check, and none of its dependencies has changed.
import { isDeepStrictEqual } from 'node:util'
import type { ConfigEntry, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import type { EntryRef } from '../chain/chain.js'
import { DEFAULT_PROTOCOL, protocolOf } from '../chain/protocols.js'
import { CHAIN_KINDS, hasPermissions, ROUTING, SERVICE_KINDS, serviceKey, type ServiceName } from './names.js'
import { protocolUsers } from './proxy-defaults-dependents.js'
import type { EntryReader } from './reader.js'
import type { EntryRow } from './rows.js'

/** Finds the entries of a kind that name a service (a key of `serviceKey`). */
export interface Naming {
  naming(kind: ConfigKind, service: string): Iterable<{ readonly name: string; readonly tenancy: Tenancy }>
}

export interface EntryChange extends EntryRef {
  readonly isDeleted: boolean
  /** The entry before all the changes; undefined if there was none. */
  readonly before: ConfigEntry | undefined
}

interface Affected {
  /** Services whose chains must compile, by `serviceKey`. */
  readonly chains: Map<string, ServiceName>
  /** Gateways to check; true for those that were written themselves. */
  readonly gateways: Map<EntryRow, boolean>
  readonly intentions: Set<EntryRow>
}

const placeOf = ({ name, tenancy }: Pick<EntryRow, 'name' | 'tenancy'>): ServiceName => ({
  service: name,
  tenancy
})

/** The parts of an entry that decide if chains compile, and their protocol (spec: config.md §5, §7). */
const bearing = (entry: ConfigEntry): unknown => {
  switch (entry.Kind) {
    case 'service-defaults':
      return [entry.Protocol.toLowerCase() || DEFAULT_PROTOCOL, Boolean(entry.ExternalSNI)]
    case 'service-router':
      return [entry.Name, (entry.Routes ?? []).map(({ Destination }) => destination(Destination))]
    case 'service-splitter':
      return [entry.Name, entry.Splits.map(destination)]
    case 'service-resolver': {
      const { Name, DefaultSubset, Subsets, Redirect, Failover } = entry
      return [Name, DefaultSubset, Object.keys(Subsets ?? {}).toSorted(), Redirect, Failover]
    }
    case 'service-intentions':
    case 'ingress-gateway':
    case 'terminating-gateway':
    case 'exported-services':
    case 'proxy-defaults':
    case 'mesh':
      return entry
  }
}

interface Destination {
  readonly Service?: string
  readonly ServiceSubset?: string
  readonly Namespace?: string
  readonly Partition?: string
}

const destination = ({ Service, ServiceSubset, Namespace, Partition }: Destination = {}): unknown => [
  Service,
  ServiceSubset,
  Namespace,
  Partition
]

const defaultProtocol = (entry: ConfigEntry | undefined): string =>
  (entry?.Kind === 'proxy-defaults' ? protocolOf(entry) : '') || DEFAULT_PROTOCOL

/** Returns true if no chain can change validity, protocol or kind of start node between two states (or none). Cost: the size of the entries. */
export const isChainNeutral = (before: ConfigEntry | undefined, after: ConfigEntry | undefined): boolean =>
  (before ?? after)?.Kind === 'proxy-defaults'
    ? defaultProtocol(before) === defaultProtocol(after)
    : before === after ||
      (before !== undefined && after !== undefined && isDeepStrictEqual(bearing(before), bearing(after)))

/**
 * The services whose chains lead to any of some services, over any number of steps, including these, by `serviceKey`. Splitters and resolvers lead
 * from service to service; a router affects only the chain of its own service (config.md §7). Costs the entries on those paths.
 */
export const servicesLeadingTo = (
  entries: Naming,
  services: Iterable<ServiceName>
): Map<string, ServiceName> => {
  const found = new Map<string, ServiceName>()
  for (const place of services) found.set(serviceKey(place.service, place.tenancy), place)
  const follow = (kind: ConfigKind, key: string): void => {
    for (const row of entries.naming(kind, key)) {
      const own = serviceKey(row.name, row.tenancy)
      if (!found.has(own)) found.set(own, placeOf(row))
    }
  }
  for (const key of found.keys()) {
    follow('service-splitter', key)
    follow('service-resolver', key)
  }
  const direct = [...found.keys()]
  for (const key of direct) follow('service-router', key)
  return found
}

const addGateway = ({ gateways }: Affected, row: EntryRow, isWritten: boolean): void => {
  gateways.set(row, isWritten || (gateways.get(row) ?? false))
}

/** Adds everything that depends on the protocol of a service, over any number of steps. */
const addLeading = (entries: EntryReader, services: Iterable<ServiceName>, affected: Affected): void => {
  for (const [key, { service, tenancy }] of servicesLeadingTo(entries, services)) {
    for (const kind of ROUTING) {
      const row = entries.row(kind, service, tenancy)
      if (row) affected.chains.set(key, placeOf(row))
    }
    for (const row of entries.naming('ingress-gateway', key)) addGateway(affected, row, false)
    for (const row of entries.l7IntentionsOn(key)) affected.intentions.add(row)
  }
}

/** Adds the direct references to a service, and the L7 intentions on every chain that leads to it. */
const addService = (entries: EntryReader, place: ServiceName, affected: Affected): void => {
  const key = serviceKey(place.service, place.tenancy)
  affected.chains.set(key, place)
  for (const kind of ROUTING)
    for (const row of entries.naming(kind, key))
      affected.chains.set(serviceKey(row.name, row.tenancy), placeOf(row))
  for (const row of entries.naming('ingress-gateway', key)) addGateway(affected, row, false)
  if (!entries.hasL7Intentions) return
  for (const leading of servicesLeadingTo(entries, [place]).keys())
    for (const row of entries.l7IntentionsOn(leading)) affected.intentions.add(row)
}

/** A change with the entry after all of them. */
interface Change {
  readonly kind: ConfigKind
  readonly place: ServiceName
  readonly row: EntryRow | undefined
  /** True if chains may change. */
  readonly bears: boolean
}

const changeIn = (entries: EntryReader, { kind, name, tenancy, before }: EntryChange): Change => {
  const row = entries.row(kind, name, tenancy)
  const bears = CHAIN_KINDS.has(kind) && !isChainNeutral(before, row?.entry)
  return { kind, place: { service: name, tenancy }, row, bears }
}

/** Adds unvalidated services and other changes, and the services with the default protocol if that changes. */
const addDefaults = (
  entries: EntryReader,
  { place, bears }: Change,
  changes: readonly Change[],
  affected: Affected
): void => {
  const { partition } = place.tenancy
  const { unchecked } = entries
  const changed = changes.filter(({ kind }) => SERVICE_KINDS.has(kind)).map(change => change.place)
  const services = [...unchecked.of(partition), ...changed]
  if (bears || unchecked.hasDefaults(partition)) {
    services.push(...entries.dependents.of(partition))
    for (const { row } of changes) if (row) services.push(...protocolUsers(row.entry, row.tenancy))
  }
  const own = services.filter(({ tenancy }) => tenancy.partition === partition)
  addLeading(entries, own, affected)
}

/** @param entries the state after the changes */
export const affectedBy = (entries: EntryReader, entryChanges: readonly EntryChange[]): Affected => {
  const affected: Affected = { chains: new Map(), gateways: new Map(), intentions: new Set() }
  const changes = entryChanges.map(change => changeIn(entries, change))
  const isValid = entries.unchecked.isEmpty && !changes.some(({ bears }) => bears)
  for (const change of changes) {
    const { kind, place, row } = change
    if (kind === 'proxy-defaults') addDefaults(entries, change, changes, affected)
    else if (SERVICE_KINDS.has(kind)) {
      if (!isValid) addService(entries, place, affected)
    } else if (row?.entry.Kind === 'ingress-gateway') addGateway(affected, row, true)
    else if (row && hasPermissions(row.entry)) affected.intentions.add(row)
  }
  return affected
}
