// Which chains, gateways and intentions a change of entries can affect (spec: config.md §5).
import type { ConfigEntry, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { bearsTheSame } from './bearing.js'
import type { ConfigEntries, EntryRow } from './entries.js'
import { hasPermissions, ROUTING, serviceKey, type Place } from './names.js'

/** An entry that was written or deleted. */
export interface EntryChange {
  readonly kind: ConfigKind
  readonly name: string
  /** Where the entry lives. */
  readonly tenancy: Tenancy
  readonly isDeleted: boolean
  /** The entry of this kind and name before all the changes; undefined when there was none. */
  readonly before: ConfigEntry | undefined
}

export interface Affected {
  /** Services whose chains are to be compiled, by `serviceKey`. */
  readonly chains: Map<string, Place>
  /** Gateways to check; true for those that were written themselves. */
  readonly gateways: Map<EntryRow, boolean>
  /** Intentions to check. */
  readonly intentions: Set<EntryRow>
}

const addChain = ({ chains }: Affected, service: string, tenancy: Tenancy): void => {
  chains.set(serviceKey(service, tenancy), { service, tenancy })
}

/** A gateway written counts as written, whatever else concerns it. */
const addGateway = ({ gateways }: Affected, row: EntryRow, isWritten: boolean): void => {
  gateways.set(row, isWritten || (gateways.get(row) ?? false))
}

/**
 * The services whose chains lead to any of some services, over any number of steps, these among them, by `serviceKey`.
 * Splitters and resolvers are followed from service to service; a router only counts for the chain of its own service,
 * since the routers of others are never looked at (config.md §7). Costs the entries on those ways.
 */
export const leadingTo = (entries: ConfigEntries, services: Iterable<Place>): Map<string, Place> => {
  const found = new Map<string, Place>()
  for (const place of services) found.set(serviceKey(place.service, place.tenancy), place)
  const follow = (kind: ConfigKind, key: string): void => {
    for (const row of entries.naming(kind, key)) {
      const own = serviceKey(row.name, row.tenancy)
      if (!found.has(own)) found.set(own, { service: row.name, tenancy: row.tenancy })
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

/** Everything that the protocol of any of some services bears on, over any number of steps. */
const addLeading = (entries: ConfigEntries, services: Iterable<Place>, affected: Affected): void => {
  for (const [key, { service, tenancy }] of leadingTo(entries, services)) {
    for (const kind of ROUTING) {
      const row = entries.row(kind, service, tenancy)
      if (row) addChain(affected, row.name, row.tenancy)
    }
    for (const row of entries.naming('ingress-gateway', key)) addGateway(affected, row, false)
    for (const row of entries.l7IntentionsOn(key)) affected.intentions.add(row)
  }
}

/**
 * Of proxy-defaults only the default protocol bears on chains, and only on those that lead to a service without
 * service-defaults. All others are as they were: right, but for those that a change elsewhere may have broken unseen.
 */
const addDefaults = (entries: ConfigEntries, { before, tenancy }: EntryChange, affected: Affected): void => {
  const { partition } = tenancy
  const after = entries.row('proxy-defaults', 'global', tenancy)?.entry
  if (!bearsTheSame(before, after) || entries.unchecked.hasDefaults(partition))
    addLeading(entries, entries.protocolTakers(partition), affected)
  addLeading(entries, entries.unchecked.of(partition), affected)
}

/**
 * Those who name the service directly, and the intentions that need an L7 protocol of a chain that leads to it. All
 * other intentions were checked when their own chains changed. A change that bears on no chain concerns nothing that was
 * not broken before.
 */
const addService = (entries: ConfigEntries, change: EntryChange, affected: Affected): void => {
  const { kind: written, name, tenancy, before } = change
  const after = entries.row(written, name, tenancy)?.entry
  if (bearsTheSame(before, after) && entries.unchecked.isEmpty) return
  const key = serviceKey(name, tenancy)
  addChain(affected, name, tenancy)
  for (const kind of ROUTING)
    for (const row of entries.naming(kind, key)) addChain(affected, row.name, row.tenancy)
  for (const row of entries.naming('ingress-gateway', key)) addGateway(affected, row, false)
  if (!entries.hasL7Intentions) return
  for (const leading of leadingTo(entries, [{ service: name, tenancy }]).keys())
    for (const row of entries.l7IntentionsOn(leading)) affected.intentions.add(row)
}

const addChange = (entries: ConfigEntries, change: EntryChange, affected: Affected): void => {
  const row = entries.row(change.kind, change.name, change.tenancy)
  switch (change.kind) {
    case 'proxy-defaults':
      return addDefaults(entries, change, affected)
    case 'service-intentions':
      if (row && hasPermissions(row.entry)) affected.intentions.add(row)
      return
    case 'ingress-gateway':
      if (row) addGateway(affected, row, true)
      return
    case 'terminating-gateway':
    case 'exported-services':
    case 'mesh':
      return
    case 'service-defaults':
    case 'service-resolver':
    case 'service-router':
    case 'service-splitter':
      return addService(entries, change, affected)
  }
}

/** @param entries as they are after the changes */
export const affectedBy = (entries: ConfigEntries, changes: readonly EntryChange[]): Affected => {
  const affected: Affected = { chains: new Map(), gateways: new Map(), intentions: new Set() }
  for (const change of changes) addChange(entries, change, affected)
  return affected
}
