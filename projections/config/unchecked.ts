// Changes after which not everything was compiled that they can break (spec: config.md §5, the one-step rule).
import type { ConfigEntry, ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'
import { bearsTheSame } from './bearing.js'
import { mentioned } from './protocol-takers.js'
import { ROUTING, serviceKey, type Place } from './names.js'
import { byText } from '../row-table.js'
import { memory } from '../saved.js'

/** The commands whose changes of entries are checked before they are committed, each together with all others of its commit. */
const CHECKING: ReadonlySet<string> = new Set([
  'SetConfigEntry',
  'DeleteConfigEntry',
  'SetIntention',
  'DeleteIntention',
  'CreateIntention',
  'UpdateIntention',
  'DeleteIntentionById',
  'ApplyTransaction'
])

/** Whether a commit of this command was checked: the entries of a namespace that ends, and those of a snapshot, are not. */
export const isCheckedBy = (command: string | undefined): boolean =>
  command !== undefined && CHECKING.has(command)

/** An entry that takes the place of another one of its kind and name; undefined stands for none. */
export interface Replacement {
  readonly before: ConfigEntry | undefined
  readonly after: ConfigEntry | undefined
  readonly place: Place
}

interface Entry {
  readonly name: string
  readonly tenancy: Tenancy
}

/** The entries after a change, as far as it matters who names whom. */
interface Naming {
  naming(kind: ConfigKind, service: string): Iterable<Entry>
}

const byKey = <Value>(map: ReadonlyMap<string, Value>): Value[] =>
  [...map].toSorted(([a], [b]) => byText(a, b)).map(([, value]) => value)

const keyOf = ({ name, tenancy }: Entry): string => serviceKey(name, tenancy)

const isNamedByOthers = (entries: Naming, kind: ConfigKind, service: string): boolean => {
  for (const row of entries.naming(kind, service)) if (keyOf(row) !== service) return true
  return false
}

/**
 * Whether anything depends on a service that the check of a change there does not look at: a chain two steps away, or a
 * gateway before a chain one step away. Cost: those who name the service, at most.
 */
const isNamedFromAfar = (entries: Naming, { service, tenancy }: Place): boolean => {
  const key = serviceKey(service, tenancy)
  for (const kind of ROUTING)
    for (const row of entries.naming(kind, key)) {
      const between = keyOf(row)
      if (between === key) continue
      if (isNamedByOthers(entries, 'ingress-gateway', between)) return true
      const leadsOn = kind !== 'service-router'
      if (leadsOn && ROUTING.some(one => isNamedByOthers(entries, one, between))) return true
    }
  return false
}

/**
 * Services of which an entry changed while chains that lead to them, or gateways and intentions that depend on those,
 * were not checked. Everything that leads to none of them is known to be right: each write was checked where it leads, and a
 * write of proxy-defaults is checked against all of them, which ends their list.
 */
export class Unchecked {
  readonly #below: Unchecked | undefined
  readonly #services = new Map<string, Map<string, Place>>()
  readonly #defaults = new Set<string>()
  readonly memory = {
    unchecked: memory<Place>({
      clear: () => this.#services.clear(),
      save: () => this.#all(),
      load: place => this.#add(place)
    }),
    uncheckedDefaults: memory<string>({
      clear: () => this.#defaults.clear(),
      save: () => [...this.#defaults].toSorted(),
      load: partition => void this.#defaults.add(partition)
    })
  }

  /** @param below what stays as it is, on which this is a draft */
  constructor(below?: Unchecked) {
    this.#below = below
  }

  /** What a change may have broken unseen, from the entries after it. Cost: those who name the service, at most. */
  note({ before, after, place }: Replacement, entries: Naming, isChecked: boolean): void {
    const kind = (after ?? before)?.Kind
    const { partition } = place.tenancy
    switch (kind) {
      case 'proxy-defaults':
        if (isChecked && !this.#below) this.#settle(partition)
        else if (!bearsTheSame(before, after)) this.#defaults.add(partition)
        return
      case 'service-defaults':
      case 'service-router':
      case 'service-splitter':
      case 'service-resolver': {
        if (bearsTheSame(before, after)) return
        // What a draft holds is checked when it is complete.
        const isSure = isChecked && !this.#below
        if (!isSure || (kind !== 'service-router' && isNamedFromAfar(entries, place))) this.#add(place)
        return
      }
      case 'ingress-gateway':
      case 'service-intentions':
        if (after && !isChecked && !this.#below)
          for (const service of mentioned(after, place.tenancy)) this.#add(service)
        return
      case 'terminating-gateway':
      case 'exported-services':
      case 'mesh':
      case undefined:
        return
    }
  }

  *#all(): Iterable<Place> {
    for (const services of byKey(this.#services)) yield* byKey(services)
  }

  #add(place: Place): void {
    const { partition } = place.tenancy
    const services = this.#services.get(partition) ?? new Map<string, Place>()
    this.#services.set(partition, services)
    services.set(serviceKey(place.service, place.tenancy), place)
  }

  /** The services of a partition, in no order. */
  *of(partition: string): Iterable<Place> {
    if (this.#below) yield* this.#below.of(partition)
    yield* this.#services.get(partition)?.values() ?? []
  }

  /** Whether the default protocol of a partition changed and nothing was checked. */
  hasDefaults(partition: string): boolean {
    return this.#defaults.has(partition) || this.#below?.hasDefaults(partition) === true
  }

  /** Of all partitions, since chains may lead from one to another. */
  get isEmpty(): boolean {
    return this.#services.size === 0 && this.#defaults.size === 0 && this.#below?.isEmpty !== false
  }

  clear(): void {
    this.#services.clear()
    this.#defaults.clear()
  }

  /** Everything of a partition was checked. */
  #settle(partition: string): void {
    this.#services.delete(partition)
    this.#defaults.delete(partition)
  }
}
