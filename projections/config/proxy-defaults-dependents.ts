import type { ConfigEntry } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { getOrCreate } from '../maps.js'
import { hasPermissions, namedServices, serviceKey, type ServiceName } from './names.js'

/** The services whose protocol matters to an entry: its own, and those that it names. */
export const protocolUsers = (entry: ConfigEntry, tenancy: Tenancy): readonly ServiceName[] => {
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
 * The services without service-defaults in entries (`protocolUsers`), whose protocol comes from proxy-defaults. Costs:
 * a change O(names in the entry), a listing all services of the partition in entries. Memory: about 200 bytes each.
 */
export class ProxyDefaultsDependents {
  /** By `serviceKey`, the services with service-defaults. */
  readonly #declared = new Set<string>()
  /** By partition and `serviceKey`, the number of references to each service. */
  readonly #references = new Map<
    string,
    Map<string, { readonly place: ServiceName; readonly count: number }>
  >()

  /** Replaces an entry by another one of its kind and name; undefined stands for none. */
  replace(before: ConfigEntry | undefined, after: ConfigEntry | undefined, tenancy: Tenancy): void {
    if (after?.Kind === 'service-defaults') this.#declared.add(serviceKey(after.Name, tenancy))
    else if (before?.Kind === 'service-defaults') this.#declared.delete(serviceKey(before.Name, tenancy))
    if (after) for (const place of protocolUsers(after, tenancy)) this.#add(place, 1)
    if (before) for (const place of protocolUsers(before, tenancy)) this.#add(place, -1)
  }

  *of(partition: string): Iterable<ServiceName> {
    for (const [key, { place }] of this.#references.get(partition) ?? [])
      if (!this.#declared.has(key)) yield place
  }

  clear(): void {
    this.#declared.clear()
    this.#references.clear()
  }

  #add(place: ServiceName, change: 1 | -1): void {
    const services = getOrCreate(this.#references, place.tenancy.partition, () => new Map())
    const key = serviceKey(place.service, place.tenancy)
    const count = (services.get(key)?.count ?? 0) + change
    if (count === 0) services.delete(key)
    else services.set(key, { place, count })
  }
}
