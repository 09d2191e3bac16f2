// What decisions look at: the read models of today, or a draft of them in which the operations of a transaction see
// what those before them did.
import type { Commit, Event } from '../events/envelope.js'
import { isConfigEntryEvent } from '../events/config-entry.js'
import { isKvEvent } from '../events/kv.js'
import { isSessionEvent } from '../events/session.js'
import type { Catalog } from './catalog/catalog.js'
import type { Coordinates } from './catalog/coordinates.js'
import { CatalogDraft } from './catalog/draft.js'
import type { CatalogReader } from './catalog/reader.js'
import type { ConfigEntries } from './config/entries.js'
import type { Kv } from './kv/kv.js'
import type { KvDraft } from './kv/kv-draft.js'
import type { KvReader } from './kv/kv-reader.js'
import type { Queries } from './queries/queries.js'
import type { Sessions } from './sessions/sessions.js'

/** `Views` has all of these, and so has a `Draft`. */
export interface Models {
  readonly kv: KvReader
  readonly sessions: Sessions
  readonly queries: Pick<Queries, 'ofSession'>
  readonly catalog: CatalogReader
  readonly coordinates: Pick<Coordinates, 'of'>
  readonly config: ConfigEntries
}

/** The read models that a draft lies over. */
interface Below extends Models {
  readonly kv: Kv
  readonly queries: Queries
  readonly catalog: Catalog
  readonly coordinates: Coordinates
}

/** Models on top of the views: made when first asked for, changed by `apply` alone, and dropped after the decision. */
export class Draft implements Models {
  readonly #views: Below
  #kv: KvDraft | undefined
  #sessions: Sessions | undefined
  #catalog: CatalogDraft | undefined
  #config: ConfigEntries | undefined

  constructor(views: Below) {
    this.#views = views
  }

  get kv(): KvDraft {
    return (this.#kv ??= this.#views.kv.draft())
  }

  get sessions(): Sessions {
    return (this.#sessions ??= this.#views.sessions.draft())
  }

  /** No operation of a transaction changes a query, and a session ends but once. */
  get queries(): Queries {
    return this.#views.queries
  }

  /** Those before the transaction, which changes them only by removing nodes. */
  get coordinates(): Coordinates {
    return this.#views.coordinates
  }

  get catalog(): CatalogDraft {
    return (this.#catalog ??= new CatalogDraft(this.#views.catalog))
  }

  get config(): ConfigEntries {
    return (this.#config ??= this.#views.config.draft())
  }

  /** Folds an event as the read models will when it is committed. */
  apply(event: Event, commit: Pick<Commit, 'Index'>): void {
    if (isKvEvent(event)) this.kv.apply(event)
    else if (isSessionEvent(event)) this.sessions.apply(event, commit)
    else if (isConfigEntryEvent(event)) this.config.apply(event, commit)
    else this.catalog.fold(event)
  }
}
