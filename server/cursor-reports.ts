// Logs cursors that a restored snapshot has moved back.
import type { Committer } from '../actors/committer.js'
import { RESTORE_PIECE } from '../actors/snapshot/restore-snapshot.js'
import { isCursorEvent } from '../events/cursor.js'
import type { Logger } from './telemetry/logging/logger.js'

/** Costs O(events) for commits of a restore, and O(1) for others. */
export const reportClampedCursors = (committer: Committer, logger: Logger): void => {
  committer.signals.on('applied', ({ By, Events }) => {
    if (By.Command !== RESTORE_PIECE) return
    for (const event of Events) {
      if (!isCursorEvent(event) || event.Type !== 'CursorUpserted') continue
      const { Name, Index, ClampedFrom } = event.Payload.Cursor
      if (ClampedFrom === undefined) continue
      logger.warn(
        { cursor: Name, index: Index, from: ClampedFrom },
        'a cursor stood behind the end of this log, and was set back to it'
      )
    }
  })
}
