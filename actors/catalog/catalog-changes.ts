import type { Event, Tenancy } from '../../events/envelope.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import type { ModelsOverlay } from '../../projections/models.js'
import { coordinateEvent } from '../coordinate.js'
import { endSessionsOfCheck, endSessionsOfNode } from '../session.js'

/** The deletion of a node, or the deletion or critical status of a check. */
type SessionCause =
  | { readonly kind: 'node'; readonly partition: string; readonly node: string }
  | { readonly kind: 'check'; readonly tenancy: Tenancy; readonly node: string; readonly check: string }

/** The unit of work of one catalog command: collects the events and reads the catalog with these applied. */
export class CatalogChanges {
  /** Index of the commit. */
  readonly index: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The datacenter of nodes that name none. */
  readonly datacenter: string
  readonly events: Event[] = []

  constructor(
    private readonly models: ModelsOverlay,
    { index, at, datacenter }: Pick<CatalogChanges, 'index' | 'at' | 'datacenter'>
  ) {
    this.index = index
    this.at = at
    this.datacenter = datacenter
  }

  /** The catalog after the emitted events. */
  get catalog(): CatalogReader {
    return this.models.catalog
  }

  emit(event: Event): void {
    this.events.push(event)
    this.models.apply(event)
  }

  /** Emits the end of the affected sessions. */
  endSessions(cause: SessionCause): void {
    const ends =
      cause.kind === 'node'
        ? endSessionsOfNode(cause.partition, cause.node, this.models, this.index)
        : endSessionsOfCheck({ ...cause, ...cause.tenancy, id: cause.check }, this.models, this.index)
    for (const event of ends) this.emit(event)
  }

  endCoordinates(partition: string, node: string): void {
    for (const coordinate of this.models.coordinates.of(partition, node)?.values() ?? [])
      this.emit(coordinateEvent('CoordinateDeleted', partition, coordinate))
  }
}
