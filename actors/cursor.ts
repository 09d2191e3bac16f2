// Named cursors of the event stream (spec: log.md §5 row 17).
import { isDeepStrictEqual } from 'node:util'
import {
  CURSOR_TOPIC,
  type Cursor,
  type CursorEvent,
  type CursorInput,
  cursorDefinition,
  isCursorEvent
} from '../events/cursor.js'
import { formatDuration, HOUR, SECOND } from '../events/duration.js'
import type { Event } from '../events/envelope.js'
import { formatTime } from '../events/time.js'
import { HIDDEN } from '../projections/acl/token-row.js'
import { ALL_TENANCIES } from '../projections/stream/required-permissions.js'
import type { Views } from '../projections/read-models.js'
import { type Aggregate, type Command, createEvent, decideBy } from './aggregate.js'
import { contentsOf } from './content.js'
import { lifecycleOf } from './lifecycle.js'
import { type ActorRef, inCluster } from './ref.js'
import { invalid, Refusal } from './refusal.js'
import { isTenancyName } from './tenancy.js'
import { isSecret, SECRET_RULE } from './webhook/signature.js'

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
type DisableWebhook = Command<'DisableWebhook', { readonly name: string; readonly reason: string }>
type DeleteCursor = Command<'DeleteCursor', { readonly name: string }>
export type CursorCommand = PutCursor | MoveCursors | SkipDeadLetter | DisableWebhook | DeleteCursor

export const cursorRef = (name = ''): ActorRef<typeof CURSOR_TOPIC> => inCluster(CURSOR_TOPIC, name)

const cursorEvent = (Type: CursorEvent['Type'], cursor: Cursor, secret?: string): CursorEvent =>
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

const NAME = /^[A-Za-z0-9_.-]{1,128}$/
const [SHORTEST_LEASE, LONGEST_LEASE] = [SECOND, 24 * HOUR]
const MOST_CHARACTERS = 4096
const LONGEST_URL = 2048
const LONGEST_REASON = 512

/** @throws Refusal `invalid` */
export const checkCursorName = (name: string): void => {
  if (!NAME.test(name))
    throw invalid(
      'cursor.invalid',
      `Invalid Cursor: Name ${JSON.stringify(name.slice(0, 200))} must be 1 to 128 letters, digits, "_", "." and "-"`
    )
}

const checkTenancyName = (field: 'Namespace' | 'Partition', name: string): void => {
  if (name !== ALL_TENANCIES && !isTenancyName(name))
    throw invalid(
      'cursor.invalid',
      `Invalid Cursor: ${field} ${JSON.stringify(name.slice(0, 200))} must be * or a DNS label of 1 to 63 letters, digits and hyphens`
    )
}

/** @throws Refusal `invalid` for an index that no reader can have taken */
export const checkCursorIndex = (value: number, head: number): void => {
  if (value < 0) throw invalid('cursor.invalid', `Invalid Cursor: Index ${value} must not be negative`)
  if (value > head)
    throw invalid(
      'cursor.invalid',
      `Invalid Cursor: Index ${value} is not there: the log ends at commit ${head}`
    )
}

const checkContent = ({ Topics, Types, Filter, Lease }: CursorInput): void => {
  if (Topics.length === 0)
    throw invalid(
      'cursor.invalid',
      'Invalid Cursor: Topics must name what it is of: topics, or * for all of them'
    )
  const characters = [...Topics, ...Types, Filter].reduce((sum, text) => sum + text.length, 0)
  if (characters > MOST_CHARACTERS)
    throw invalid(
      'cursor.invalid',
      `Invalid Cursor: Topics, Types and Filter have ${characters} characters together, and may have at most ${MOST_CHARACTERS}`
    )
  if (Lease < SHORTEST_LEASE || Lease > LONGEST_LEASE)
    throw invalid(
      'cursor.invalid',
      `Invalid Cursor: Lease ${formatDuration(Lease)} must be at least ${formatDuration(SHORTEST_LEASE)} and at most ${formatDuration(LONGEST_LEASE)}`
    )
}

/** Returns the new secret of a webhook; undefined without a URL. @throws Refusal `invalid` */
const webhookSecretOf = (
  { URL, Secret, newSecret }: PutCursor['data'],
  before: string | undefined
): string | undefined => {
  // A caller may write back the placeholder that a read returned.
  const value = Secret === HIDDEN ? '' : Secret
  if (URL.length > LONGEST_URL)
    throw invalid(
      'cursor.invalid',
      `Invalid Cursor: URL has ${URL.length} characters, and may have at most ${LONGEST_URL}`
    )
  if (value !== '' && !isSecret(value))
    throw invalid('cursor.invalid', `Invalid Cursor: Secret must ${SECRET_RULE}`)
  if (URL !== '') return value || (before ?? newSecret)
  if (value !== '')
    throw invalid(
      'cursor.invalid',
      'Invalid Cursor: Secret must not be given without URL, whose requests it signs'
    )
  return undefined
}

const contentOf = contentsOf(cursorDefinition)

/** State of a webhook that a write to its cursor keeps. */
const deadLettersOf = ({ DeadLetters, LastDeadLetter }: Cursor) => ({
  ...(DeadLetters === undefined ? {} : { DeadLetters }),
  ...(LastDeadLetter === undefined ? {} : { LastDeadLetter })
})

const put = ({ data, at }: PutCursor, { cursors, index: head }: Views, index: number): CursorEvent[] => {
  const { name, maxPerOwner } = data
  const [Namespace, Partition] = [data.Namespace.toLowerCase(), data.Partition.toLowerCase()]
  checkCursorName(name)
  checkContent(data)
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
    ...contentOf({ ...data, Namespace, Partition, Index }),
    Owner: owner,
    MovedAt: isMoved ? formatTime(at) : before.MovedAt,
    ...(isMoved || ClampedFrom === undefined ? {} : { ClampedFrom }),
    ...(before && secret !== undefined ? deadLettersOf(before) : {}),
    ...(before?.Batch && secret !== undefined && !isMoved ? { Batch: before.Batch } : {}),
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

const skip = ({ data, at }: SkipDeadLetter, { cursors }: Views, index: number): CursorEvent[] => {
  const { name, from, to, reason } = data
  const before = cursors.get(name)
  if (before?.URL === undefined || before.Index >= to) return []
  const { ClampedFrom: _clamped, Batch: _batch, ...cursor } = before
  const At = formatTime(at)
  const skipped = {
    ...cursor,
    Index: to,
    MovedAt: At,
    DeadLetters: (before.DeadLetters ?? 0) + 1,
    LastDeadLetter: { From: from, To: to, Reason: reason.slice(0, LONGEST_REASON), At },
    ModifyIndex: index
  }
  return [cursorEvent('CursorSkipped', skipped, cursors.secretOf(name))]
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
    SkipDeadLetter: skip,
    DisableWebhook: disable,
    DeleteCursor: remove
  })
}
