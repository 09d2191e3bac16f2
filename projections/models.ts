import type { Event } from '../events/envelope.js'
import { isConfigEntryEvent } from '../events/config-entry.js'
import { isKvEvent } from '../events/kv.js'
import { isSessionEvent } from '../events/session.js'
import type { Catalog } from './catalog/catalog.js'
import type { Coordinates } from './catalog/coordinates.js'
import type { CatalogOverlay } from './catalog/overlay.js'
import type { CatalogReader } from './catalog/reader.js'
import type { ConfigEntries } from './config/entries.js'
import type { ConfigOverlay, EntryReader } from './config/reader.js'
import type { KvOverlay, KvReader } from './kv/kv-overlay.js'
import type { Kv } from './kv/kv.js'
import type { Queries } from './queries/queries.js'
import type { SessionLookup, Sessions, SessionsOverlay } from './sessions/sessions.js'

export interface Models {
  readonly kv: KvReader
  readonly sessions: SessionLookup
  readonly queries: Pick<Queries, 'ofSession'>
  readonly catalog: CatalogReader
  readonly coordinates: Pick<Coordinates, 'of'>
  readonly config: EntryReader
}

interface Below extends Models {
  readonly kv: Kv
  readonly sessions: Sessions
  readonly queries: Queries
  readonly catalog: Catalog
  readonly coordinates: Coordinates
  readonly config: ConfigEntries
}

/** The views with uncommitted events. Each overlay is created on first use, and dropped after the decision. */
export class ModelsOverlay implements Models {
  #kv: KvOverlay | undefined
  #sessions: SessionsOverlay | undefined
  #catalog: CatalogOverlay | undefined
  #config: ConfigOverlay | undefined

  constructor(private readonly views: Below) {}

  get kv(): KvOverlay {
    return (this.#kv ??= this.views.kv.overlay())
  }

  get sessions(): SessionsOverlay {
    return (this.#sessions ??= this.views.sessions.overlay())
  }

  get catalog(): CatalogOverlay {
    return (this.#catalog ??= this.views.catalog.overlay())
  }

  get config(): ConfigOverlay {
    return (this.#config ??= this.views.config.overlay())
  }

  /** Not overlaid: transactions change no query, and a session ends only once. */
  get queries(): Queries {
    return this.views.queries
  }

  /** Not overlaid: transactions change coordinates only by removing nodes. */
  get coordinates(): Coordinates {
    return this.views.coordinates
  }

  apply(event: Event): void {
    if (isKvEvent(event)) this.kv.apply(event)
    else if (isSessionEvent(event)) this.sessions.apply(event)
    else if (isConfigEntryEvent(event)) this.config.apply(event)
    else this.catalog.apply(event)
  }
}
