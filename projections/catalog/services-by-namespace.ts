// The services of all namespaces, with indexes that remain after a removal.
import { derivedState } from '../saved-form.js'
import type { CatalogService } from '../../events/service.js'
import { getOrCreate } from '../maps.js'
import { byText } from '../row-table.js'
import { ServiceGroups } from './groups.js'
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

/** Keys are the texts of `spaceOf`. */
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
