// The sessions of the list worker: each follows a stream for one component, and posts the visible rows.
import { AnnalsClient } from '../../../typescript/annals-client.js'
import type { EventsOptions } from '../../../typescript/events.js'
import { parseExact } from '../../session/exact-json.js'
import { follow, narrowToVisible, refusalOf, type Follower, type Following } from '../follow.js'
import type { StreamState } from '../stream-state.js'
import { LineList } from './line-list.js'
import type { ClientInfo, LinesRequest, Span, ResourcesViewport, SessionMessage } from './protocol.js'

/** The minimum time between two updates of the page in ms. */
const MIN_INTERVAL = 50

/** Throttles updates: the first is sent at once, further ones at intervals. */
class Throttle {
  #timer: ReturnType<typeof setTimeout> | undefined
  #last = -Infinity

  constructor(private readonly send: () => void) {}

  soon(): void {
    const delay = this.#last + MIN_INTERVAL - performance.now()
    if (delay <= 0 && this.#timer === undefined) return this.now()
    this.#timer ??= setTimeout(() => this.now(), Math.max(0, delay))
  }

  now(): void {
    this.end()
    this.#last = performance.now()
    this.send()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

const DENIED = 403

const isAborted = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError'

export abstract class Session {
  readonly #controller = new AbortController()
  readonly #throttle: Throttle
  #following: Following | undefined
  #state: StreamState = 'loading'
  protected span: Span = { first: 0, last: 0 }

  constructor(private readonly post: (message: SessionMessage) => void) {
    this.#throttle = new Throttle(() => this.post(this.view()))
  }

  protected abstract view(): SessionMessage
  /** Removes all content after the loss of the permission. */
  protected abstract clear(): Promise<void>

  protected follow(
    clientInfo: ClientInfo,
    options: EventsOptions,
    follower: Omit<Follower, 'onState'>
  ): void {
    const client = new AnnalsClient<{}>({ ...clientInfo, parse: parseExact })
    this.#following = follow(
      client,
      options,
      { ...follower, onState: state => this.#setState(state) },
      this.#controller.signal
    )
  }

  /** Reads historical state once. Aborting it for another read is not a failure. */
  protected read(reading: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#controller
    reading(signal).then(
      () => this.#setState('ended'),
      (error: unknown) => {
        if (!signal.aborted && !isAborted(error)) this.#setState(refusalOf(error))
      }
    )
  }

  #setState(state: StreamState): void {
    this.#state = state
    const report = (): void => {
      this.#throttle.now()
      this.post({ state })
    }
    if (typeof state !== 'object' || !('refused' in state)) report()
    // The content is removed before the refusal is reported.
    else if (state.status !== DENIED || !this.readInstead()) this.clear().then(report, report)
  }

  protected get signal(): AbortSignal {
    return this.#controller.signal
  }

  protected changed(): void {
    if (!this.signal.aborted) this.#throttle.soon()
  }

  /** Replaces a denied stream by a request. @returns false if there is none */
  protected readInstead(): boolean {
    return false
  }

  setViewport(_viewport: ResourcesViewport): void {}
  hold(_isHeld: boolean): void {}
  more(): void {}
  askFacts(): void {}

  see(span: Span): void {
    this.span = span
    this.#throttle.now()
  }

  retry(isGivenUp: boolean): void {
    const isLost = typeof this.#state === 'object' && 'lost' in this.#state
    if (isLost || isGivenUp) this.#following?.retry()
  }

  close(): void {
    this.#controller.abort()
    this.#throttle.end()
  }
}

export class LinesSession extends Session {
  readonly #list: LineList

  constructor(clientInfo: ClientInfo, request: LinesRequest, post: (message: SessionMessage) => void) {
    super(post)
    const { topics, types, filter, namespace, partition, meta, start } = request
    this.#list = new LineList(start !== undefined, () => this.changed())
    const options: EventsOptions = {
      topics,
      namespace,
      meta,
      types: types.length > 0 ? types : undefined,
      partition,
      filter,
      ...(start && 'since' in start ? { since: new Date(start.since) } : start)
    }
    this.follow(clientInfo, options, {
      take: messages => this.#list.take(messages),
      onGap: gap => this.#list.addGap(gap),
      narrowed: (_, denied) => narrowToVisible(denied)
    })
  }

  protected override view(): SessionMessage {
    return { lines: this.#list.view(this.span) }
  }

  protected override async clear(): Promise<void> {
    this.#list.clear()
  }

  override hold(isHeld: boolean): void {
    this.#list.hold(isHeld)
  }

  override more(): void {
    this.#list.more()
  }
}
