// The sessions of the list worker: each follows a stream for one component, and posts the visible rows.
import { AnnalsClient } from '../../../typescript/annals-client.js'
import { Connection } from '../../../typescript/connection.js'
import type { EventsOptions } from '../../../typescript/events.js'
import { messageOf } from '../../../../events/errors.js'
import { Timeline, type TimelineSelection } from '../../time-travel/timeline.js'
import { parseExact } from '../../session/exact-json.js'
import { narrowToVisible, follow, refusalOf, type Follower, type Following } from '../follow.js'
import type { StreamState } from '../stream-state.js'
import { LineList } from './line-list.js'
import type {
  ClientInfo,
  FactsState,
  FromWorker,
  LinesRequest,
  Span,
  ResourcesRequest,
  ResourcesViewport
} from './protocol.js'
import { LiveResourceList } from './live-resource-list.js'
import { kinds } from '../../resources/kinds.js'

/** The minimum time between two updates of the page in ms. */
const MIN_INTERVAL = 50

type SessionMessage = FromWorker extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'id'>
    : never
  : never

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
    // The content is removed before the refusal is reported.
    if (typeof state === 'object' && 'refused' in state) this.clear().then(report, report)
    else report()
  }

  protected get signal(): AbortSignal {
    return this.#controller.signal
  }

  protected changed(): void {
    if (!this.signal.aborted) this.#throttle.soon()
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

export class ResourcesSession extends Session {
  readonly #list: LiveResourceList
  readonly #newTimeline: () => Timeline
  readonly #isPast: boolean
  /** Why only permitted resources are listed. */
  #refusal: string | undefined
  #timeline: Timeline
  #at: number | undefined
  #moving = new AbortController()
  #moved: Promise<unknown> = Promise.resolve()
  readonly #readFacts: (() => Promise<void>) | undefined
  #facts: FactsState | undefined

  constructor(clientInfo: ClientInfo, request: ResourcesRequest, post: (message: SessionMessage) => void) {
    super(post)
    const { listing, filter, namespace = '*', partition, isPast } = request
    const found = kinds.find(({ path }) => path === listing)
    if (!found) throw new TypeError(`there is no listing ${listing}`)
    this.#list = new LiveResourceList(found, () => this.changed())
    const selection: TimelineSelection = { topics: [found.topic], namespace, partition, filter }
    this.#newTimeline = () => new Timeline(new Connection({ ...clientInfo, parse: parseExact }), selection)
    this.#timeline = this.#newTimeline()
    this.#isPast = isPast
    if (isPast) return
    const { facts } = found
    if (facts !== undefined) {
      const options = { query: { ns: namespace, partition }, signal: this.signal }
      this.#readFacts = async () => {
        const response = await new Connection(clientInfo).request('GET', facts, options)
        const byKey = await response.json<Readonly<Record<string, string>>>()
        await this.#list.setFacts(new Map(Object.entries(byKey)))
      }
      this.askFacts()
    }
    this.follow(
      clientInfo,
      { ...selection, snapshot: true },
      {
        take: messages => this.#list.take(messages),
        narrowed: (refusal, start) => {
          const rest = narrowToVisible(start)
          if (!rest) return undefined
          this.#refusal = refusal.message
          void this.clear()
          return rest
        }
      }
    )
  }

  /** Cancels earlier moves. */
  #moveTo(at: number): void {
    this.#moving.abort()
    this.#moving = new AbortController()
    const { signal: moving } = this.#moving
    const before = this.#moved.catch(() => {})
    this.read(signal => {
      const move = async (): Promise<void> => {
        const messages = await this.#timeline.moveTo(at, AbortSignal.any([signal, moving]))
        await this.#list.take(messages)
      }
      const moved = before.then(move)
      this.#moved = moved
      return moved
    })
  }

  protected override view(): SessionMessage {
    const refusal = this.#refusal
    const facts = this.#facts
    return {
      resources: {
        ...this.#list.view(this.span),
        ...(facts === undefined ? {} : { facts }),
        ...(refusal === undefined ? {} : { refusal })
      }
    }
  }

  override askFacts(): void {
    const update = (facts: FactsState): void => {
      this.#facts = facts
      this.changed()
    }
    this.#readFacts?.().then(
      () => update({ asOf: Date.now() }),
      (error: unknown) => update({ failure: messageOf(error) })
    )
  }

  protected override clear(): Promise<void> {
    this.#timeline = this.#newTimeline()
    return this.#list.clear()
  }

  override setViewport(viewport: ResourcesViewport): void {
    const { at } = viewport
    if (this.#isPast && at !== undefined && at !== this.#at) this.#moveTo(at)
    this.#at = at
    void this.#list.setViewport(viewport)
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
      onGap: gap => this.#list.addGap(gap)
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
