// KV entries (spec: state.md §4).
import type { Tenancy } from '../events/envelope.js'
import { isKvEvent, KV_TOPIC, type KvEntry, type KvEvent } from '../events/kv.js'
import type { KvRow } from '../projections/kv/kv-row.js'
import type { Models } from '../projections/models.js'
import type { Views } from '../projections/read-models.js'
import type { Aggregate, Command, Decision } from './aggregate.js'
import { kvDeleted, kvEvent } from './kv-events.js'
import { deleteTree, type KeyTreeDeletion } from './kv-tree.js'
import { lifecycleOf } from './lifecycle.js'
import { subjectOf, type ActorRef } from './ref.js'
import { Refusal } from './refusal.js'
import { isUuid } from './uuid.js'

type SetKey = Command<'SetKey', KvContent>
type CasKey = Command<'CasKey', KvContent & { readonly index: bigint }>
type LockKey = Command<'LockKey', KvContent & { readonly session: string }>
type UnlockKey = Command<'UnlockKey', KvContent & { readonly session: string }>
type DeleteKey = Command<'DeleteKey', { readonly key: string }>
type CasDeleteKey = Command<'CasDeleteKey', { readonly key: string; readonly index: bigint }>
type DeleteKeyTree = Command<
  'DeleteKeyTree',
  {
    readonly prefix: string
    /** The same deletion, if it was prepared. */
    readonly prepared?: KeyTreeDeletion | undefined
  }
>
export type KvCommand = SetKey | CasKey | LockKey | UnlockKey | DeleteKey | CasDeleteKey | DeleteKeyTree

// Lifecycle: an entry exists or not, and a session may hold it

const stateOf = ({ kv }: Views, ref: ActorRef): 'absent' | 'free' | 'held' => {
  const row = kv.get(ref, ref.key)
  if (!row) return 'absent'
  return row.session === '' ? 'free' : 'held'
}

/** @throws Refusal `conflict` when the current state forbids it, `invalid` for an unusable session */
const decideKv = (command: KvCommand, views: Views, index: number): Decision => {
  const { tenancy } = command
  const context: KvContext = { models: views, tenancy, index }
  switch (command.name) {
    case 'DeleteKey':
      return deleteKey(context, command.data.key)
    case 'CasDeleteKey':
      return casDeleteKey(context, command.data.key, command.data.index)
    case 'DeleteKeyTree':
      return deleteTree(context, command.data.prefix, command.data.prepared)
    case 'SetKey':
      return setKey(context, command.data)
    case 'CasKey':
      return casKey(context, command.data, command.data.index)
    case 'LockKey':
      refuseDelayed(context, command.data.key, command.at)
      return lockKey(context, command.data, command.data.session)
    case 'UnlockKey':
      return unlockKey(context, command.data, command.data.session)
  }
}

// The verbs on one KV entry (spec: state.md §3.5), shared by /v1/kv and transactions.

export interface KvContext {
  readonly models: Pick<Models, 'kv' | 'sessions'>
  readonly tenancy: Tenancy
  readonly index: number
}

export interface KvContent {
  readonly key: string
  /** Base64; null when empty. */
  readonly value: string | null
  /** Decimal digits of an unsigned integer of 64 bits. */
  readonly flags: string
}

const conflict = (text: string, code: string): Refusal => new Refusal('kv.conflict', text, code)
const invalidVerb = (text: string, code = 'invalid'): Refusal => new Refusal('kv.invalid', text, code)

const written = (
  change: 'KVSet' | 'KVLock' | 'KVUnlock',
  { tenancy, index }: KvContext,
  before: KvRow | undefined,
  { key, value, flags }: KvContent,
  lock: { readonly lockIndex: number; readonly session: string }
): KvEvent[] => {
  if (
    before?.flags === flags &&
    before.lockIndex === lock.lockIndex &&
    before.session === lock.session &&
    before.value === value
  )
    return []
  const exact = Number(flags)
  const Flags = Number.isSafeInteger(exact) ? exact : flags
  const CreateIndex = before?.createIndex ?? index
  const { lockIndex: LockIndex, session: Session } = lock
  const entry: KvEntry =
    Session === ''
      ? { Key: key, Value: value, Flags, LockIndex, CreateIndex, ModifyIndex: index }
      : { Key: key, Value: value, Flags, LockIndex, Session, CreateIndex, ModifyIndex: index }
  return [kvEvent(change, tenancy, entry)]
}

/** Replaces value and flags. A lock stays, and LockIndex becomes 0. */
export const setKey = (context: KvContext, content: KvContent): KvEvent[] => {
  const before = context.models.kv.get(context.tenancy, content.key)
  return written('KVSet', context, before, content, { lockIndex: 0, session: before?.session ?? '' })
}

/** `setKey` if the entry still has this index; 0 means no entry. @throws Refusal `conflict`, code `stale` */
export const casKey = (context: KvContext, content: KvContent, expected: bigint): KvEvent[] => {
  const { key } = content
  if (BigInt(context.models.kv.get(context.tenancy, key)?.modifyIndex ?? 0) !== expected)
    throw conflict(`failed to set key "${key}", index is stale`, 'stale')
  return setKey(context, content)
}

/** @throws Refusal `conflict` with code `locked` during the lock delay of this key (state.md §5) */
export const refuseDelayed = ({ models, tenancy }: KvContext, key: string, at: number): void => {
  if (models.kv.isDelayed(tenancy, key, at))
    throw conflict(`failed to lock key "${key}" due to lock delay`, 'locked')
}

const checkSession = ({ models, tenancy }: KvContext, session: string): void => {
  if (session === '') throw invalidVerb('missing session')
  if (!isUuid(session)) throw invalidVerb('failed session lookup: index error: UUID must be 36 characters')
  const row = models.sessions.get(session)
  if (row?.tenancy.namespace !== tenancy.namespace || row.tenancy.partition !== tenancy.partition)
    throw invalidVerb(`invalid session "${session}"`, 'missing')
}

/**
 * Acquires or keeps the lock, and replaces value and flags.
 * @throws Refusal `invalid` for an unknown session; `conflict` with code `locked` when another one holds the lock
 */
export const lockKey = (context: KvContext, content: KvContent, session: string): KvEvent[] => {
  checkSession(context, session)
  const before = context.models.kv.get(context.tenancy, content.key)
  const holder = before?.session ?? ''
  if (holder !== '' && holder !== session)
    throw conflict(`failed to lock key "${content.key}", lock is already held`, 'locked')
  const lockIndex = holder === session ? (before?.lockIndex ?? 0) : (before?.lockIndex ?? 0) + 1
  return written('KVLock', context, before, content, { lockIndex, session })
}

/**
 * Releases the lock and replaces value and flags.
 * @throws Refusal `invalid` without a session; `conflict` with code `locked` when this one does not hold the lock
 */
export const unlockKey = (context: KvContext, content: KvContent, session: string): KvEvent[] => {
  if (session === '') throw invalidVerb('missing session')
  const before = context.models.kv.get(context.tenancy, content.key)
  if (before?.session !== session)
    throw conflict(
      `failed to unlock key "${content.key}", lock isn't held, or is held by another session`,
      'locked'
    )
  return written('KVUnlock', context, before, content, { lockIndex: before.lockIndex, session: '' })
}

export const deleteKey = (context: KvContext, key: string): KvEvent[] => {
  const row = context.models.kv.get(context.tenancy, key)
  return row ? [kvDeleted(row)] : []
}

/** `deleteKey` if the entry has this index or is missing. @throws Refusal `conflict` with code `stale` */
export const casDeleteKey = (context: KvContext, key: string, expected: bigint): KvEvent[] => {
  const row = context.models.kv.get(context.tenancy, key)
  if (row && BigInt(row.modifyIndex) !== expected)
    throw conflict(`failed to delete key "${key}", index is stale`, 'stale')
  return deleteKey(context, key)
}

export const kvAggregate: Aggregate<KvCommand, Decision> = {
  lifecycle: lifecycleOf<KvEvent>({
    topic: KV_TOPIC,
    states: {
      // A snapshot holds the last event of an entry, which may be the release of its lock.
      absent: { KVSet: 'free', KVLock: 'held', KVUnlock: 'free' },
      free: { KVSet: 'free', KVLock: 'held', KVDelete: 'absent' },
      held: { KVSet: 'held', KVLock: 'held', KVUnlock: 'free', KVDelete: 'absent' }
    },
    stateOf,
    restoredBy: (views, archived) => {
      if (!isKvEvent(archived)) return archived
      const { Session, ...entry } = archived.Payload.KV
      // A lock is restored only with the session that holds it.
      if (Session !== undefined && views.sessions.get(Session)) return { ...archived, Type: 'KVLock' }
      const Type = stateOf(views, subjectOf(archived)) === 'held' ? 'KVUnlock' : 'KVSet'
      return { ...archived, Type, Payload: { KV: entry } }
    }
  }),
  removals: ['DeleteKey', 'CasDeleteKey', 'DeleteKeyTree'],
  decide: decideKv
}
