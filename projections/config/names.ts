import type { ConfigContent, ConfigEntry, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../row-table.js'

export interface ServiceName {
  readonly service: string
  readonly tenancy: Tenancy
}

export const ROUTING: readonly ConfigKind[] = ['service-router', 'service-splitter', 'service-resolver']

export const SERVICE_KINDS: ReadonlySet<ConfigKind> = new Set([...ROUTING, 'service-defaults'])

export const CHAIN_KINDS: ReadonlySet<ConfigKind> = new Set([...SERVICE_KINDS, 'proxy-defaults'])

/** Intentions with permissions, which only L7 proxies can enforce. */
export const hasPermissions = (entry: ConfigEntry): boolean =>
  entry.Kind === 'service-intentions' &&
  entry.Name !== '*' &&
  entry.Sources.some(({ Permissions }) => Permissions !== undefined)

/** The tenancy of an entry: a partition has some kinds once, in its namespace `default`. */
export const tenancyOfKind = (kind: ConfigKind, tenancy: Tenancy): Tenancy =>
  kind === 'proxy-defaults' || kind === 'mesh' || kind === 'exported-services'
    ? { partition: tenancy.partition, namespace: 'default' }
    : tenancy

/** Names are compared without regard to letter case (spec: config.md §1.1). */
export const entryKey = (kind: ConfigKind, name: string, tenancy: Tenancy): string =>
  `${kind}/${spaceOf(tenancyOfKind(kind, tenancy))}/${name.toLowerCase()}`

/** The watch key of one entry, which may not exist. */
export const entryWatchKey = (kind: ConfigKind, name: string, tenancy: Tenancy): string =>
  `config/${entryKey(kind, name, tenancy)}`

export const serviceKey = (service: string, tenancy: Tenancy): string =>
  `${spaceOf(tenancy)}/${service.toLowerCase()}`

interface NamedTenancy {
  readonly Namespace?: string | undefined
  readonly Partition?: string | undefined
}

/** The tenancy of a part of an entry; the entry's own for missing fields. */
export const tenancyNamed = ({ Namespace, Partition }: NamedTenancy, own: Tenancy): Tenancy =>
  Namespace || Partition
    ? { partition: Partition || own.partition, namespace: Namespace || own.namespace }
    : own

/** The service of a part of an entry; the entry's own for missing fields. */
const placeNamed = (
  given: (NamedTenancy & { readonly Service?: string }) | undefined,
  own: ServiceName
): ServiceName => ({
  service: given?.Service ?? own.service,
  tenancy: tenancyNamed(given ?? {}, own.tenancy)
})

/**
 * The services that an entry names directly: destinations of a router, splits, redirect and failovers of a resolver,
 * services of a gateway's listeners (without `*`). Cost: the size of the entry (spec: config.md §5).
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

export const namedKeys = (entry: ConfigContent, own: Tenancy): readonly string[] =>
  namedServices(entry, own).map(({ service, tenancy }) => serviceKey(service, tenancy))

/** Keys of the sources of intentions; wildcards are literal. */
export const sourceKeys = (entry: ConfigContent, own: Tenancy): readonly string[] =>
  entry.Kind === 'service-intentions'
    ? entry.Sources.map(source => serviceKey(source.Name, tenancyNamed(source, own)))
    : []

export const intentionIds = (entry: ConfigContent): readonly string[] =>
  entry.Kind === 'service-intentions' ? entry.Sources.flatMap(({ LegacyID }) => LegacyID ?? []) : []

/** Keys of the service name `*` in the listeners of a gateway. */
export const anyServiceKeys = (entry: ConfigContent, own: Tenancy): readonly string[] =>
  entry.Kind === 'ingress-gateway'
    ? (entry.Listeners ?? [])
        .flatMap(({ Services }) => Services ?? [])
        .filter(({ Name }) => Name === '*')
        .map(one => serviceKey(one.Name, tenancyNamed(one, own)))
    : []
