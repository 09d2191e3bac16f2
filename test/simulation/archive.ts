// All commits of a log, kept outside of the servers, which prune their own.
import { RESTORE_PIECE } from '../../actors/snapshot/restore-snapshot.js'
import type { Commit, Event } from '../../events/envelope.js'
import { isKvEvent, type KvEvent } from '../../events/kv.js'
import { recovery } from '../../events/errors.js'
import { CommitsPruned, type LogReader } from '../../events/log/log.js'
import { isSessionEvent } from '../../events/session.js'
import { isSnapshotEvent, type SnapshotEvent } from '../../events/snapshot.js'
import { isTokenEvent } from '../../events/token.js'
import type { Change } from './history.js'
import { tokenName } from './tokens.js'

/** @param isRestored true if a restore of a snapshot made it */
export type IndexedKvEvent = KvEvent & { readonly Index: number; readonly isRestored: boolean }

/** A restore of a snapshot, by the indexes of its first and its last commit. */
export interface Restore {
  readonly digest: string
  readonly begun: number
  ended?: number
  isComplete?: boolean
}

const isSessionEnd = (event: Event): boolean => isSessionEvent(event) && event.Type !== 'SessionCreated'

const changeOf = (event: Event): Pick<Change, 'key' | 'value' | 'session' | 'modifyIndex'> | undefined => {
  if (isTokenEvent(event)) {
    const { AccessorID, Description, ModifyIndex: modifyIndex } = event.Payload.ACLToken
    return {
      modifyIndex,
      key: tokenName(AccessorID),
      value: event.Type === 'ACLTokenDeleted' ? undefined : Description
    }
  }
  if (!isKvEvent(event)) return undefined
  const { Key: key, Value, Session: session, ModifyIndex: modifyIndex } = event.Payload.KV
  return {
    key,
    modifyIndex,
    session,
    value: event.Type === 'KVDelete' ? undefined : Buffer.from(Value ?? '', 'base64').toString()
  }
}

export class Archive {
  /** Of keys and tokens. */
  readonly changes: Change[] = []
  readonly events: IndexedKvEvent[] = []
  readonly restores: Restore[] = []
  /** Sessions that restores ended. */
  readonly restoredSessions = new Set<string>()
  #newest = 0

  /** The index of the newest commit. */
  get newest(): number {
    return this.#newest
  }

  /** Adds the commits of a server's log that are not here yet. Does nothing if some of them were pruned. @throws LogDamage */
  async add(log: LogReader): Promise<void> {
    await this.#read(log).catch(recovery(CommitsPruned, () => {}))
  }

  /** @throws Error if some of a log's commits are missing */
  async addAll(log: LogReader): Promise<void> {
    await this.add(log)
    if (this.#newest < log.durableIndex)
      throw new Error(`the archive has no commits after ${this.#newest}: the log begins at ${log.firstIndex}`)
  }

  async #read(log: LogReader): Promise<void> {
    for await (const commit of log.read(this.#newest + 1))
      if (commit.Index === this.#newest + 1) this.#add(commit)
  }

  #add({ Index: index, Events: events, By: { Command } }: Commit): void {
    this.#newest = index
    const isRestored = Command === RESTORE_PIECE
    const endsSession = events.some(isSessionEnd)
    for (const event of events) {
      if (isKvEvent(event)) this.events.push({ ...event, Index: index, isRestored })
      if (isSnapshotEvent(event)) this.#addRestore(index, event)
      if (isRestored && isSessionEnd(event)) this.restoredSessions.add(event.Key)
      const change = changeOf(event)
      if (change) this.changes.push({ ...change, index, isWrite: !endsSession && !isRestored })
    }
  }

  #addRestore(index: number, { Type, Payload }: SnapshotEvent): void {
    if (Type === 'SnapshotRestoreBegun') this.restores.push({ digest: Payload.Restore.Digest, begun: index })
    else Object.assign(this.restores.at(-1) ?? {}, { ended: index, isComplete: Payload.Restore.Complete })
  }
}
