// How far the readers of cursors are behind.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../../actors/clock.js'
import type { Cursor } from '../../../events/cursor.js'
import { CommitsPruned, type EventLog } from '../../../events/log/log.js'
import { parseTime } from '../../../events/time.js'
import { Views } from '../../../projections/read-models.js'
import { EVENT_LOG } from '../../../server/settings/ports.js'

/** What a cursor's reader has not taken yet. */
interface CursorLag {
  /** Commits, but for the newest where they do nothing but move cursors. */
  readonly LagCommits: number
  /** Age of the first of them in whole seconds; 0 when there is none. */
  readonly LagSeconds: number
}

const NONE: CursorLag = { LagCommits: 0, LagSeconds: 0 }

/** Costs a look into the log for a cursor that has moved, or was not asked about before, and O(1) for others. */
@scoped(Lifecycle.ContainerScoped)
export class CursorLags {
  /** When the first commit not taken was made, by the name of the cursor. */
  readonly #times = new Map<string, { readonly index: number; readonly time: number }>()

  constructor(
    @inject(EVENT_LOG) private readonly log: EventLog,
    private readonly views: Views,
    private readonly clock: Clock
  ) {}

  async of({ Name, Index }: Cursor): Promise<CursorLag> {
    const newest = this.views.cursors.newestToTake(this.views.index)
    if (newest <= Index) return NONE
    const time = await this.#timeOf(Name, Math.max(Index + 1, this.log.firstIndex))
    const age = time === undefined ? 0 : Math.max(0, this.clock.now() - time)
    return { LagCommits: newest - Index, LagSeconds: Math.floor(age / 1000) }
  }

  /** Forgets those that are not there any more. */
  keepOnly(cursors: { readonly size: number; list(): readonly Cursor[] }): void {
    if (this.#times.size <= cursors.size) return
    const names = new Set(cursors.list().map(({ Name }) => Name))
    for (const name of this.#times.keys()) if (!names.has(name)) this.#times.delete(name)
  }

  async #timeOf(name: string, index: number): Promise<number | undefined> {
    const known = this.#times.get(name)
    if (known?.index === index) return known.time
    try {
      for await (const commit of this.log.read(index)) {
        const time = parseTime(commit.Time)
        if (time !== undefined) this.#times.set(name, { index, time })
        return time
      }
    } catch (error) {
      // They were let go just now.
      if (error instanceof CommitsPruned) return this.#timeOf(name, error.oldest)
      throw error
    }
    return undefined
  }
}
