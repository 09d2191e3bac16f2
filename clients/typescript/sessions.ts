import type { Connection } from './connection.js'
import { isTransient, RequestRefused } from './failures.js'
import { backoff, pause } from './backoff.js'

const TTL_SECONDS = 15
const NOT_FOUND = 404

export interface SessionOptions {
  readonly name?: string
  /** Seconds until a session expires without renewal, 10 to 86,400; 15 by default. */
  readonly ttl?: number
  /** Releases (default) or deletes the keys that the session holds at its end. */
  readonly behavior?: 'release' | 'delete'
  /** Seconds during which a lost lock is unavailable; 15 by default. */
  readonly lockDelay?: number
  /** Node of the session; the server's by default. */
  readonly node?: string
  /** Node checks whose failure ends the session; `serfHealth` by default. */
  readonly checks?: readonly string[]
}

/** The session has ended, or may have ended. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'

  constructor(
    readonly id: string,
    why: string,
    cause?: unknown
  ) {
    super(`session ${id} is lost: ${why}`, { cause })
  }
}

/** A session that is renewed until it is destroyed. */
export class Session {
  readonly #lost = new AbortController()
  readonly #destroyed = new AbortController()

  /** @throws RequestRefused, Unreachable */
  static async create(connection: Connection, options: SessionOptions = {}): Promise<Session> {
    const { name, ttl = TTL_SECONDS, behavior, lockDelay, node, checks } = options
    const body = {
      TTL: `${ttl}s`,
      Name: name,
      Behavior: behavior,
      LockDelay: lockDelay === undefined ? undefined : `${lockDelay}s`,
      Node: node,
      NodeChecks: checks
    }
    const sentAt = performance.now()
    const answer = await connection.request('PUT', '/v1/session/create', { body, idempotencyKey: true })
    const { ID } = await answer.json<{ readonly ID: string }>()
    return new Session(connection, ID, ttl * 1000, sentAt)
  }

  private constructor(
    private readonly connection: Connection,
    readonly id: string,
    private readonly ttl: number,
    sentAt: number
  ) {
    void this.#keepAlive(sentAt)
  }

  /** Aborts with a SessionLost when the session may have ended and `destroy` was not called. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** Ends the session and its locks. @throws RequestRefused, Unreachable; the session then expires */
  async destroy(): Promise<void> {
    this.#destroyed.abort()
    await this.connection.request('PUT', `/v1/session/destroy/${this.id}`, { idempotencyKey: true })
  }

  /** Renews twice in each TTL. @param renewed start of the last successful renewal, in ms */
  async #keepAlive(renewed: number): Promise<void> {
    const { signal } = this.#destroyed
    let failures = 0
    let failure: unknown
    while (!signal.aborted) {
      const left = renewed + this.ttl - performance.now()
      if (left <= 0) return this.#lose('it could not be renewed in time', failure)
      try {
        await pause(Math.min(failures > 0 ? backoff(failures) : this.ttl / 2, left), signal)
        const sentAt = performance.now()
        const rest = AbortSignal.timeout(Math.max(1, Math.floor(renewed + this.ttl - sentAt)))
        const ends = { signal: AbortSignal.any([signal, rest]) }
        await this.connection.request('PUT', `/v1/session/renew/${this.id}`, ends)
        renewed = sentAt
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof RequestRefused && error.status === NOT_FOUND)
          return this.#lose('the server has ended it', error)
        const isOver = error instanceof RequestRefused && !isTransient(error)
        if (isOver) return this.#lose('it may not be renewed', error)
        failure = error
        failures++
      }
    }
  }

  #lose(why: string, cause: unknown): void {
    this.#lost.abort(new SessionLost(this.id, why, cause))
  }
}
