// Locks: a key that one session holds at a time.
import { blocking } from './blocking.js'
import type { Connection } from './connection.js'
import { pause } from './backoff.js'
import { Session, type SessionOptions } from './sessions.js'

/** `Flags` of keys that are locks, the same as other clients of this API use, so that one waits for the other. */
export const LOCK_FLAGS = '3304740253564472344'
/** In ms: a key without a holder that is not given out yet, since its last holder was lost and not gone. */
const DELAYED = 1000

/** A key as it is read. */
interface Entry {
  readonly Session?: string
  readonly Flags: number
}

export interface LockOptions {
  /** Kept at the key while the lock is held, for others to read. */
  readonly value?: string | Uint8Array<ArrayBuffer>
  /** Of a session that is made for the lock and ends with it. */
  readonly session?: SessionOptions
  /** `Flags` that tell locks from other keys; `LOCK_FLAGS` when absent. */
  readonly flags?: string
  /** Gives up waiting, with its reason. */
  readonly signal?: AbortSignal
}

/** The key holds something that is no lock. */
export class NotALock extends Error {
  override readonly name = 'NotALock'

  constructor(key: string, flags: string) {
    super(`key "${key}" holds something else than a lock: its Flags are not ${flags}`)
  }
}

/** The lock is gone while it was held here: its session ended, or somebody took it away. */
export class LockLost extends Error {
  override readonly name = 'LockLost'

  constructor(key: string, cause: unknown) {
    super(`lock "${key}" is lost: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** A lock that is held until it is released, or lost. */
export class Lock {
  readonly #session: Session
  readonly #path: string
  readonly #lost = new AbortController()
  readonly #released = new AbortController()

  /**
   * Waits until the lock is free and takes it.
   * @throws RequestRefused, Unreachable, NotALock, SessionLost, or the reason of the signal: the lock is not held then
   */
  static async acquire(connection: Connection, key: string, options: LockOptions = {}): Promise<Lock> {
    const { session: sessionOptions, signal } = options
    signal?.throwIfAborted()
    const session = await Session.create(connection, { name: `lock on ${key}`, ...sessionOptions })
    try {
      const given = signal ? AbortSignal.any([signal, session.lost]) : session.lost
      await take(connection, key, session, options, given)
      return new Lock(connection, key, session, options)
    } catch (error) {
      // What cannot be ended now ends by itself.
      await session.destroy().catch(() => {})
      throw error
    }
  }

  private constructor(
    private readonly connection: Connection,
    readonly key: string,
    session: Session,
    private readonly options: LockOptions
  ) {
    this.#session = session
    this.#path = pathOf(key)
    session.lost.addEventListener('abort', () => this.#lose(session.lost.reason), {
      signal: this.#released.signal
    })
    void this.#watch()
  }

  /** Aborts, with a LockLost, as soon as this process knows that others may hold the lock. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** ID of the session that holds it. */
  get session(): string {
    return this.#session.id
  }

  /** Gives the lock back at once, and ends its session. @throws RequestRefused, Unreachable */
  async release(): Promise<void> {
    this.#released.abort()
    try {
      const { value: body = '', flags = LOCK_FLAGS } = this.options
      const query = { release: this.#session.id, flags }
      await this.connection.request('PUT', this.#path, { query, body, idempotencyKey: true })
    } finally {
      await this.#session.destroy()
    }
  }

  /** Looks whether the key is still held. */
  async #watch(): Promise<void> {
    const { signal } = this.#released
    const either = AbortSignal.any([signal, this.#lost.signal])
    try {
      for await (const { value } of blocking<readonly Entry[]>(this.connection, this.#path, {
        query: { consistent: true },
        signal: either
      }))
        if (value?.[0]?.Session !== this.#session.id) return this.#lose('another session holds it, or none')
    } catch (error) {
      if (!either.aborted) this.#lose(error)
    }
  }

  #lose(cause: unknown): void {
    if (!this.#released.signal.aborted) this.#lost.abort(new LockLost(this.key, cause))
  }
}

const pathOf = (key: string): string => `/v1/kv/${encodeURIComponent(key)}`

/** Locks a key for a session as soon as no other session holds it. */
const take = async (
  connection: Connection,
  key: string,
  session: Session,
  { value = '', flags = LOCK_FLAGS }: LockOptions,
  signal: AbortSignal
): Promise<void> => {
  const path = pathOf(key)
  const query = { acquire: session.id, flags }
  for await (const { value: entries } of blocking<readonly Entry[]>(connection, path, {
    query: { consistent: true },
    signal
  })) {
    const entry = entries?.[0]
    if (entry && entry.Flags !== Number(flags)) throw new NotALock(key, flags)
    if (entry?.Session) continue
    for (;;) {
      const answer = await connection.request('PUT', path, {
        query,
        body: value,
        idempotencyKey: true,
        signal
      })
      if (await answer.json<boolean>()) return
      const [now] = await read(connection, path, signal)
      if (now?.Session) break
      await pause(DELAYED, signal)
    }
  }
}

const read = async (connection: Connection, path: string, signal: AbortSignal): Promise<readonly Entry[]> => {
  for await (const { value } of blocking<readonly Entry[]>(connection, path, {
    query: { consistent: true },
    signal
  }))
    return value ?? []
  return []
}
