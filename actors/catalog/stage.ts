// Where a decision on the catalog collects its events, and reads the catalog as these make it.
import type { Event, Tenancy } from '../../events/envelope.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'
import type { ModelsOverlay } from '../../projections/models.js'
import { coordinateEvent } from '../coordinate.js'
import { endSessionsOfCheck, endSessionsOfNode } from '../session.js'

/** Why sessions end: their node went, or a check that they depend on went or turned critical. */
export type SessionCause =
  | { readonly kind: 'node'; readonly partition: string; readonly node: string }
  | { readonly kind: 'check'; readonly tenancy: Tenancy; readonly node: string; readonly check: string }

/** What decisions on nodes, services and checks work on; a transaction brings one of its own. */
export interface CatalogStage {
  /** The catalog as it is after everything emitted so far. */
  readonly catalog: CatalogReader
  /** Index of the commit to come. */
  readonly index: number
  /** Epoch milliseconds. */
  readonly at: number
  /** The one in which nodes are that name none. */
  readonly datacenter: string
  emit(event: Event): void
  /** Emits what follows from the end of the sessions that this concerns. */
  endSessions(cause: SessionCause): void
  /** Emits the end of the coordinates of a node. */
  endCoordinates(partition: string, node: string): void
}

/** The stage of a command, over an overlay of the models. */
export class DraftStage implements CatalogStage {
  readonly index: number
  readonly at: number
  readonly datacenter: string
  readonly events: Event[] = []
  readonly #models: ModelsOverlay

  constructor(
    models: ModelsOverlay,
    { index, at, datacenter }: Pick<CatalogStage, 'index' | 'at' | 'datacenter'>
  ) {
    this.#models = models
    this.index = index
    this.at = at
    this.datacenter = datacenter
  }

  get catalog(): CatalogReader {
    return this.#models.catalog
  }

  emit(event: Event): void {
    this.events.push(event)
    this.#models.apply(event)
  }

  endSessions(cause: SessionCause): void {
    const ends =
      cause.kind === 'node'
        ? endSessionsOfNode(cause.partition, cause.node, this.#models, this.index)
        : endSessionsOfCheck({ ...cause, ...cause.tenancy, id: cause.check }, this.#models, this.index)
    for (const event of ends) this.emit(event)
  }

  endCoordinates(partition: string, node: string): void {
    for (const coordinate of this.#models.coordinates.of(partition, node)?.values() ?? [])
      this.emit(coordinateEvent('CoordinateDeleted', partition, coordinate))
  }
}
