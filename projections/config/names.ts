// Keys of entries and services, and what an entry names directly (spec: config.md §1.1, §5).
import type { ConfigContent, ConfigEntry, ConfigEntryEvent, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../table.js'

/** A service and where it is. */
export interface ServiceName {
  readonly service: string
  readonly tenancy: Tenancy
}

/** The kinds that lead from one service to others. */
export const ROUTING: readonly ConfigKind[] = ['service-router', 'service-splitter', 'service-resolver']

/** The kinds that say how one service is reached. */
export const SERVICE_KINDS: ReadonlySet<ConfigKind> = new Set([...ROUTING, 'service-defaults'])

/** The kinds that chains are compiled from. */
export const CHAIN_KINDS: ReadonlySet<ConfigKind> = new Set([...SERVICE_KINDS, 'proxy-defaults'])

/** Whether an entry holds intentions with permissions, which only L7 proxies can enforce. */
export const hasPermissions = (entry: ConfigEntry): boolean =>
  entry.Kind === 'service-intentions' &&
  entry.Name !== '*' &&
  entry.Sources.some(({ Permissions }) => Permissions !== undefined)

/** Where an entry of a kind lives: of some kinds a whole partition has one, in its namespace `default`. */
export const tenancyOfKind = (kind: ConfigKind, tenancy: Tenancy): Tenancy =>
  kind === 'proxy-defaults' || kind === 'mesh' || kind === 'exported-services'
    ? { partition: tenancy.partition, namespace: 'default' }
    : tenancy

/** The tenancy that an event names: an entry that a partition has one of is in none. */
export const tenancyOfEntry = ({ Partition, Namespace }: ConfigEntryEvent): Tenancy => ({
  partition: Partition,
  namespace: Namespace || 'default'
})

/** Identifies an entry: names are compared without regard to letter case. */
export const entryKey = (kind: ConfigKind, name: string, tenancy: Tenancy): string =>
  `${kind}/${spaceOf(tenancyOfKind(kind, tenancy))}/${name.toLowerCase()}`

/** What a blocking query waits for that reads one entry, which need not exist. */
export const entryWatchKey = (kind: ConfigKind, name: string, tenancy: Tenancy): string =>
  `config/${entryKey(kind, name, tenancy)}`

/** Identifies a service over all partitions and namespaces. */
export const serviceKey = (service: string, tenancy: Tenancy): string =>
  `${spaceOf(tenancy)}/${service.toLowerCase()}`

/** Where a part of an entry says that something is. */
interface NamedTenancy {
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

/** The tenancy that a part of an entry means: that of the entry in what it does not say. */
export const tenancyNamed = ({ Namespace, Partition }: NamedTenancy, own: Tenancy): Tenancy =>
  Namespace || Partition
    ? { partition: Partition || own.partition, namespace: Namespace || own.namespace }
    : own

/** The service of a field and where it is, with those of the entry where they are not said. */
const placeNamed = (
  given: (NamedTenancy & { readonly Service?: string }) | undefined,
  own: ServiceName
): ServiceName => ({
  service: given?.Service ?? own.service,
  tenancy: tenancyNamed(given ?? {}, own.tenancy)
})

/**
 * The services that an entry names directly: destinations of a router, splits, redirect and failovers of a
 * resolver, services of a gateway's listeners (without `*`). Cost: the size of the entry.
 */
export const namedServices = (entry: ConfigContent, tenancy: Tenancy): readonly ServiceName[] => {
  switch (entry.Kind) {
    case 'service-router': {
      const own = { service: entry.Name, tenancy }
      return (entry.Routes ?? []).map(({ Destination }) => placeNamed(Destination, own))
    }
    case 'service-splitter': {
      const own = { service: entry.Name, tenancy }
      return entry.Splits.map(split => placeNamed(split, own))
    }
    case 'service-resolver': {
      const own = { service: entry.Name, tenancy }
      return [
        ...(entry.Redirect ? [placeNamed(entry.Redirect, own)] : []),
        ...Object.values(entry.Failover ?? {}).map(failover => placeNamed(failover, own))
      ]
    }
    case 'ingress-gateway':
      return (entry.Listeners ?? [])
        .flatMap(({ Services }) => Services ?? [])
        .filter(({ Name }) => Name !== '*')
        .map(one => ({ service: one.Name, tenancy: tenancyNamed(one, tenancy) }))
    case 'service-defaults':
    case 'service-intentions':
    case 'proxy-defaults':
    case 'terminating-gateway':
    case 'exported-services':
    case 'mesh':
      return []
  }
}

/** Keys of the services that an entry names directly. */
export const namedKeys = (entry: ConfigContent, own: Tenancy): readonly string[] =>
  namedServices(entry, own).map(({ service, tenancy }) => serviceKey(service, tenancy))

/** Keys of the sources of intentions; wildcards are kept as they are. */
export const sourceKeys = (entry: ConfigContent, own: Tenancy): readonly string[] =>
  entry.Kind === 'service-intentions'
    ? entry.Sources.map(source => serviceKey(source.Name, tenancyNamed(source, own)))
    : []

/** The IDs of the intentions that were written by ID. */
export const intentionIds = (entry: ConfigContent): readonly string[] =>
  entry.Kind === 'service-intentions' ? entry.Sources.flatMap(({ LegacyID }) => LegacyID ?? []) : []

/** Keys of all that an entry is about besides itself: services named, `*` of a gateway, and sources. */
export const mentionedKeys = (entry: ConfigContent, tenancy: Tenancy): readonly string[] => {
  const mentioned = [...namedKeys(entry, tenancy), ...sourceKeys(entry, tenancy)]
  if (entry.Kind !== 'ingress-gateway') return mentioned
  for (const { Services } of entry.Listeners ?? [])
    for (const one of Services ?? [])
      if (one.Name === '*') mentioned.push(serviceKey(one.Name, tenancyNamed(one, tenancy)))
  return mentioned
}
