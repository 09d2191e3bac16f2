// Logs cursors that a restored snapshot has moved back.
import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Committer } from '../actors/committer.js'
import { RESTORE_PIECE } from '../actors/snapshot/restore-snapshot.js'
import { CURSOR_TOPIC, isCursorEvent } from '../events/cursor.js'
import { LOGGER } from './settings/ports.js'

@scoped(Lifecycle.ContainerScoped)
export class CursorReports {
  constructor(
    private readonly committer: Committer,
    @inject(LOGGER) private readonly logger: Logger
  ) {}

  start(): void {
    this.committer.on(CURSOR_TOPIC, (event, { By }) => {
      if (By.Command !== RESTORE_PIECE || !isCursorEvent(event) || event.Type !== 'CursorUpserted') return
      const { Name, Index, ClampedFrom } = event.Payload.Cursor
      if (ClampedFrom === undefined) return
      this.logger.warn(
        { cursor: Name, index: Index, from: ClampedFrom },
        'a cursor stood behind the end of this log, and was set back to it'
      )
    })
  }
}
