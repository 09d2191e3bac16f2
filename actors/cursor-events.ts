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

/** @param secret signs the requests of its webhook */
export const cursorUpserted = (cursor: Cursor, secret?: string): CursorEvent =>
  cursorEvent('CursorUpserted', cursor, secret)

/**
 * Returns the event that restores a cursor of a snapshot. An existing cursor keeps its position, as this log
 * stays. A position after the end of this log is clamped to the end.
 */
export const restoredCursor = ({ cursors, index }: Views, archived: Event): Event => {
  if (!isCursorEvent(archived)) return archived
  const { ClampedFrom: _clamped, Batch: _batch, ...cursor } = archived.Payload.Cursor
  const secret = archived.Secrets?.['Secret']
  const existing = cursors.get(cursor.Name)
  if (existing) {
    const { Index, MovedAt, ClampedFrom } = existing
    const moved = {
      ...cursor,
      Index,
      MovedAt,
      ...(ClampedFrom === undefined ? {} : { ClampedFrom }),
      ...(cursor.URL !== undefined && existing.Batch ? { Batch: existing.Batch } : {})
    }
    return cursorUpserted(moved, secret)
  }
  return cursorUpserted(
    cursor.Index > index ? { ...cursor, Index: index, ClampedFrom: cursor.Index } : cursor,
    secret
  )
}
