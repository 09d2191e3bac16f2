// Named cursors of the event stream (spec: log.md §5 row 17).
import { isDeepStrictEqual } from 'node:util'
import {
  CURSOR_TOPIC,
  type Cursor,
  type CursorEvent,
  cursorEvents,
  type CursorInput,
  type GroupUnit,
  cursorDefinition,
  isCursorEvent
} from '../events/cursor.js'
import { CLUSTER_TENANCY, type Event } from '../events/envelope.js'
import { formatTime } from '../events/time.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, decideBy } from './aggregate.js'
import { contentsOf } from './content.js'
import {
  checkCursorContent,
  checkCursorIndex,
  checkCursorName,
  checkTenancyName,
  LONGEST_REASON,
  webhookSecretOf
} from './cursor-rules.js'
import { lifecycleOf } from './lifecycle.js'
import { type ActorRef, inCluster } from './ref.js'
import { Refusal } from './refusal.js'

interface CursorMove {
  readonly name: string
  readonly index: number
  /** Index of the last commit of the batch that its webhook sends next. */
  readonly batchTo?: number | undefined
}

/** Creates a cursor or replaces its selection of events; the position changes only if `Index` is set. */
type PutCursor = Command<
  'PutCursor',
  CursorInput & {
    readonly name: string
    readonly owner: string
    /** Limit of cursors per accessor; 0 for none. */
    readonly maxPerOwner: number
    readonly newSecret: string
  }
>
/** Moves cursors forward or back; deleted ones are skipped. */
type MoveCursors = Command<'MoveCursors', { readonly moves: readonly CursorMove[] }>
/** Skips commits that a webhook's receiver did not accept, or that were pruned. */
type SkipDeadLetter = Command<
  'SkipDeadLetter',
  { readonly name: string; readonly from: number; readonly to: number; readonly reason: string }
>
/** Stores the position of a consumer group and its units. */
type StoreGroup = Command<
  'StoreGroup',
  { readonly name: string; readonly index: number; readonly units: readonly GroupUnit[] }
>
/** Removes the dead letters of a range, which the receiver has accepted since. */
type ForgetDeadLetters = Command<
  'ForgetDeadLetters',
  { readonly name: string; readonly from: number; readonly to: number }
>
type DisableWebhook = Command<'DisableWebhook', { readonly name: string; readonly reason: string }>
type DeleteCursor = Command<'DeleteCursor', { readonly name: string }>
export type CursorCommand =
  PutCursor | MoveCursors | StoreGroup | SkipDeadLetter | ForgetDeadLetters | DisableWebhook | DeleteCursor

export const cursorRef = (name = ''): ActorRef<typeof CURSOR_TOPIC> => inCluster(CURSOR_TOPIC, name)

const cursorEvent = (Type: CursorEvent['Type'], cursor: Cursor, secret?: string): CursorEvent =>
  cursorEvents.create(Type, CLUSTER_TENANCY, cursor, secret === undefined ? undefined : { Secret: secret })

/** @param secret signs the requests of its webhook */
export const cursorUpserted = (cursor: Cursor, secret?: string): CursorEvent =>
  cursorEvent('CursorUpserted', cursor, secret)

/**
 * Returns the event that restores a cursor of a snapshot. An existing cursor keeps its position, as this log
 * stays. A position after the end of this log is clamped to the end.
 */
const restoredCursor = ({ cursors, index: head }: Views, archived: Event): Event => {
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
    cursor.Index > head ? { ...cursor, Index: head, ClampedFrom: cursor.Index } : cursor,
    secret
  )
}

/** A snapshot or a base snapshot holds the last event of a cursor. */
const existing = { CursorUpserted: 'live', CursorMoved: 'live', CursorSkipped: 'live' }

export const cursorLifecycle = lifecycleOf<CursorEvent>({
  topic: CURSOR_TOPIC,
  states: { absent: existing, live: { ...existing, CursorDeleted: 'absent' } },
  stateOf: ({ cursors }, { key }) => (cursors.get(key) ? 'live' : 'absent'),
  restoredBy: restoredCursor
})

const contentOf = contentsOf(cursorDefinition)

const MAX_UNDELIVERED = 100

/** State of a webhook that a write to its cursor keeps. */
const deadLettersOf = ({ DeadLetters, LastDeadLetter, Undelivered }: Cursor) => ({
  ...(DeadLetters === undefined ? {} : { DeadLetters }),
  ...(Undelivered === undefined ? {} : { Undelivered }),
  ...(LastDeadLetter === undefined ? {} : { LastDeadLetter })
})

const put = ({ data, at }: PutCursor, { cursors, index: head }: Views, index: number): CursorEvent[] => {
  const { name, maxPerOwner } = data
  const [Namespace, Partition] = [data.Namespace.toLowerCase(), data.Partition.toLowerCase()]
  checkCursorName(name)
  checkCursorContent(data)
  checkTenancyName('Namespace', Namespace)
  checkTenancyName('Partition', Partition)
  if (data.Index !== undefined) checkCursorIndex(data.Index, head)
  const before = cursors.get(name)
  const secretBefore = cursors.secretOf(name)
  const secret = webhookSecretOf(data, secretBefore)
  // Deliveries are limited by the owner's permissions, so the caller who sets the URL becomes the owner.
  const owner = before && secret === undefined ? before.Owner : data.owner
  if (before?.Owner !== owner && maxPerOwner > 0 && cursors.ownedBy(owner) >= maxPerOwner)
    throw new Refusal(
      'cursor.too-many',
      `Too many cursors: a token may own ${maxPerOwner} of them (cursor.max_per_token)`
    )
  const isMoved = !before || (data.Index !== undefined && data.Index !== before.Index)
  // A new cursor starts after the commit that creates it.
  const Index = data.Index ?? before?.Index ?? index
  const { ClampedFrom } = before ?? {}
  const cursor: Cursor = {
    Name: name,
    ...contentOf(data, { Namespace, Partition, Index }),
    Owner: owner,
    MovedAt: isMoved ? formatTime(at) : before.MovedAt,
    ...(isMoved || ClampedFrom === undefined ? {} : { ClampedFrom }),
    ...(before && secret !== undefined ? deadLettersOf(before) : {}),
    ...(before?.Batch && secret !== undefined && !isMoved ? { Batch: before.Batch } : {}),
    ...(before?.Units && data.Group && !isMoved ? { Units: before.Units } : {}),
    CreateIndex: before?.CreateIndex ?? index,
    ModifyIndex: index
  }
  const isSame =
    before &&
    secret === secretBefore &&
    isDeepStrictEqual({ ...cursor, ModifyIndex: before.ModifyIndex }, before)
  return isSame ? [] : [cursorUpserted(cursor, secret)]
}

const move = ({ data, at }: MoveCursors, { cursors }: Views, index: number): CursorEvent[] =>
  data.moves.flatMap(({ name, index: Index, batchTo }) => {
    const before = cursors.get(name)
    if (!before) return []
    const batch = batchTo === undefined ? undefined : { From: Index + 1, To: batchTo }
    const isMoved = before.Index !== Index
    if (!isMoved && (!batch || isDeepStrictEqual(batch, before.Batch))) return []
    const { ClampedFrom, Batch: _, ...cursor } = before
    const moved = {
      ...cursor,
      ...(isMoved ? { Index, MovedAt: formatTime(at) } : {}),
      ...(isMoved || ClampedFrom === undefined ? {} : { ClampedFrom }),
      ...(batch ? { Batch: batch } : {}),
      ModifyIndex: index
    }
    return [cursorEvent('CursorMoved', moved, cursors.secretOf(name))]
  })

const storeGroup = ({ data, at }: StoreGroup, { cursors }: Views, index: number): CursorEvent[] => {
  const before = cursors.get(data.name)
  if (!before?.Group) return []
  const { Units: _, ClampedFrom: _clamped, ...cursor } = before
  const isMoved = before.Index !== data.index
  const moved = {
    ...cursor,
    ...(isMoved ? { Index: data.index, MovedAt: formatTime(at) } : {}),
    ...(data.units.length > 0 ? { Units: data.units } : {}),
    ModifyIndex: index
  }
  return [cursorEvent('CursorMoved', moved)]
}

const skip = ({ data, at }: SkipDeadLetter, { cursors }: Views, index: number): CursorEvent[] => {
  const { name, from, to, reason } = data
  const before = cursors.get(name)
  if (before?.URL === undefined || before.Index >= to) return []
  const { ClampedFrom: _clamped, Batch: _batch, ...cursor } = before
  const At = formatTime(at)
  const deadLetter = { From: from, To: to, Reason: reason.slice(0, LONGEST_REASON), At }
  const skipped = {
    ...cursor,
    Index: to,
    MovedAt: At,
    DeadLetters: (before.DeadLetters ?? 0) + 1,
    LastDeadLetter: deadLetter,
    Undelivered: [...(before.Undelivered ?? []), deadLetter].slice(-MAX_UNDELIVERED),
    ModifyIndex: index
  }
  return [cursorEvent('CursorSkipped', skipped, cursors.secretOf(name))]
}

const forget = ({ data }: ForgetDeadLetters, { cursors }: Views, index: number): CursorEvent[] => {
  const before = cursors.get(data.name)
  if (!before?.Undelivered) return []
  const rest = before.Undelivered.filter(({ From, To }) => From < data.from || To > data.to)
  if (rest.length === before.Undelivered.length) return []
  const { Undelivered: _, ...cursor } = before
  const changed = { ...cursor, ...(rest.length > 0 ? { Undelivered: rest } : {}), ModifyIndex: index }
  return [cursorEvent('CursorMoved', changed, cursors.secretOf(data.name))]
}

const disable = ({ data }: DisableWebhook, { cursors }: Views, index: number): CursorEvent[] => {
  const before = cursors.get(data.name)
  if (before?.URL === undefined || before.Disabled !== undefined) return []
  const cursor = { ...before, Disabled: data.reason, ModifyIndex: index }
  return [cursorUpserted(cursor, cursors.secretOf(data.name))]
}

const remove = ({ data }: DeleteCursor, { cursors }: Views): CursorEvent[] => {
  const before = cursors.get(data.name)
  return before ? [cursorEvent('CursorDeleted', before)] : []
}

export const cursorAggregate: Aggregate<CursorCommand> = {
  lifecycle: cursorLifecycle,
  scope: 'cluster',
  removals: ['DeleteCursor'],
  decide: decideBy({
    PutCursor: put,
    MoveCursors: move,
    StoreGroup: storeGroup,
    SkipDeadLetter: skip,
    ForgetDeadLetters: forget,
    DisableWebhook: disable,
    DeleteCursor: remove
  })
}
