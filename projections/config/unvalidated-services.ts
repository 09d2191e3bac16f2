// Records the services of changes that were not fully checked: see affected.ts.
import type { ConfigEntry } from '../../events/config-entry.js'
import { byKey } from '../row-table.js'
import { getOrCreate } from '../maps.js'
import { derivedState } from '../projection.js'
import { isChainNeutral, servicesLeadingTo, type Naming } from './affected.js'
import { ROUTING, SERVICE_KINDS, serviceKey, type ServiceName } from './names.js'
import { protocolUsers } from './proxy-defaults-dependents.js'

/** The commands that check their changes before the commit, together with all others of the commit. */
const CHECKING: ReadonlySet<string> = new Set([
  'SetConfigEntry',
  'DeleteConfigEntry',
  'SetIntention',
  'DeleteIntention',
  'CreateIntention',
  'UpdateIntention',
  'DeleteIntentionById',
  'ApplyTransaction',
  'ApplyChangeSet'
])

/** Namespace deletions and restore runs are not validated. */
export const isValidatedBy = (command: string | undefined): boolean =>
  command !== undefined && CHECKING.has(command)

/** Replaces an entry by another one of its kind and name; undefined stands for none. */
interface EntryReplacement {
  readonly before: ConfigEntry | undefined
  readonly after: ConfigEntry | undefined
  readonly place: ServiceName
}

/**
 * Looks for dependents of a service that the check of a write does not cover: a chain two steps away, or a gateway in
 * front of a chain one step away. Costs the entries on the paths to the service.
 */
const hasDistantDependents = (entries: Naming, place: ServiceName): boolean => {
  const own = serviceKey(place.service, place.tenancy)
  const checked = new Set([own])
  for (const kind of ROUTING)
    for (const { name, tenancy } of entries.naming(kind, own)) checked.add(serviceKey(name, tenancy))
  for (const key of servicesLeadingTo(entries, [place]).keys())
    if (!checked.has(key) || (key !== own && [...entries.naming('ingress-gateway', key)].length > 0))
      return true
  return false
}

export class UnvalidatedServices {
  readonly #services = new Map<string, Map<string, ServiceName>>()
  readonly #defaults = new Set<string>()
  readonly memory = {
    unchecked: derivedState<ServiceName>({
      clear: () => this.#services.clear(),
      save: () => this.#all(),
      load: place => this.#add(place)
    }),
    uncheckedDefaults: derivedState<string>({
      clear: () => this.#defaults.clear(),
      save: () => [...this.#defaults].toSorted(),
      load: partition => void this.#defaults.add(partition)
    })
  }

  /** Records the unchecked dependents of a write. Cost: the entries on the paths to the service. */
  note({ before, after, place }: EntryReplacement, entries: Naming, isChecked: boolean): void {
    const entry = after ?? before
    if (!entry) return
    const { partition } = place.tenancy
    if (entry.Kind === 'proxy-defaults') {
      if (isChecked) this.#settle(partition)
      else if (!isChainNeutral(before, after)) this.#defaults.add(partition)
    } else if (SERVICE_KINDS.has(entry.Kind)) {
      if (isChainNeutral(before, after)) return
      // Other services ignore this router.
      const isCovered =
        isChecked && (entry.Kind === 'service-router' || !hasDistantDependents(entries, place))
      if (!isCovered) this.#add(place)
    } else if (after && !isChecked)
      for (const service of protocolUsers(after, place.tenancy)) this.#add(service)
  }

  *#all(): Iterable<ServiceName> {
    for (const services of byKey(this.#services)) yield* byKey(services)
  }

  #add(place: ServiceName): void {
    const services = getOrCreate(this.#services, place.tenancy.partition, () => new Map())
    services.set(serviceKey(place.service, place.tenancy), place)
  }

  of(partition: string): Iterable<ServiceName> {
    return this.#services.get(partition)?.values() ?? []
  }

  hasDefaults(partition: string): boolean {
    return this.#defaults.has(partition)
  }

  /** Covers all partitions, because chains may lead from one to another. */
  get isEmpty(): boolean {
    return this.#services.size === 0 && this.#defaults.size === 0
  }

  clear(): void {
    this.#services.clear()
    this.#defaults.clear()
  }

  #settle(partition: string): void {
    this.#services.delete(partition)
    this.#defaults.delete(partition)
  }
}
