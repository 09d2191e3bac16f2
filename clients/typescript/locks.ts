import { blocking } from './blocking.js'
import type { Connection } from './connection.js'
import { pause } from './backoff.js'
import { Session, type SessionOptions } from './sessions.js'

/** `Flags` of lock keys, the same as of other clients of this API, so that they exclude each other. */
export const LOCK_FLAGS = '3304740253564472344'
/** Time between attempts during the lock delay of a lost session, in ms. */
const DELAYED = 1000

interface Entry {
  readonly Session?: string
  readonly Flags: number
}

export interface LockOptions {
  /** The value of the key while the lock is held. */
  readonly value?: string | Uint8Array<ArrayBuffer>
  /** Options of the lock's own session. */
  readonly session?: SessionOptions
  /** `Flags` of the key; `LOCK_FLAGS` by default. */
  readonly flags?: string
  /** Aborts the wait. */
  readonly signal?: AbortSignal
}

/** The key exists and is no lock. */
export class NotALock extends Error {
  override readonly name = 'NotALock'

  constructor(key: string, flags: string) {
    super(`key "${key}" holds something else than a lock: its Flags are not ${flags}`)
  }
}

/** The lock was lost: its session ended, or another client took it. */
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

  /** Waits until the lock is free and acquires it. @throws RequestRefused, Unreachable, NotALock, SessionLost, or the reason of the signal */
  static async acquire(connection: Connection, key: string, options: LockOptions = {}): Promise<Lock> {
    const { session: sessionOptions, signal } = options
    signal?.throwIfAborted()
    const session = await Session.create(connection, { name: `lock on ${key}`, ...sessionOptions })
    try {
      const ends = signal ? AbortSignal.any([signal, session.lost]) : session.lost
      await take(connection, key, session, options, ends)
      return new Lock(connection, key, session, options)
    } catch (error) {
      // A session that cannot be destroyed expires.
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

  /** Aborts with a LockLost when another process may hold the lock. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** ID of the session. */
  get session(): string {
    return this.#session.id
  }

  /** Releases the lock and destroys its session. @throws RequestRefused, Unreachable */
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

  async #watch(): Promise<void> {
    const { signal } = this.#released
    const either = AbortSignal.any([signal, this.#lost.signal])
    try {
      for await (const { value } of entriesAt(this.connection, this.#path, either))
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
  for await (const { value: entries } of entriesAt(connection, path, signal)) {
    const entry = entries?.[0]
    if (entry && entry.Flags !== Number(flags)) throw new NotALock(key, flags)
    if (entry?.Session) continue
    for (;;) {
      const sending = { query, body: value, idempotencyKey: true, signal } as const
      const answer = await connection.request('PUT', path, sending)
      if (await answer.json<boolean>()) return
      const [now] = await read(connection, path, signal)
      if (now?.Session) break
      await pause(DELAYED, signal)
    }
  }
}

const entriesAt = (connection: Connection, path: string, signal: AbortSignal) =>
  blocking<readonly Entry[]>(connection, path, { query: { consistent: true }, signal })

const read = async (connection: Connection, path: string, signal: AbortSignal): Promise<readonly Entry[]> => {
  for await (const { value } of entriesAt(connection, path, signal)) return value ?? []
  return []
}
