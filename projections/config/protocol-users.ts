// The services whose protocols matter to entries.
import type { ConfigEntry } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { hasPermissions, namedServices, serviceKey, type Place } from './names.js'

/** The services whose protocol an entry makes matter: its own, and those that it names. */
export const protocolUsers = (entry: ConfigEntry, tenancy: Tenancy): readonly Place[] => {
  switch (entry.Kind) {
    case 'service-router':
    case 'service-splitter':
    case 'service-resolver':
      return [{ service: entry.Name, tenancy }, ...namedServices(entry, tenancy)]
    case 'service-intentions':
      return hasPermissions(entry) ? [{ service: entry.Name, tenancy }] : []
    case 'ingress-gateway':
      return namedServices(entry, tenancy)
    case 'service-defaults':
    case 'proxy-defaults':
    case 'terminating-gateway':
    case 'exported-services':
    case 'mesh':
      return []
  }
}

/**
 * Those of all entries. Costs: a change O(names in the entry), a listing the services of the partition. Memory: about 200
 * bytes a service.
 */
export class ProtocolUsers {
  /** By partition and `serviceKey`, with the number of times that entries speak of each. */
  readonly #partitions = new Map<string, Map<string, { readonly place: Place; readonly count: number }>>()

  /** An entry takes the place of another one of its kind and name; undefined stands for none. */
  replace(before: ConfigEntry | undefined, after: ConfigEntry | undefined, tenancy: Tenancy): void {
    if (after) for (const place of protocolUsers(after, tenancy)) this.#add(place, 1)
    if (before) for (const place of protocolUsers(before, tenancy)) this.#add(place, -1)
  }

  /** Those of a partition, in no order. */
  *of(partition: string): Iterable<Place> {
    for (const { place } of this.#partitions.get(partition)?.values() ?? []) yield place
  }

  clear(): void {
    this.#partitions.clear()
  }

  #add(place: Place, change: 1 | -1): void {
    const { partition } = place.tenancy
    const services = this.#partitions.get(partition) ?? new Map<string, { place: Place; count: number }>()
    this.#partitions.set(partition, services)
    const key = serviceKey(place.service, place.tenancy)
    const count = (services.get(key)?.count ?? 0) + change
    if (count === 0) services.delete(key)
    else services.set(key, { place, count })
  }
}
