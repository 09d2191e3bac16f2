// Where a decision on the catalog collects its events, and reads the catalog as these make it.
import type { Event, Tenancy } from '../../events/envelope.js'
import { CatalogDraft } from '../../projections/catalog/draft.js'
import type { CatalogReader } from '../../projections/catalog/reader.js'

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
}

/** The stage of a single command. */
export class CatalogDecision implements CatalogStage {
  readonly catalog: CatalogDraft
  readonly index: number
  readonly at: number
  readonly datacenter: string
  readonly events: Event[] = []
  readonly #sessionEnds: (cause: SessionCause, events: readonly Event[]) => readonly Event[]

  /** @param sessionEnds the events of the sessions that end, given those of this decision so far */
  constructor(
    catalog: CatalogReader,
    { index, at, datacenter }: Pick<CatalogStage, 'index' | 'at' | 'datacenter'>,
    sessionEnds: (cause: SessionCause, events: readonly Event[]) => readonly Event[]
  ) {
    this.catalog = new CatalogDraft(catalog)
    this.index = index
    this.at = at
    this.datacenter = datacenter
    this.#sessionEnds = sessionEnds
  }

  emit(event: Event): void {
    this.events.push(event)
    this.catalog.fold(event)
  }

  endSessions(cause: SessionCause): void {
    for (const event of this.#sessionEnds(cause, this.events)) this.emit(event)
  }
}
