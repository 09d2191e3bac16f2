// A cursor, and what a caller says to have it.
import { type Cursor, type CursorInput, isCursorEvent } from '../../events/cursor.js'
import { SECOND } from '../../events/duration.js'
import type { Event } from '../../events/envelope.js'

export const cursor: Cursor = {
  Name: 'loader',
  Topics: ['KV:load/'],
  Namespace: 'default',
  Partition: 'default',
  Index: 1,
  Owner: 'ann',
  Lease: 30 * SECOND,
  MovedAt: '2025-12-31T00:00:00Z',
  CreateIndex: 1,
  ModifyIndex: 1
}
export const cursorInput: CursorInput = {
  Topics: ['KV:load/'],
  Types: [],
  Filter: '',
  Namespace: 'default',
  Partition: 'default',
  Index: undefined,
  Lease: 30 * SECOND,
  Format: '',
  Group: null,
  URL: '',
  Secret: ''
}

/** The cursor as an event about it has it. */
export const storedBy = (event: Event | undefined): Cursor | undefined =>
  event && isCursorEvent(event) ? event.Payload.Cursor : undefined
