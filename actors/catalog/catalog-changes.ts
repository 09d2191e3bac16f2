// The unit of work of a decision on the catalog: it collects the events, and reads the catalog as these make
// it.
import type { Event, Tenancy } from '../../events/envelope.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import type { ModelsOverlay } from '../../projections/models.js'
import { coordinateEvent } from '../coordinate.js'
import { endSessionsOfCheck, endSessionsOfNode } from '../session.js'

/** Why sessions end: their node went, or a check that they depend on went or turned critical. */
type SessionCause =
  | { readonly kind: 'node'; readonly partition: string; readonly node: string }
  | { readonly kind: 'check'; readonly tenancy: Tenancy; readonly node: string; readonly check: string }

/**
 * What a decision on nodes, services and checks reads and emits, on an overlay of the models; one for each
 * command.
 */
export class CatalogChanges {
  /** Index of the commit to come. */
  readonly index: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The one in which nodes are that name none. */
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

  /** The catalog as it is after everything emitted so far. */
  get catalog(): CatalogReader {
    return this.models.catalog
  }

  emit(event: Event): void {
    this.events.push(event)
    this.models.apply(event)
  }

  /** Emits what follows from the end of the sessions that this concerns. */
  endSessions(cause: SessionCause): void {
    const ends =
      cause.kind === 'node'
        ? endSessionsOfNode(cause.partition, cause.node, this.models, this.index)
        : endSessionsOfCheck({ ...cause, ...cause.tenancy, id: cause.check }, this.models, this.index)
    for (const event of ends) this.emit(event)
  }

  /** Emits the end of the coordinates of a node. */
  endCoordinates(partition: string, node: string): void {
    for (const coordinate of this.models.coordinates.of(partition, node)?.values() ?? [])
      this.emit(coordinateEvent('CoordinateDeleted', partition, coordinate))
  }
}
