// How far cursors are behind the newest commit.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import type { Cursor } from '../../events/cursor.js'
import { type LogReader, CommitsPruned } from '../../events/log/log.js'
import { parseTime } from '../../events/time.js'
import { Views } from '../../projections/read-models.js'
import { EVENT_LOG } from '../../server/settings/ports.js'

export interface CursorLag {
  /** Number of commits ahead of the cursor, without trailing commits that only move cursors. */
  readonly LagCommits: number
  /** Age of the first of them in whole seconds; 0 without any. */
  readonly LagSeconds: number
}

const NONE: CursorLag = { LagCommits: 0, LagSeconds: 0 }

/** Cost: a log read for a cursor that is new or has moved, else O(1). */
@scoped(Lifecycle.ContainerScoped)
export class CursorLags {
  /** The time of the first commit ahead of a cursor, by name. */
  readonly #times = new Map<string, { readonly index: number; readonly time: number }>()

  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly views: Views,
    private readonly clock: Clock
  ) {}

  async of({ Name, Index }: Pick<Cursor, 'Name' | 'Index'>): Promise<CursorLag> {
    const newest = this.views.cursors.newestToTake(this.views.index)
    if (newest <= Index) return NONE
    const time = await this.#timeOf(Name, Math.max(Index + 1, this.log.firstIndex))
    const age = time === undefined ? 0 : Math.max(0, this.clock.now() - time)
    return { LagCommits: newest - Index, LagSeconds: Math.floor(age / 1000) }
  }

  /** Evicts deleted cursors. */
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
      // The commits were pruned during the read.
      if (error instanceof CommitsPruned) return this.#timeOf(name, error.oldest)
      throw error
    }
    return undefined
  }
}
