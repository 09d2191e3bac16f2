// The event stream as an iterator that resumes after its last message when a connection or server fails.
import type { Connection } from './connection.js'
import { CursorPosition } from './cursor.js'
import { isTransient, RequestRefused, Unreachable } from './failures.js'
import { backoff, pause } from './backoff.js'
import type { CommitOrigin, StreamedEvent, StreamLine, Subscription, Wire } from './stream-line.js'
import { HttpLines } from './wires/http-lines.js'
import { WebSocketLines, type WebSocketClass } from './wires/web-socket.js'

/** The default heartbeat of the server is 30 seconds. */
const SILENCE = 100_000
const PATH = '/v1/event/stream'

/** The events, start and end of a stream. By default it starts at the newest commits and does not end. */
export interface EventsOptions {
  /** `KV`, `KV:web/port`, `KV:web/` or `any`; by default all topics that the token may read completely. */
  readonly topics?: readonly string[] | undefined
  /** Only events of these types, such as `KVSet`. */
  readonly types?: readonly string[] | undefined
  /** Only events that pass this expression. */
  readonly filter?: string | undefined
  /** `*` for all; the connection's by default. */
  readonly namespace?: string | undefined
  readonly partition?: string | undefined
  /** First index to yield, `beginning`, or `now`. */
  readonly index?: number | 'beginning' | 'now' | undefined
  /** Start after this index, the last one of an earlier iteration. */
  readonly after?: number | undefined
  /** Start with the first commit at or after this time. */
  readonly since?: Date | undefined
  /** Start with the current state. */
  readonly snapshot?: boolean | undefined
  /** Read this cursor, which defines the subscription and the start. */
  readonly cursor?: string | undefined
  /** Last index or time to yield, or the newest commit now. */
  readonly until?: number | Date | 'now' | undefined
  /** Maximum of messages. */
  readonly limit?: number | undefined
  /** Fail if the start has been pruned. A resumed stream always does. */
  readonly strict?: boolean | undefined
  /** Add the origin of commits; requires `operator:read`. */
  readonly meta?: boolean | undefined
  /** Yield `CaughtUp`, and messages without events that report the progress in `LastIndex`. */
  readonly progress?: boolean
  /** `websocket` for pages that read many streams; `http` by default. */
  readonly wire?: 'http' | 'websocket'
  /** Replaces the global `WebSocket`. */
  readonly webSocket?: WebSocketClass
  /** With a cursor: `each` (default) acknowledges a message when the next one is requested, `by hand` leaves that to `acknowledge`. */
  readonly acknowledge?: 'each' | 'by hand'
  /** Silence in ms after which the stream reconnects; 100 seconds by default. It must exceed `stream.heartbeat`. */
  readonly silence?: number
  /** Also retry if the first connection fails. */
  readonly patient?: boolean
  /** Called with the error of a lost connection, and with `undefined` after reconnection. */
  readonly onConnection?: (failure: Error | undefined) => void
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal
}

/** The events of one commit, or a mark without events. */
export interface EventMessage {
  /** The index of the commit or of the mark. */
  readonly Index: number
  readonly Events: readonly StreamedEvent[]
  /** With `meta`. */
  readonly Meta?: CommitOrigin
  /** `end`: the state at `Index` is complete. `restart`: the connection broke and the snapshot restarts. */
  readonly Snapshot?: 'end' | 'restart'
  /** With `progress`: the stream has reached the newest commit for the first time. */
  readonly CaughtUp?: true
  /** With `progress`: everything up to this index was yielded. */
  readonly LastIndex?: number
}

/** The messages of the event stream. Iterate it once. Leaving the loop closes it. */
export class EventStream implements AsyncIterable<EventMessage> {
  readonly #wire: Wire
  readonly #ended = new AbortController()
  readonly #position: CursorPosition | undefined
  #retrying = new AbortController()
  #lastIndex = 0
  #messages = 0
  #isInSnapshot: boolean
  #isResumed = false

  /** @throws TypeError if the wire `websocket` is not available */
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

  /** Everything up to this index was yielded: `after` of a later iteration. Initially 0. */
  get lastIndex(): number {
    return this.#lastIndex
  }

  /** Moves the cursor; resolves when the server has stored that. @throws RequestRefused; TypeError for a stream without a cursor */
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

  /** `retry` ends the wait early. @param signal of the failed connection and of the stream */
  async #waitAfter(failure: unknown, failures: number, signal: AbortSignal): Promise<void> {
    const { address } = this.connection
    this.options.onConnection?.(failure instanceof Error ? failure : new Unreachable(address, 'it has ended'))
    // `retry` replaced the connection itself.
    if (signal.aborted) return
    await pause(backoff(failures), signal).catch(() => this.#ended.signal.throwIfAborted())
  }

  /** Returns undefined for lines that are not requested or were yielded before. */
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
    // A heartbeat, or a repeated message that was not acknowledged before the connection broke.
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
      Cursor: cursor,
      Topics: topics,
      Types: types,
      Filter: filter,
      Namespace: cursor === undefined ? namespace : undefined,
      Partition: cursor === undefined ? partition : undefined,
      Until: until instanceof Date ? until.toISOString() : until,
      Limit: limit === undefined ? undefined : limit - this.#messages,
      Meta: meta || undefined,
      Progress: true,
      ...this.#start()
    }
  }

  #start(): Subscription {
    const { index, after, since, snapshot, cursor, strict } = this.options
    if (cursor === undefined && this.#lastIndex > 0) return { After: this.#lastIndex, Strict: true }
    return {
      Index: index,
      After: after,
      Since: since?.toISOString(),
      Snapshot: snapshot || undefined,
      Strict: strict || undefined
    }
  }

  #refusal({ Code, Message }: NonNullable<StreamLine['Error']>): RequestRefused {
    const refused = { status: Code, text: Message, method: 'GET', path: PATH, headers: new Headers() }
    return this.connection.refusal(refused)
  }
}
