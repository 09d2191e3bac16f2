// The services of one namespace: by name, and by the name that Connect reaches them under.
import type { CatalogService } from '../../events/service.js'
import { ServiceGroups } from './groups.js'
import type { ServiceRow } from './rows.js'

/** The name under which Connect reaches an instance: the destination of a proxy, the name of a native one. */
export const connectName = ({ Kind, Proxy, Connect, Service }: CatalogService): string | undefined =>
  Kind === 'connect-proxy'
    ? Proxy.DestinationServiceName || undefined
    : Connect.Native === true
      ? Service
      : undefined

/** What an instance is looked up by: its name, or that under which Connect reaches it. */
export type NamedBy = 'name' | 'connect'

/** A change costs O(1). */
export class NamespaceServices {
  readonly byName = new ServiceGroups()
  readonly byConnect = new ServiceGroups()
  /** Index of the last change of any service. */
  servicesIndex = 0
  /** Index of the last change of any check, or the last removal of a service. */
  checksIndex = 0

  add(row: ServiceRow): void {
    this.byName.add(row.name, row)
    const destination = connectName(row.state.service)
    if (destination !== undefined) this.byConnect.add(destination, row)
  }

  delete(row: ServiceRow, index: number): void {
    this.move(row, index)
    this.byName.delete(row.name, row, index)
    const destination = connectName(row.state.service)
    if (destination !== undefined) this.byConnect.delete(destination, row, index)
  }

  /** Sets the index of the names of an instance. */
  move(row: ServiceRow, index: number): void {
    const group = this.byName.get(row.name)
    if (group) group.index = index
    const destination = connectName(row.state.service)
    const reached = destination === undefined ? undefined : this.byConnect.get(destination)
    if (reached) reached.index = index
  }

  groups(by: NamedBy): ServiceGroups {
    return by === 'name' ? this.byName : this.byConnect
  }

  /** Whether anything ever was in it. */
  get isKnown(): boolean {
    return this.servicesIndex > 0 || this.checksIndex > 0
  }
}
