// All commits of a log, kept outside of the servers, which prune their own.
import type { Commit } from '../../events/envelope.js'
import type { Event } from '../../events/envelope.js'
import { isKvEvent, type KvEvent } from '../../events/kv.js'
import { recovery } from '../../events/errors.js'
import { CommitsPruned, type LogReader } from '../../events/log/log.js'
import { isSessionEvent } from '../../events/session.js'
import { isTokenEvent } from '../../events/token.js'
import type { Change } from './history.js'
import { tokenName } from './tokens.js'

export type IndexedKvEvent = KvEvent & { readonly Index: number }

const changeOf = (event: Event): Pick<Change, 'key' | 'value' | 'session'> | undefined => {
  if (isTokenEvent(event)) {
    const { AccessorID, Description } = event.Payload.ACLToken
    return {
      key: tokenName(AccessorID),
      value: event.Type === 'ACLTokenDeleted' ? undefined : Description
    }
  }
  if (!isKvEvent(event)) return undefined
  const { Key: key, Value, Session: session } = event.Payload.KV
  return {
    key,
    session,
    value: event.Type === 'KVDelete' ? undefined : Buffer.from(Value ?? '', 'base64').toString()
  }
}

export class Archive {
  /** Of keys and tokens. */
  readonly changes: Change[] = []
  readonly events: IndexedKvEvent[] = []
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

  #add({ Index: index, Events: events }: Commit): void {
    this.#newest = index
    const endsSession = events.some(event => isSessionEvent(event) && event.Type !== 'SessionCreated')
    for (const event of events) {
      if (isKvEvent(event)) this.events.push({ ...event, Index: index })
      const change = changeOf(event)
      if (change) this.changes.push({ ...change, index, isWrite: !endsSession })
    }
  }
}
