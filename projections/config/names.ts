// Keys of entries and services, and what an entry names directly (spec: config.md §1.1, §5).
import type { ConfigContent, ConfigEntry, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../table.js'

/** A service in the partition of whoever names it. */
export interface ServiceRef {
  readonly service: string
  readonly namespace: string
}

/** A service and where it is. */
export interface Place {
  readonly service: string
  readonly tenancy: Tenancy
}

/** The kinds that lead from one service to others. */
export const ROUTING: readonly ConfigKind[] = ['service-router', 'service-splitter', 'service-resolver']

/** Whether an entry holds intentions with permissions, which only L7 proxies can enforce. */
export const hasPermissions = (entry: ConfigEntry): boolean =>
  entry.Kind === 'service-intentions' &&
  entry.Name !== '*' &&
  entry.Sources.some(({ Permissions }) => Permissions !== undefined)

/** The tenancy in which an entry of a kind lives: proxy-defaults and mesh are one for a whole partition. */
export const homeOf = (kind: ConfigKind, tenancy: Tenancy): Tenancy =>
  kind === 'proxy-defaults' || kind === 'mesh'
    ? { partition: tenancy.partition, namespace: 'default' }
    : tenancy

/** Identifies an entry: names are compared without regard to letter case. */
export const entryKey = (kind: ConfigKind, name: string, tenancy: Tenancy): string =>
  `${kind}/${spaceOf(homeOf(kind, tenancy))}/${name.toLowerCase()}`

/** What a blocking query waits for that reads one entry, which need not exist. */
export const entryWatchKey = (kind: ConfigKind, name: string, tenancy: Tenancy): string =>
  `config/${entryKey(kind, name, tenancy)}`

/** Identifies a service over all partitions and namespaces. */
export const serviceKey = (service: string, tenancy: Tenancy): string =>
  `${spaceOf(tenancy)}/${service.toLowerCase()}`

/** The service of a field and its namespace, with those of the entry where they are not said. */
const ref = (
  given: { readonly Service?: string; readonly Namespace?: string } | undefined,
  own: ServiceRef
): ServiceRef => ({
  service: given?.Service ?? own.service,
  namespace: given?.Namespace ?? own.namespace
})

/**
 * The services that an entry names directly: destinations of a router, splits, redirect and failovers of a resolver,
 * services of a gateway's listeners (without `*`). Cost: the size of the entry.
 */
export const namedServices = (entry: ConfigContent, namespace: string): readonly ServiceRef[] => {
  switch (entry.Kind) {
    case 'service-router': {
      const own = { service: entry.Name, namespace }
      return (entry.Routes ?? []).map(({ Destination }) => ref(Destination, own))
    }
    case 'service-splitter': {
      const own = { service: entry.Name, namespace }
      return entry.Splits.map(split => ref(split, own))
    }
    case 'service-resolver': {
      const own = { service: entry.Name, namespace }
      return [
        ...(entry.Redirect ? [ref(entry.Redirect, own)] : []),
        ...Object.values(entry.Failover ?? {}).map(failover => ref(failover, own))
      ]
    }
    case 'ingress-gateway':
      return (entry.Listeners ?? [])
        .flatMap(({ Services }) => Services ?? [])
        .filter(({ Name }) => Name !== '*')
        .map(({ Name, Namespace }) => ({ service: Name, namespace: Namespace ?? namespace }))
    case 'service-defaults':
    case 'service-intentions':
    case 'proxy-defaults':
    case 'terminating-gateway':
    case 'mesh':
      return []
  }
}

/** Keys of the services that an entry names directly. */
export const namedKeys = (entry: ConfigContent, { partition, namespace }: Tenancy): readonly string[] =>
  namedServices(entry, namespace).map(named =>
    serviceKey(named.service, { partition, namespace: named.namespace })
  )

/** Keys of the sources of intentions; wildcards are kept as they are. */
export const sourceKeys = (entry: ConfigContent, { partition, namespace }: Tenancy): readonly string[] =>
  entry.Kind === 'service-intentions'
    ? entry.Sources.map(source =>
        serviceKey(source.Name, { partition, namespace: source.Namespace ?? namespace })
      )
    : []

/** Keys of everything that an entry is about besides itself: services named, `*` of a gateway, and sources. */
export const mentionedKeys = (entry: ConfigContent, tenancy: Tenancy): readonly string[] => {
  const mentioned = [...namedKeys(entry, tenancy), ...sourceKeys(entry, tenancy)]
  if (entry.Kind !== 'ingress-gateway') return mentioned
  for (const { Services } of entry.Listeners ?? [])
    for (const { Name, Namespace = tenancy.namespace } of Services ?? [])
      if (Name === '*') mentioned.push(serviceKey(Name, { ...tenancy, namespace: Namespace }))
  return mentioned
}
