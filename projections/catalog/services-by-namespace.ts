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

  add(row: ServiceRow): void {
    for (const [groups, name] of this.#groupsOf(row)) groups.add(name, row)
  }

  delete(row: ServiceRow, index: number): void {
    this.move(row, index)
    for (const [groups, name] of this.#groupsOf(row)) groups.delete(name, row, index)
  }

  move(row: ServiceRow, index: number): void {
    for (const [groups, name] of this.#groupsOf(row)) {
      const group = groups.get(name)
      if (group) group.index = index
    }
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
  #tags: ReadonlyMap<string, readonly string[]> | undefined

  constructor() {
    super(row => row.order)
  }

  get rows(): readonly ServiceRow[] {
    return this.values()
  }

  /** The distinct tags by name as spelled, cached until a change. */
  get tags(): ReadonlyMap<string, readonly string[]> {
    return (this.#tags ??= tagsByName(this.rows))
  }

  override add(row: ServiceRow): void {
    this.#tags = undefined
    super.add(row)
  }

  override delete(row: ServiceRow): void {
    this.#tags = undefined
    super.delete(row)
  }
}

export const tagsByName = (rows: Iterable<ServiceRow>): ReadonlyMap<string, readonly string[]> => {
  const names = new Map<string, Set<string>>()
  for (const row of rows) {
    const tags = getOrCreate(names, row.name, () => new Set())
    for (const tag of row.state.service.Tags ?? []) tags.add(tag)
  }
  return new Map([...names].map(([name, tags]) => [name, [...tags]]))
}

/** All groups of one namespace. A change costs O(1) for each affected name. */
export class ServiceGroups {
  readonly #groups = new Map<string, ServiceInstances>()
  /** Index of the last time any name lost its last instance. */
  extinction = 0

  get(name: string): ServiceInstances | undefined {
    return this.#groups.get(name.toLowerCase())
  }

  names(): readonly string[] {
    return [...this.#groups.keys()].toSorted()
  }

  all(): Iterable<ServiceInstances> {
    return this.#groups.values()
  }

  add(name: string, row: ServiceRow): void {
    getOrCreate(this.#groups, name.toLowerCase(), () => new ServiceInstances()).add(row)
  }

  delete(name: string, row: ServiceRow, index: number): void {
    const key = name.toLowerCase()
    const group = this.#groups.get(key)
    group?.delete(row)
    if (group?.size !== 0) return
    this.#groups.delete(key)
    this.extinction = index
  }
}
