import { CommitsPruned } from '../../events/log/log.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { FilterTooExpensive } from '../../projections/stream/event-filter.js'
import type { Selection, SelectedBytes } from '../../projections/stream/selection.js'
import { continueReading, type Piece, type CatchUpSource } from './catch-up/source.js'
import { CursorLeaseWait } from './cursor-access.js'
import type { LiveAuthority } from './live-authority.js'
import {
  heartbeat,
  lastLine,
  noLongerRetained,
  progress,
  PERMISSIONS_LOST,
  snapshotEnd,
  STATE_LOST,
  READER_STALLED,
  filterTooExpensive,
  UNREADABLE,
  type Completion,
  type StreamEnding,
  Progress
} from './control-lines.js'
import type { StreamOpening } from './opened-stream.js'
import type { OpenSink, Sink } from './sink.js'
import { StreamEndCounter } from './stream-end-counter.js'
import { sendSnapshot, StateRebuilt, type SnapshotHost } from './snapshot/send-snapshot.js'
import type { CursorLeases } from '../../actors/processes/cursor-leases.js'
import type { RecentMessages } from '../../projections/stream/recent-messages.js'
import type { Subscription } from '../../projections/stream/subscription.js'

export interface SessionHost<Session> {
  readonly recent: RecentMessages
  readonly catchUp: CatchUpSource
  readonly snapshots: SnapshotHost
  readonly leases: CursorLeases
  readonly heartbeatMs: number
  /** Returns the shared selection of an authority; undefined if the subscription is denied. */
  select(subscription: Subscription, authority: Authority): Selection | undefined
  unselect(selection: Selection): void
  due(session: Session): void
  onEnd(session: Session): void
  onFault(error: unknown): void
}

export class StreamSession {
  readonly #sink: Sink
  readonly #heartbeats: NodeJS.Timeout
  readonly #end: StreamEndCounter
  readonly #progress: Progress
  readonly #lease: CursorLeaseWait
  #next: number
  /** A fast stream stays `live`, served together with all others; `behind` it is served separately, so a slow one delays no other. */
  #phase: 'snapshot' | 'live' | 'behind'
  /** Aborts the snapshot or catch-up. */
  #reading: AbortController | undefined
  #ended = false
  #written = 0
  #ending: StreamEnding | Completion | undefined
  #whenIdle: (() => void) | undefined

  constructor(
    private readonly host: SessionHost<StreamSession>,
    readonly opening: StreamOpening,
    readonly authority: LiveAuthority,
    private selection: Selection,
    open: OpenSink
  ) {
    this.#next = opening.start
    this.#lease = new CursorLeaseWait(opening.cursor, {
      isBusy: () => this.#sink.isBusy,
      onTurn: index => {
        this.#next = index + 1
        this.host.due(this)
      },
      onLost: ending => this.end(ending)
    })
    this.#phase = opening.snapshot ? 'snapshot' : 'live'
    this.#end = new StreamEndCounter(opening.end, opening.subscription)
    this.#progress = new Progress(opening.start)
    this.#sink = open({
      onIdle: () => this.#idle(),
      onStuck: () => this.end(READER_STALLED),
      onClosed: () => this.#close()
    })
    authority.listeners.add(this)
    // An audit has no future events to wait for.
    if (opening.wire !== 'audit') this.#beat()
    this.#heartbeats = setInterval(() => this.#beat(), host.heartbeatMs)
    if (opening.snapshot) void this.#read('snapshot', signal => this.#sendSnapshot(signal))
    else this.#live()
    this.#lease.begin(host.leases)
  }

  get next(): number {
    return this.#next
  }

  get isBehind(): boolean {
    return this.#phase === 'behind'
  }

  /** `waiting` for the cursor's lease, `snapshot` until the current state is sent, `behind` while it reads from the log. */
  get state(): 'waiting' | 'snapshot' | 'live' | 'behind' {
    return this.#lease.isAwaited ? 'waiting' : this.#phase
  }

  /** Sends the next recent commits if the reader has received the last piece. */
  pump(): void {
    if (this.#ended || this.#lease.isAwaited || this.#phase !== 'live' || this.#sink.isBusy) return
    if (this.#hasReachedItsEnd()) return
    const { recent } = this.host
    const to = Math.min(recent.newest, this.authority.heldFrom - 1, this.#end.last)
    if (this.#next > to) return this.#reportProgress()
    if (this.#mustRead()) return void this.#read('behind', signal => this.#catchUp(signal))
    try {
      this.#send(this.selection.take(this.#next, to))
    } catch (error) {
      if (!(error instanceof FilterTooExpensive)) throw error
      this.#endTooExpensive(error)
    }
    // An expensive filter yields to other work between batches.
    if (!this.#ended && !this.#sink.isBusy && this.#next <= to) setImmediate(() => this.host.due(this))
  }

  endAt(index: number): void {
    this.#end.endAt(index)
    this.host.due(this)
  }

  #mustRead(): boolean {
    const message = this.host.recent.get(this.#next)
    return !message || this.selection.isHeavy(message)
  }

  #endTooExpensive(fault: FilterTooExpensive): void {
    this.#next = fault.index
    this.end(filterTooExpensive(fault))
  }

  onAuthority(authority: Authority | undefined): void {
    if (this.#ended) return
    const isAllowed = authority && this.#lease.canContinue(authority)
    const selection = isAllowed && this.host.select(this.opening.subscription, authority)
    if (!selection) return this.end(PERMISSIONS_LOST)
    this.host.unselect(this.selection)
    this.selection = selection
    this.host.due(this)
  }

  get ending(): StreamEnding | Completion | undefined {
    return this.#ending
  }

  end(ending: StreamEnding | Completion): void {
    if (this.#ended) return
    this.#ending = ending
    this.#close()
    const line = lastLine(ending, this.lastIndex, this.#end.withheld)
    this.#sink.end(this.opening.subscription.framing.control(line))
  }

  destroy(): void {
    this.#sink.destroy()
  }

  get lastIndex(): number {
    return this.#phase === 'snapshot' ? 0 : this.#next - 1
  }

  get bytesWaiting(): number {
    return this.#sink.isBusy ? this.#written : 0
  }

  #write(bytes: Buffer): void {
    this.#written = bytes.length
    this.#sink.write(bytes)
  }

  #send(taken: SelectedBytes): void {
    const { bytes, next } = this.#end.cut(taken)
    if (bytes) {
      this.#progress.note(this.#next)
      this.#write(bytes)
    }
    this.#next = next
    if (!this.#hasReachedItsEnd() && !bytes) this.#reportProgress()
  }

  #hasReachedItsEnd(): boolean {
    const reached = this.#end.reachedAt(this.#next)
    if (reached) this.end(reached)
    return reached !== undefined
  }

  #reportProgress(): void {
    if (!this.opening.progress) return
    const line = this.#progress.due(this.lastIndex, this.host.recent.newest)
    if (line) this.#write(this.opening.subscription.framing.message(line, this.lastIndex))
  }

  #close(): void {
    if (this.#ended) return
    this.#ended = true
    clearInterval(this.#heartbeats)
    this.#reading?.abort()
    this.authority.listeners.delete(this)
    this.host.unselect(this.selection)
    this.host.onEnd(this)
    this.#lease.end()
    this.#whenIdle?.()
  }

  /** Sends from elsewhere than the recent commits until the stream is live. */
  async #read(phase: 'snapshot' | 'behind', read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#phase = phase
    this.#reading = new AbortController()
    try {
      await read(this.#reading.signal)
      if (!this.#ended) this.#live()
    } catch (error) {
      if (!this.#ended) this.#onFailure(error)
    }
  }

  #onFailure(error: unknown): void {
    if (error instanceof CommitsPruned) return this.end(noLongerRetained(this.#next, error.oldest))
    if (error instanceof FilterTooExpensive) return this.#endTooExpensive(error)
    if (error instanceof StateRebuilt) return this.end(STATE_LOST)
    this.host.onFault(error)
    this.end(UNREADABLE)
  }

  #live(): void {
    this.#phase = 'live'
    this.#reading = undefined
    this.host.due(this)
  }

  #idle(): void {
    this.#lease.noteTaken()
    this.#whenIdle?.()
    if (this.#ended || this.#phase !== 'live') return
    const hasReport = this.opening.progress || this.#end.reachedAt(this.#next) !== undefined
    if (hasReport || this.#next <= this.host.recent.newest) this.host.due(this)
  }

  /** Sends a heartbeat, unless a piece is being sent anyway. */
  #beat(): void {
    if (this.#sink.isBusy) return
    const { framing } = this.opening.subscription
    if (!this.opening.progress || this.#phase === 'snapshot') return this.#write(framing.control(heartbeat()))
    const last = this.lastIndex
    this.#progress.note(last)
    this.#write(framing.message(progress(last), last))
  }

  async #sendSnapshot(signal: AbortSignal): Promise<void> {
    const { subscription } = this.opening
    const reader = {
      subscription,
      authorizer: () => this.selection.selector.authorizer,
      ready: () => this.#ready(),
      write: (bytes: Buffer) => this.#write(bytes)
    }
    const at = await sendSnapshot(this.host.snapshots, reader, signal)
    await this.#ready()
    if (signal.aborted) return
    this.#next = at + 1
    this.#write(subscription.framing.message(snapshotEnd(at), at))
  }

  #catchUp(signal: AbortSignal): Promise<void> {
    const stream = {
      subscription: this.opening.subscription,
      authority: this.authority,
      authorizer: () => this.selection.selector.authorizer,
      next: () => this.#next,
      target: () => this.#target(),
      idle: () => this.#idleSink(),
      send: (piece: Piece) => this.#send(piece)
    }
    return continueReading(this.host.catchUp, stream, signal)
  }

  /** Returns the index up to which to read from the log; undefined if the stream is live or has ended. */
  #target(): number | undefined {
    const { newest } = this.host.recent
    if (this.#hasReachedItsEnd() || this.#next > newest || !this.#mustRead()) return undefined
    return Math.min(newest, this.#end.last)
  }

  /** Resolves when the reader has received the last piece and the permissions are known. */
  async #ready(): Promise<void> {
    while (!this.#ended && (this.#sink.isBusy || this.authority.heldFrom !== Infinity)) {
      await this.#idleSink()
      await this.authority.lifted()
    }
  }

  async #idleSink(): Promise<void> {
    while (this.#sink.isBusy && !this.#ended) {
      await new Promise<void>(resolve => (this.#whenIdle = resolve))
      this.#whenIdle = undefined
    }
  }
}
