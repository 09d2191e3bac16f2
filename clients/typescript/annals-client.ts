import createClient, { type Client } from 'openapi-fetch'
import { blocking, type BlockingOptions, type BlockingResult } from './blocking.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { EventStream, type EventsOptions } from './events.js'
import { Lock, type LockOptions } from './locks.js'
import { Session, type SessionOptions } from './sessions.js'

/** @typeParam Paths the operations in the form of openapi-typescript */
export class AnnalsClient<Paths extends {}> {
  readonly connection: Connection
  /**
   * Every endpoint by method and path, with typed parameters, body and response. It throws RequestRefused and retries as `connection.request`.
   * `data` has the type of the JSON response, and `parseAs` selects another.
   */
  readonly api: Client<Paths, 'application/json'>

  /** @throws TypeError for an invalid address */
  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options)
    const { address } = this.connection
    this.api = createClient<Paths, 'application/json'>({
      baseUrl: address,
      fetch: request => this.connection.fetch(request),
      bodySerializer: (body: unknown) =>
        typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    })
  }

  /** Yields a read's result after each change; see `blocking`. */
  blocking<Value = unknown>(
    path: string,
    options?: BlockingOptions<Value>
  ): AsyncGenerator<BlockingResult<Value>, never> {
    return blocking(this.connection, path, options)
  }

  /** Returns the event stream, which resumes after the last yielded message when a connection or server fails. */
  events(options: EventsOptions = {}): EventStream {
    return new EventStream(this.connection, options)
  }

  /** Creates a session and renews it until it is destroyed. @throws RequestRefused, Unreachable */
  session(options?: SessionOptions): Promise<Session> {
    return Session.create(this.connection, options)
  }

  /** Waits for a lock and acquires it; see `Lock.acquire`. */
  lock(key: string, options?: LockOptions): Promise<Lock> {
    return Lock.acquire(this.connection, key, options)
  }

  /** Runs `use` while the lock is held; its signal aborts when the lock is lost. @throws what `use` and `Lock.acquire` throw */
  async withLock<Result>(
    key: string,
    options: LockOptions,
    use: (lost: AbortSignal) => Promise<Result>
  ): Promise<Result> {
    const lock = await this.lock(key, options)
    try {
      return await use(lock.lost)
    } finally {
      await lock.release()
    }
  }
}
