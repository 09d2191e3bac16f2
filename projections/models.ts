import { type Commit, type Event, NO_CALLER } from '../events/envelope.js'
import { isConfigEntryEvent } from '../events/config-entry.js'
import { isKvEvent } from '../events/kv.js'
import { isSessionEvent } from '../events/session.js'
import type { Catalog } from './catalog/catalog.js'
import type { Coordinates } from './catalog/coordinates.js'
import type { CatalogOverlay } from './catalog/overlay.js'
import type { CatalogReader } from './catalog/reader.js'
import type { ConfigEntries } from './config/entries.js'
import type { KvOverlay, KvReader } from './kv/kv-overlay.js'
import type { Kv } from './kv/kv.js'
import type { Queries } from './queries/queries.js'
import type { Sessions } from './sessions/sessions.js'

export interface Models {
  readonly kv: KvReader
  readonly sessions: Sessions
  readonly queries: Pick<Queries, 'ofSession'>
  readonly catalog: CatalogReader
  readonly coordinates: Pick<Coordinates, 'of'>
  readonly config: ConfigEntries
}

interface Below extends Models {
  readonly kv: Kv
  readonly queries: Queries
  readonly catalog: Catalog
  readonly coordinates: Coordinates
}

/** The views with uncommitted events. Each overlay or draft is created on first use, and dropped after the decision. */
export class ModelsOverlay implements Models {
  #kv: KvOverlay | undefined
  #sessions: Sessions | undefined
  #catalog: CatalogOverlay | undefined
  #config: ConfigEntries | undefined

  /** @param index that the commit will have */
  constructor(
    private readonly views: Below,
    private readonly index: number
  ) {}

  get kv(): KvOverlay {
    return (this.#kv ??= this.views.kv.overlay())
  }

  get catalog(): CatalogOverlay {
    return (this.#catalog ??= this.views.catalog.overlay())
  }

  get sessions(): Sessions {
    return this.#sessions ?? this.views.sessions
  }

  get config(): ConfigEntries {
    return this.#config ?? this.views.config
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
    else if (isSessionEvent(event))
      (this.#sessions ??= this.views.sessions.draft()).apply(event, this.#commit)
    else if (isConfigEntryEvent(event))
      (this.#config ??= this.views.config.draft()).apply(event, this.#commit)
    else this.catalog.apply(event)
  }

  get #commit(): Commit {
    return { Index: this.index, Time: '', By: NO_CALLER, Events: [] }
  }
}
