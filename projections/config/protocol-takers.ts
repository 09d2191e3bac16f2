// The services whose protocol comes from proxy-defaults.
import type { ConfigEntry } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { hasPermissions, namedServices, serviceKey, type Place } from './names.js'

/** The services whose protocol an entry makes matter: its own, and those that it names. */
export const mentioned = (entry: ConfigEntry, tenancy: Tenancy): readonly Place[] => {
  const named = namedServices(entry, tenancy)
  switch (entry.Kind) {
    case 'service-router':
    case 'service-splitter':
    case 'service-resolver':
      return [{ service: entry.Name, tenancy }, ...named]
    case 'service-intentions':
      return hasPermissions(entry) ? [{ service: entry.Name, tenancy }] : []
    case 'ingress-gateway':
      return named
    case 'service-defaults':
    case 'proxy-defaults':
    case 'terminating-gateway':
    case 'exported-services':
    case 'mesh':
      return []
  }
}

/**
 * Services that routers, splitters, resolvers, gateways or intentions with permissions speak of, and that have no
 * service-defaults. Costs: a change O(names in the entry); the takers of a partition O(their number). Memory: about 200
 * bytes for each service that entries speak of.
 */
export class ProtocolTakers {
  readonly #below: ProtocolTakers | undefined
  /** By `serviceKey`; above others only what differs from them. */
  readonly #mentions = new Map<string, number>()
  readonly #declared = new Map<string, boolean>()
  /** By partition and `serviceKey`; undefined for one that is a taker below and here no more. */
  readonly #takers = new Map<string, Map<string, Place | undefined>>()

  /** @param below takers that stay as they are, on which these are a draft */
  constructor(below?: ProtocolTakers) {
    this.#below = below
  }

  /** An entry takes the place of another one of its kind and name; undefined stands for none. */
  replace(before: ConfigEntry | undefined, after: ConfigEntry | undefined, tenancy: Tenancy): void {
    const entry = after ?? before
    if (entry?.Kind === 'service-defaults')
      this.#declare({ service: entry.Name, tenancy }, after !== undefined)
    if (after) for (const place of mentioned(after, tenancy)) this.#mention(place, 1)
    if (before) for (const place of mentioned(before, tenancy)) this.#mention(place, -1)
  }

  /** Those of a partition, in no order. */
  *of(partition: string): Iterable<Place> {
    const own = this.#takers.get(partition)
    if (this.#below)
      for (const place of this.#below.of(partition))
        if (!own?.has(serviceKey(place.service, place.tenancy))) yield place
    for (const place of own?.values() ?? []) if (place) yield place
  }

  clear(): void {
    this.#mentions.clear()
    this.#declared.clear()
    this.#takers.clear()
  }

  #mention(place: Place, change: 1 | -1): void {
    const key = serviceKey(place.service, place.tenancy)
    const count = this.#countOf(key) + change
    if (count === 0 && !this.#below) this.#mentions.delete(key)
    else this.#mentions.set(key, count)
    this.#settle(key, place)
  }

  #declare(place: Place, isDeclared: boolean): void {
    const key = serviceKey(place.service, place.tenancy)
    if (!isDeclared && !this.#below) this.#declared.delete(key)
    else this.#declared.set(key, isDeclared)
    this.#settle(key, place)
  }

  #countOf(key: string): number {
    return this.#mentions.get(key) ?? (this.#below ? this.#below.#countOf(key) : 0)
  }

  #isDeclared(key: string): boolean {
    return this.#declared.get(key) ?? (this.#below ? this.#below.#isDeclared(key) : false)
  }

  #settle(key: string, place: Place): void {
    const { partition } = place.tenancy
    const isTaker = this.#countOf(key) > 0 && !this.#isDeclared(key)
    const own = this.#takers.get(partition) ?? new Map<string, Place | undefined>()
    this.#takers.set(partition, own)
    if (isTaker || this.#below) own.set(key, isTaker ? place : undefined)
    else own.delete(key)
  }
}
