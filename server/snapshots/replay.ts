import { assertAllPossible } from '../../actors/unit-of-work.js'
import { lifecycles } from '../../actors/aggregates.js'
import type { Commit } from '../../events/envelope.js'
import { LogUnusable, type LogReader } from '../../events/log/log.js'
import { baseSnapshotOf, loadSnapshot, type SnapshotStores } from '../../projections/restore-views.js'
import { Views } from '../../projections/read-models.js'
import { viewSettings, type Settings } from '../settings/settings.js'
import { messageOf } from '../../events/errors.js'

/** Applies commits one by one, after checking each. */
export class Replay {
  readonly views: Views

  constructor(settings: Settings) {
    this.views = new Views(viewSettings(settings))
  }

  /** Starts from the base snapshot of a pruned log. @returns the index of the first commit to apply */
  async begin(
    log: Pick<LogReader, 'firstIndex' | 'durableIndex'>,
    { bases }: Pick<SnapshotStores, 'bases'>
  ): Promise<number> {
    const base = await baseSnapshotOf(log, bases)
    if (base > 0) await loadSnapshot(this.views, bases, base)
    return base + 1
  }

  /** @throws LogUnusable for a commit that cannot follow the previous ones */
  fold(commit: Commit): void {
    try {
      assertAllPossible(lifecycles, this.views, commit.Events)
      this.views.apply(commit)
    } catch (error) {
      const reason = messageOf(error)
      throw new LogUnusable(`commit ${commit.Index} cannot follow the commits before it: ${reason}`, {
        cause: error
      })
    }
  }
}
