// What one part of a page reads: a list that follows a stream, and shows what is in view.
import { AnnalsClient } from '../../../typescript/annals-client.js'
import { Connection } from '../../../typescript/connection.js'
import type { EventsOptions } from '../../../typescript/events.js'
import { failureOf } from '../../session/failure.js'
import { Timeline, type TimelineSelection } from '../../time-travel/timeline.js'
import { parseExact } from '../../session/exact-json.js'
import { listings } from '../../resources/listings.js'
import { narrowToVisible } from '../narrow-to-visible.js'
import { follow, refusalOf, type Follower, type Following } from '../follow.js'
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

/** The page is shown something new at most so often, in ms. */
const PACE = 50

type Shown = FromWorker extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never

/** Sends what is in view, at once after a rest, and not more often than the page can show. */
class Pacer {
  #timer: ReturnType<typeof setTimeout> | undefined
  #last = -Infinity

  constructor(private readonly send: () => void) {}

  soon(): void {
    const rest = this.#last + PACE - performance.now()
    if (rest <= 0 && this.#timer === undefined) return this.now()
    this.#timer ??= setTimeout(() => this.now(), Math.max(0, rest))
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

/** What a session of either kind does. */
export abstract class Session {
  readonly #ended = new AbortController()
  readonly #pacer: Pacer
  #following: Following | undefined
  #state: StreamState = 'loading'
  protected span: Span = { first: 0, last: 0 }

  constructor(private readonly post: (message: Shown) => void) {
    this.#pacer = new Pacer(() => this.post(this.view()))
  }

  protected abstract view(): Shown
  /** Nothing of it may be seen any more. */
  protected abstract clear(): Promise<void>

  protected follow(asker: ClientInfo, options: EventsOptions, follower: Omit<Follower, 'tell'>): void {
    const client = new AnnalsClient<{}>({ ...asker, parse: parseExact })
    this.#following = follow(
      client,
      options,
      { ...follower, tell: state => this.#tell(state) },
      this.#ended.signal
    )
  }

  /** Reads once, what does not change any more. What is aborted for another reading is no failure. */
  protected read(reading: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#ended
    reading(signal).then(
      () => this.#tell('ended'),
      (error: unknown) => {
        if (!signal.aborted && !isAborted(error)) this.#tell(refusalOf(error))
      }
    )
  }

  #tell(state: StreamState): void {
    this.#state = state
    const say = (): void => {
      this.#pacer.now()
      this.post({ state })
    }
    // What may not be seen any more is gone before that is told.
    if (typeof state === 'object' && 'refused' in state) this.clear().then(say, say)
    else say()
  }

  /** Aborts when the session ends. */
  protected get ended(): AbortSignal {
    return this.#ended.signal
  }

  protected changed(): void {
    if (!this.#ended.signal.aborted) this.#pacer.soon()
  }

  look(_look: ResourcesViewport): void {}
  hold(_isHeld: boolean): void {}
  more(): void {}
  askFacts(): void {}

  see(span: Span): void {
    this.span = span
    this.#pacer.now()
  }

  retry(isGivenUp: boolean): void {
    const isLost = typeof this.#state === 'object' && 'lost' in this.#state
    if (isLost || isGivenUp) this.#following?.retry()
  }

  close(): void {
    this.#ended.abort()
    this.#pacer.end()
  }
}

export class ResourcesSession extends Session {
  readonly #list: LiveResourceList
  readonly #newTimeline: () => Timeline
  readonly #isPast: boolean
  /** Why not all of what was asked for may be read. */
  #refusal: string | undefined
  /** Where what was is listed. */
  #timeline: Timeline
  #at: number | undefined
  #moving = new AbortController()
  #moved: Promise<unknown> = Promise.resolve()
  /** Asks for what no event tells of the things. */
  readonly #readFacts: (() => Promise<void>) | undefined
  #facts: FactsState | undefined

  constructor(asker: ClientInfo, asked: ResourcesRequest, post: (message: Shown) => void) {
    super(post)
    const { listing, topics, filter, namespace = '*', partition, isPast } = asked
    const found = listings[listing]
    if (!found) throw new TypeError(`there is no listing ${listing}`)
    this.#list = new LiveResourceList(found, () => this.changed())
    const which: TimelineSelection = {
      topics: topics ?? found.topics,
      namespace,
      ...(partition === undefined ? {} : { partition }),
      ...(filter === undefined ? {} : { filter })
    }
    this.#newTimeline = () => new Timeline(new Connection({ ...asker, parse: parseExact }), which)
    this.#timeline = this.#newTimeline()
    this.#isPast = isPast
    if (isPast) return
    const { facts } = found
    if (facts !== undefined) {
      const sending = { query: { ns: namespace, partition }, signal: this.ended }
      this.#readFacts = async () => {
        const answer = await new Connection(asker).request('GET', facts, sending)
        const told = await answer.json<Readonly<Record<string, string>>>()
        await this.#list.tell(new Map(Object.entries(told)))
      }
      this.askFacts()
    }
    this.follow(
      asker,
      { ...which, snapshot: true },
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

  /** The last commit that is asked for counts; what is read for one before is given up. */
  #moveTo(at: number): void {
    this.#moving.abort()
    this.#moving = new AbortController()
    const { signal: moving } = this.#moving
    const before = this.#moved.catch(() => {})
    this.read(ended => {
      const move = async (): Promise<void> => {
        const messages = await this.#timeline.moveTo(at, AbortSignal.any([ended, moving]))
        await this.#list.take(messages)
      }
      const moved = before.then(move)
      this.#moved = moved
      return moved
    })
  }

  protected override view(): Shown {
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
    const told = (facts: FactsState): void => {
      this.#facts = facts
      this.changed()
    }
    this.#readFacts?.().then(
      () => told({ asOf: Date.now() }),
      (error: unknown) => told({ failure: failureOf(error) })
    )
  }

  protected override clear(): Promise<void> {
    this.#timeline = this.#newTimeline()
    return this.#list.clear()
  }

  override look(look: ResourcesViewport): void {
    const { at } = look
    if (this.#isPast && at !== undefined && at !== this.#at) this.#moveTo(at)
    this.#at = at
    void this.#list.look(look)
  }
}

export class LinesSession extends Session {
  readonly #list: LineList

  constructor(asker: ClientInfo, asked: LinesRequest, post: (message: Shown) => void) {
    super(post)
    const { topics, types, filter, namespace, partition, meta, start } = asked
    this.#list = new LineList(start !== undefined, () => this.changed())
    const options: EventsOptions = {
      topics,
      namespace,
      meta,
      ...(types.length > 0 ? { types } : {}),
      ...(partition === undefined ? {} : { partition }),
      ...(filter === undefined ? {} : { filter }),
      ...(start && 'since' in start ? { since: new Date(start.since) } : start)
    }
    this.follow(asker, options, {
      take: messages => this.#list.take(messages),
      miss: gap => this.#list.miss(gap)
    })
  }

  protected override view(): Shown {
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
