import { runAtOnce, StepPace, type Steps } from '../steps.js'
import { SortedRows } from '../sorted-rows.js'
import { derivedState } from '../projection.js'
import type { CatalogService } from '../../events/service.js'
import { getOrCreate } from '../maps.js'
import { byText } from '../row-table.js'
import type { ServiceRow } from './rows.js'

/** The Connect destination of an instance: that of a proxy, or the name of a native one. */
export const connectName = ({ Kind, Proxy, Connect, Service }: CatalogService): string | undefined =>
  Kind === 'connect-proxy'
    ? Proxy.DestinationServiceName || undefined
    : Connect.Native === true
      ? Service
      : undefined

/** The name of an instance, or its Connect destination. */
export type NamedBy = 'name' | 'connect'

export class NamespaceServices {
  readonly byName = new ServiceGroups()
  readonly byConnect = new ServiceGroups()
  servicesIndex = 0
  /** Index of the last change of any check, or the last removal of a service. */
  checksIndex = 0

  add(row: ServiceRow, index: number): void {
    for (const [groups, name] of this.#groupsOf(row)) groups.add(name, row, index)
  }

  delete(row: ServiceRow, index: number): void {
    for (const [groups, name] of this.#groupsOf(row)) groups.delete(name, row, index)
  }

  /** Replaces an instance whose node or checks have changed. */
  replace(before: ServiceRow, row: ServiceRow, index: number): void {
    for (const [groups, name] of this.#groupsOf(row)) groups.replace(name, before, row, index)
  }

  #groupsOf({ name, state }: ServiceRow): readonly (readonly [ServiceGroups, string])[] {
    const destination = connectName(state.service)
    if (destination === undefined) return [[this.byName, name]]
    return [
      [this.byName, name],
      [this.byConnect, destination]
    ]
  }

  groups(by: NamedBy): ServiceGroups {
    return by === 'name' ? this.byName : this.byConnect
  }

  /** True if the namespace ever had services or checks. */
  get isKnown(): boolean {
    return this.servicesIndex > 0 || this.checksIndex > 0
  }
}

/** The indexes of services, checks, and of the last names that lost all instances. */
type SpaceIndexes = readonly [
  space: string,
  services: number,
  checks: number,
  byName: number,
  byConnect: number
]
type NameIndex = readonly [space: string, by: NamedBy, name: string, index: number]

/** The services of all namespaces, with indexes that remain after a removal. Keys are the texts of `spaceOf`. */
export class ServicesByNamespace {
  readonly #spaces = new Map<string, NamespaceServices>()
  readonly memory = {
    services: derivedState<SpaceIndexes>({
      clear: () => {},
      save: () => this.#spaceIndexes(),
      load: ([name, services, checks, byName, byConnect]) => {
        const space = this.of(name)
        space.servicesIndex = services
        space.checksIndex = checks
        space.byName.extinction = byName
        space.byConnect.extinction = byConnect
      }
    }),
    names: derivedState<NameIndex>({
      clear: () => {},
      save: () => this.#nameIndexes(),
      load: ([space, by, name, index]) => {
        const group = this.of(space).groups(by).get(name)
        if (group) group.index = index
      }
    })
  }

  /** Returns an empty one for a namespace without services. */
  of(name: string): NamespaceServices {
    return getOrCreate(this.#spaces, name, () => new NamespaceServices())
  }

  names(): Iterable<string> {
    return this.#spaces.keys()
  }

  clear(): void {
    this.#spaces.clear()
  }

  #known(): readonly (readonly [name: string, space: NamespaceServices])[] {
    return [...this.#spaces].filter(([, space]) => space.isKnown).toSorted(([a], [b]) => byText(a, b))
  }

  *#spaceIndexes(): Iterable<SpaceIndexes> {
    for (const [name, { servicesIndex, checksIndex, byName, byConnect }] of this.#known())
      yield [name, servicesIndex, checksIndex, byName.extinction, byConnect.extinction]
  }

  *#nameIndexes(): Iterable<NameIndex> {
    for (const [name, space] of this.#known())
      for (const by of ['name', 'connect'] as const) {
        const groups = space.groups(by)
        for (const service of groups.names()) yield [name, by, service, groups.get(service)?.index ?? 0]
      }
  }
}

// Instances by the name of their service, with the commit index of each name (spec: state.md §10).

export class ServiceInstances extends SortedRows<ServiceRow> {
  /** Index of the last change of any of the instances, their nodes, or their checks. */
  index = 0

  constructor() {
    super(row => row.order)
  }

  get rows(): readonly ServiceRow[] {
    return this.values()
  }
}

type TagsByName = ReadonlyMap<string, readonly string[]>

/** The instances of a name until one, its node or its checks change. */
export class NamedInstances {
  #tags: TagsByName | undefined

  /** @param same instances with the same tags, if there were any */
  constructor(
    /** The name in lower case. */
    readonly key: string,
    readonly rows: Iterable<ServiceRow>,
    same?: NamedInstances
  ) {
    if (same) this.#tags = same.#tags
  }

  /** The distinct tags by name as spelled. */
  get tags(): TagsByName {
    return (this.#tags ??= runAtOnce(tagsInSteps(this.rows)))
  }

  /** Computes `tags` in steps. */
  *prepareTags(): Steps<void> {
    this.#tags ??= yield* tagsInSteps(this.rows)
  }
}

/** Computes the distinct tags by name. */
export function* tagsInSteps(rows: Iterable<ServiceRow>): Steps<TagsByName> {
  const names = new Map<string, Set<string>>()
  const pace = new StepPace()
  for (const row of rows) {
    const tags = getOrCreate(names, row.name, () => new Set())
    for (const tag of row.state.service.Tags ?? []) tags.add(tag)
    if (pace.isOver()) yield
  }
  return new Map([...names].map(([name, tags]) => [name, [...tags]]))
}

interface Group {
  readonly instances: ServiceInstances
  named: NamedInstances
}

/** All groups of one namespace. A change costs O(1) for each affected name, and a search among the names. */
class ServiceGroups {
  readonly #groups = new Map<string, Group>()
  readonly #named = new SortedRows<NamedInstances>(({ key }) => key)
  /** Index of the last time any name lost its last instance. */
  extinction = 0

  get(name: string): ServiceInstances | undefined {
    return this.#groups.get(name.toLowerCase())?.instances
  }

  /** The groups from a name in lower case on, or all, by name; see `SortedRows.after`. */
  from(key = ''): Iterable<NamedInstances> {
    const first = this.#groups.get(key)?.named
    const after = this.#named.after(key)
    return first ? { [Symbol.iterator]: () => concatenated(first, after) } : after
  }

  names(): readonly string[] {
    return this.#named.values().map(({ key }) => key)
  }

  *all(): Iterable<ServiceInstances> {
    for (const { instances } of this.#groups.values()) yield instances
  }

  add(name: string, row: ServiceRow, index: number): void {
    const key = name.toLowerCase()
    const group = this.#groups.get(key)
    const instances = group?.instances ?? new ServiceInstances()
    instances.add(row)
    instances.index = index
    this.#rename(key, group, instances)
  }

  delete(name: string, row: ServiceRow, index: number): void {
    const key = name.toLowerCase()
    const group = this.#groups.get(key)
    if (!group) return
    const { instances, named } = group
    instances.index = index
    if (instances.size > 1) {
      instances.delete(row)
      return this.#rename(key, group, instances)
    }
    this.#named.delete(named)
    this.#groups.delete(key)
    this.extinction = index
  }

  replace(name: string, before: ServiceRow, row: ServiceRow, index: number): void {
    const key = name.toLowerCase()
    const group = this.#groups.get(key)
    if (!group) return
    const { instances, named } = group
    instances.replace(before, row)
    instances.index = index
    this.#rename(key, group, instances, named)
  }

  #rename(key: string, group: Group | undefined, instances: ServiceInstances, same?: NamedInstances): void {
    const named = new NamedInstances(key, instances.after(), same)
    if (group) {
      this.#named.replace(group.named, named)
      group.named = named
    } else {
      this.#named.add(named)
      this.#groups.set(key, { instances, named })
    }
  }
}

function* concatenated<Row>(first: Row, others: Iterable<Row>): Generator<Row> {
  yield first
  yield* others
}
