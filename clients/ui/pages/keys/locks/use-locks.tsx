import { useMemo, useState } from 'preact/hooks'
import type { Connection } from '../../../../typescript/connection.js'
import type { StreamedEvent } from '../../../../typescript/stream-line.js'
import type { StreamState } from '../../../live/stream-state.js'
import { queryAsOf, asOfIndex } from '../../../time-travel/as-of-state.js'
import { client } from '../../../session/session.js'
import { ALL, type Place } from '../../../session/tenancy.js'
import { messageOf } from '../../../../../events/errors.js'
import { isDeletion, fieldsOf, textOf, type Fields, resourcePage } from '../../../resources/kind.js'
import { useKeyEvents } from '../entry.js'
import { useTask, useTurn, useResponse } from '../../../session/use-response.js'

export const sessionAddress = ({ ns, partition }: Place, id: string): string =>
  resourcePage('sessions', { key: id, ns, partition })

/** Returns undefined until the response, and without permission. */
export const useSessionInfo = (id: string, space: Place): Fields | undefined =>
  useResponse<readonly Fields[]>(`/v1/session/info/${encodeURIComponent(id)}`, { ...space }).value?.[0]

export const nameOfSession = (id: string, session: Fields | undefined): string =>
  textOf(session?.['Name']) || `session ${id.slice(0, 8)}`

export const SessionLink = ({ id, space }: { readonly id: string; readonly space: Place }) => {
  const session = useSessionInfo(id, space)
  return (
    <a href={sessionAddress(space, id)} title={id}>
      {nameOfSession(id, session)}
    </a>
  )
}

export interface Lock {
  readonly id: string
  readonly key: string
  readonly space: Place
  readonly session: string
  readonly lockIndex: string
  readonly index: number
}

/** Selects the events that acquire or release a lock. */
const HELD = 'Payload.KV.Session != "" or Type == "KVUnlock" or Type == "KVDelete"'
const PAGE = 1_000
const PATH = '/v1/kv/'

const lockOf = (entry: Fields, space: Place): Lock => {
  const key = textOf(entry['Key'])
  return {
    id: JSON.stringify([space.partition, space.ns, key]),
    key,
    space,
    session: textOf(entry['Session']),
    lockIndex: textOf(entry['LockIndex']),
    index: Number(entry['ModifyIndex'])
  }
}

/** A list that changes in place. Events that arrive during a listing apply after it. */
class Locks {
  readonly #byId = new Map<string, Lock>()
  #early: StreamedEvent[] | undefined = []
  #sorted: readonly Lock[] | undefined

  get sorted(): readonly Lock[] {
    this.#sorted ??= [...this.#byId.values()].toSorted((one, other) => (one.key < other.key ? -1 : 1))
    return this.#sorted
  }

  begin(): void {
    this.#early ??= []
  }

  list(locks: readonly Lock[]): void {
    this.#byId.clear()
    this.#sorted = undefined
    for (const lock of locks) this.#byId.set(lock.id, lock)
    const early = this.#early ?? []
    this.#early = undefined
    this.take(early)
  }

  take(events: readonly StreamedEvent[]): void {
    if (this.#early) return void this.#early.push(...events)
    for (const event of events) {
      const { Namespace, Partition = 'default', Payload } = event
      const lock = lockOf(fieldsOf(Payload), { ns: Namespace, partition: Partition })
      if (isDeletion(event) || lock.session === '') this.#byId.delete(lock.id)
      else this.#byId.set(lock.id, lock)
      this.#sorted = undefined
    }
  }
}

const listed = async (connection: Connection, { ns, partition }: Place, signal: AbortSignal) => {
  const locks: Lock[] = []
  for (let after: string | undefined; ;) {
    const query = queryAsOf(PATH, { ns, partition, held: true, limit: PAGE, after })
    const answer = await connection.request('GET', PATH, { query, signal })
    const entries = await answer.json<readonly Fields[]>()
    for (const entry of entries)
      locks.push(lockOf(entry, { ns: ns === ALL ? textOf(entry['Namespace']) : ns, partition }))
    const last = locks.at(-1)
    if (entries.length < PAGE || !last) return locks
    after = ns === ALL ? `${last.space.ns}/${last.key}` : last.key
  }
}

interface LockedKeysView {
  /** Sorted by key. */
  readonly locks: readonly Lock[]
  readonly state: StreamState
  /** The server's message about the permission that the whole list requires. */
  readonly refusal: string | undefined
}

/** @param space its namespace `*` selects all */
export const useLocks = ({ ns, partition }: Place): LockedKeysView => {
  const { connection } = client.value
  const at = asOfIndex.value
  const held = useMemo(() => new Locks(), [connection, ns, partition, at])
  const [, showChanges] = useTurn()
  const [listing, setListing] = useState<StreamState>('loading')
  const options = useMemo(
    () => ({ namespace: ns, partition, index: 'now', filter: HELD }) as const,
    [ns, partition]
  )
  const { state, refusal } = useKeyEvents('', options, messages => {
    const events = messages.flatMap(({ Events }) => Events)
    // Historical state does not change.
    if (events.length === 0 || asOfIndex.peek() !== undefined) return
    held.take(events)
    showChanges()
  })
  const isLive = state === 'live'
  const list = async (signal: AbortSignal): Promise<void> => {
    setListing('loading')
    if (!isLive) return
    held.begin()
    held.list(await listed(connection, { ns, partition }, signal))
    setListing('live')
  }
  const fail = (error: unknown): void => setListing({ refused: messageOf(error), status: 0 })
  useTask(list, fail, [connection, ns, partition, isLive, held])
  return { locks: held.sorted, state: isLive ? listing : state, refusal }
}
