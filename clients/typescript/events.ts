// The event stream as an iterator that resumes after its last message when a connection or server fails.
import type { Connection } from './connection.js'
import { CursorPosition } from './cursor.js'
import { isTransient, RequestRefused, Unreachable } from './failures.js'
import { backoff, pause } from './backoff.js'
import type { CommitOrigin, StreamedEvent, StreamLine, Subscription, Wire } from './stream-line.js'
import { HttpLines } from './wires/http-lines.js'
import { WebSocketLines, type WebSocketClass } from './wires/web-socket.js'

/** The server says something every 30 seconds unless its settings say otherwise. */
const SILENCE = 100_000
const PATH = '/v1/event/stream'

/** The events, the start and the end of a stream. It starts at the newest commits and does not end unless specified. */
export interface EventsOptions {
  /** `KV`, `KV:web/port`, `KV:web/`; everything that the token may read as a whole when absent, or `any`. */
  readonly topics?: readonly string[]
  /** Only events of these types, such as `KVSet`. */
  readonly types?: readonly string[]
  /** Only events that pass this expression. */
  readonly filter?: string
  /** `*` for all; that of the connection when absent. */
  readonly namespace?: string
  readonly partition?: string
  /** First index to yield, `beginning`, or `now`. */
  readonly index?: number | 'beginning' | 'now'
  /** Last index that is not yielded: where an earlier iteration ended. */
  readonly after?: number
  /** Start with the first commit at or after this time. */
  readonly since?: Date
  /** Start with what is true now. */
  readonly snapshot?: boolean
  /** Read by this cursor, which says what is sent and where the stream starts. */
  readonly cursor?: string
  /** Last index to yield, or time, or what is newest now. */
  readonly until?: number | Date | 'now'
  /** So many messages at most. */
  readonly limit?: number
  /** Refuse a start that is no longer kept; a resumed stream always does. */
  readonly strict?: boolean
  /** Messages tell who made a commit and when; needs `operator:read`. */
  readonly meta?: boolean
  /** Yield `CaughtUp`, and messages without events that tell how far the stream is in `LastIndex`. */
  readonly progress?: boolean
  /** `websocket` for pages that read many streams; `http` when absent. */
  readonly wire?: 'http' | 'websocket'
  /** In place of the global `WebSocket`. */
  readonly webSocket?: WebSocketClass
  /**
   * With a cursor: who asks for the next message has dealt with the one before, and the cursor is moved there (`each`, when absent).
   * `by hand` leaves that to `acknowledge`.
   */
  readonly acknowledge?: 'each' | 'by hand'
  /** Silence in ms after which the stream reconnects; 100 seconds when absent. It must exceed `stream.heartbeat`. */
  readonly silence?: number
  /** Wait for a server that cannot be reached at first, too, as is done once the stream was open. */
  readonly patient?: boolean
  /** Called with the error when the connection is lost, and with `undefined` when there is one again. */
  readonly onConnection?: (failure: Error | undefined) => void
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal
}

/** The events of one commit, or a mark without events. */
export interface EventMessage {
  /** Of the commit; of a mark, the index that it tells. */
  readonly Index: number
  readonly Events: readonly StreamedEvent[]
  /** With `meta`. */
  readonly Meta?: CommitOrigin
  /** `end`: what was true at `Index` is complete. `restart`: the connection broke, and the snapshot comes once more from its beginning. */
  readonly Snapshot?: 'end' | 'restart'
  /** With `progress`: the stream has reached the newest commit for the first time. */
  readonly CaughtUp?: true
  /** With `progress`: everything up to it was yielded. */
  readonly LastIndex?: number
}

const timeOrIndex = (place: number | Date | string): number | string =>
  place instanceof Date ? place.toISOString() : place

/** Messages of the event stream. It is iterated once; leaving the loop closes it. */
export class EventStream implements AsyncIterable<EventMessage> {
  readonly #wire: Wire
  readonly #ended = new AbortController()
  readonly #position: CursorPosition | undefined
  #retrying = new AbortController()
  #lastIndex = 0
  #messages = 0
  #isInSnapshot: boolean
  #isResumed = false

  /** @throws TypeError when there is no WebSocket for the wire of that name */
  constructor(
    private readonly connection: Connection,
    private readonly options: EventsOptions
  ) {
    const { cursor, wire, webSocket, snapshot = false, silence = SILENCE, signal } = options
    this.#isInSnapshot = snapshot
    this.#wire =
      wire === 'websocket'
        ? new WebSocketLines(connection, silence, webSocket)
        : new HttpLines(connection, silence)
    if (cursor !== undefined) this.#position = new CursorPosition(connection, cursor, this.#ended.signal)
    if (signal?.aborted) this.#ended.abort(signal.reason)
    signal?.addEventListener('abort', () => this.#ended.abort(signal.reason), { signal: this.#ended.signal })
  }

  /** Everything up to this index was yielded: `after` of a later iteration. 0 before it is known. */
  get lastIndex(): number {
    return this.#lastIndex
  }

  /**
   * Moves the cursor to an index, when all up to it is dealt with. Resolves when that is on disk.
   * @throws RequestRefused; TypeError for a stream without a cursor
   */
  async acknowledge(index: number): Promise<void> {
    if (!this.#position) throw new TypeError('only a stream by a cursor can be acknowledged')
    this.#position.moveTo(index)
    await this.#position.settled()
  }

  /** Reconnects at once, even if the stream waits before a retry or holds a connection that may be dead. */
  retry(): void {
    const { address } = this.connection
    this.#retrying.abort(new Unreachable(address, 'another connection was asked for'))
  }

  /** @throws RequestRefused, with the code and text of the stream's last line; Unreachable before it was open once, unless it is patient */
  async *[Symbol.asyncIterator](): AsyncGenerator<EventMessage, void> {
    try {
      for (let failures = 0; ;) {
        this.#retrying = new AbortController()
        const signal = AbortSignal.any([this.#ended.signal, this.#retrying.signal])
        let failure: unknown
        let isOpen = false
        try {
          for await (const line of this.#wire.lines(this.#subscription(), signal)) {
            failures = 0
            this.#isResumed = true
            if (!isOpen) this.options.onConnection?.(undefined)
            isOpen = true
            if (line.Error) throw this.#refusal(line.Error)
            if (line.End !== undefined) return
            const message = this.#messageOf(line)
            if (!message) continue
            yield message
            if (this.options.acknowledge !== 'by hand' && !this.#isInSnapshot)
              this.#position?.moveTo(message.Index)
          }
        } catch (error) {
          this.#ended.signal.throwIfAborted()
          if (!isTransient(error) || !(this.#isResumed || this.options.patient)) throw error
          failure = error
        }
        this.#ended.signal.throwIfAborted()
        if (this.#messages === this.options.limit) return
        await this.#waitAfter(failure, ++failures, signal)
        if (this.#isInSnapshot) yield { Index: 0, Events: [], Snapshot: 'restart' }
      }
    } finally {
      if (!this.#ended.signal.aborted) await this.#position?.settled()
      this.#ended.abort()
    }
  }

  /** Ends early when another try is asked for. @param signal of the connection that has failed, and of the stream */
  async #waitAfter(failure: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const { address } = this.connection
    this.options.onConnection?.(failure instanceof Error ? failure : new Unreachable(address, 'it has ended'))
    // The connection itself was given up for another.
    if (signal.aborted) return
    await pause(backoff(failures), signal).catch(() => this.#ended.signal.throwIfAborted())
  }

  /** Undefined for what the caller did not ask for, or has had. */
  #messageOf(line: StreamLine): EventMessage | undefined {
    const { Index = 0, Events = [], LastIndex, Snapshot, CaughtUp } = line
    if (Snapshot) {
      this.#isInSnapshot = false
      this.#lastIndex = Index
      return { Index, Events, Snapshot }
    }
    if (LastIndex !== undefined) {
      if (!this.#isInSnapshot) this.#lastIndex = Math.max(this.#lastIndex, LastIndex)
      if (!this.options.progress) return undefined
      return { Index: LastIndex, Events: [], LastIndex, ...(CaughtUp ? { CaughtUp } : {}) }
    }
    // A heartbeat, or by a cursor what was yielded and not acknowledged before the connection broke.
    if (Index === 0 || (Index <= this.#lastIndex && !this.#isInSnapshot)) return undefined
    if (!this.#isInSnapshot) {
      this.#lastIndex = Index
      this.#messages++
    }
    return { Index, Events, ...(line.Meta ? { Meta: line.Meta } : {}) }
  }

  #subscription(): Subscription {
    const { topics, types, filter, cursor, until, limit, meta } = this.options
    const { namespace = this.connection.namespace, partition = this.connection.partition } = this.options
    return {
      ...(cursor === undefined ? {} : { Cursor: cursor }),
      ...(topics ? { Topics: topics } : {}),
      ...(types ? { Types: types } : {}),
      ...(filter === undefined ? {} : { Filter: filter }),
      ...(namespace === undefined || cursor !== undefined ? {} : { Namespace: namespace }),
      ...(partition === undefined || cursor !== undefined ? {} : { Partition: partition }),
      ...(until === undefined ? {} : { Until: timeOrIndex(until) }),
      ...(limit === undefined ? {} : { Limit: limit - this.#messages }),
      ...(meta ? { Meta: true } : {}),
      Progress: true,
      ...this.#start()
    }
  }

  #start(): Subscription {
    const { index, after, since, snapshot, cursor, strict } = this.options
    if (cursor === undefined && this.#lastIndex > 0) return { After: this.#lastIndex, Strict: true }
    return {
      ...(index === undefined ? {} : { Index: index }),
      ...(after === undefined ? {} : { After: after }),
      ...(since === undefined ? {} : { Since: since.toISOString() }),
      ...(snapshot ? { Snapshot: true } : {}),
      ...(strict ? { Strict: true } : {})
    }
  }

  #refusal({ Code, Message }: NonNullable<StreamLine['Error']>): RequestRefused {
    const refused = { status: Code, text: Message, method: 'GET', path: PATH, headers: new Headers() }
    return this.connection.refusal(refused)
  }
}
