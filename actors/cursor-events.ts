// Makes the events of cursors, and restores cursors of a snapshot.
import { CURSOR_TOPIC, isCursorEvent, type Cursor, type CursorEvent } from '../events/cursor.js'
import type { Event } from '../events/envelope.js'
import type { Views } from '../projections/read-models.js'
import { createEvent } from './create-event.js'

export const cursorEvent = (Type: CursorEvent['Type'], cursor: Cursor, secret?: string): CursorEvent =>
  createEvent({
    Topic: CURSOR_TOPIC,
    Type,
    Key: cursor.Name,
    Payload: { Cursor: cursor },
    ...(secret === undefined ? {} : { Secrets: { Secret: secret } })
  })

/** @param secret what its webhook is signed with */
export const cursorUpserted = (cursor: Cursor, secret?: string): CursorEvent =>
  cursorEvent('CursorUpserted', cursor, secret)

/**
 * A cursor that a snapshot brings back and that is here stays where it is, as this log does. One that is not here may stand behind the
 * end of this log, which is not the one it was of: then it stands at the end.
 */
export const restoredCursor = ({ cursors, index }: Views, wanted: Event): Event => {
  if (!isCursorEvent(wanted)) return wanted
  const { ClampedFrom: _clamped, Batch: _batch, ...cursor } = wanted.Payload.Cursor
  const secret = wanted.Secrets?.['Secret']
  const here = cursors.get(cursor.Name)
  if (here) {
    const { Index, MovedAt, ClampedFrom } = here
    const moved = {
      ...cursor,
      Index,
      MovedAt,
      ...(ClampedFrom === undefined ? {} : { ClampedFrom }),
      ...(cursor.URL !== undefined && here.Batch ? { Batch: here.Batch } : {})
    }
    return cursorUpserted(moved, secret)
  }
  return cursorUpserted(
    cursor.Index > index ? { ...cursor, Index: index, ClampedFrom: cursor.Index } : cursor,
    secret
  )
}
