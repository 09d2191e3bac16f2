import { Connection, type Query } from '../../../typescript/connection.js'
import { messageOf } from '../../../../events/errors.js'
import { Timeline, type TimelineSelection } from '../../time-travel/timeline.js'
import { parseExact } from '../../session/exact-json.js'
import { catalogListings } from '../../resources/catalog/listings.js'
import { eventOf, type Fields } from '../../resources/kind.js'
import { kinds, locks } from '../../resources/kinds.js'
import { narrowToVisible } from '../follow.js'
import { nextPageIn } from '../next-page.js'
import { LiveResourceList } from './live-resource-list.js'
import type {
  ClientInfo,
  FactsState,
  ResourcesRequest,
  ResourcesViewport,
  SessionMessage
} from './protocol.js'
import { listingOf, type Listing } from './row-model.js'
import { Session } from './worker-sessions.js'

/** By their names in a request. */
const LISTINGS: Readonly<Record<string, Listing>> = {
  ...Object.fromEntries(kinds.map(kind => [kind.path, listingOf(kind)])),
  ...catalogListings,
  locks: listingOf(locks)
}

/** Rows of a request. */
const PAGE = 500

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
  readonly #listing: Listing
  readonly #connection: Connection
  readonly #query: Query
  /** The list of the API is read in place of a stream. */
  #isFixed = false

  constructor(clientInfo: ClientInfo, request: ResourcesRequest, post: (message: SessionMessage) => void) {
    super(post)
    const { listing: name, filter, namespace = '*', partition, isPast } = request
    const listing = LISTINGS[name]
    if (!listing) throw new TypeError(`there is no listing ${name}`)
    this.#listing = listing
    this.#list = new LiveResourceList(listing, () => this.changed())
    this.#connection = new Connection({ ...clientInfo, parse: parseExact })
    this.#query = { ns: namespace, partition: partition === '*' ? undefined : partition }
    const selection: TimelineSelection = { topics: listing.topics, namespace, partition, filter }
    this.#newTimeline = () => new Timeline(this.#connection, selection)
    this.#timeline = this.#newTimeline()
    this.#isPast = isPast
    const { facts, list } = listing
    this.#isFixed = isPast && list?.changes !== undefined
    if (isPast) return
    if (facts !== undefined) {
      const options = { query: this.#query, signal: this.signal }
      this.#readFacts = async () => {
        const response = await this.#connection.request('GET', facts, options)
        const byKey = await response.json<Readonly<Record<string, string>>>()
        await this.#list.setFacts(new Map(Object.entries(byKey)))
      }
      this.askFacts()
    }
    const { changes } = list ?? {}
    this.follow(
      clientInfo,
      changes === undefined
        ? { ...selection, snapshot: true }
        : { ...selection, filter: changes, index: 'now' },
      {
        take: async messages => {
          // Later events wait for the list.
          if (changes !== undefined && messages.some(({ CaughtUp }) => CaughtUp)) await this.#readList()
          await this.#list.take(messages)
        },
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

  /** Reads the list of the API. */
  async #readList(signal = this.signal, at?: number): Promise<void> {
    const { list, topics } = this.#listing
    if (!list) return
    const { ns, partition = 'default' } = this.#query
    const place = {
      Namespace: ns === '*' ? 'default' : ns,
      Partition: partition === 'default' ? '' : partition
    }
    await this.#list.take([{ Index: 0, Events: [], Snapshot: 'restart' }])
    for (let after: string | undefined = ''; after !== undefined;) {
      const query = { ...this.#query, ...list.query, at, limit: PAGE, after: after || undefined }
      const answer = await this.#connection.request('GET', list.path, { query, signal })
      const found = await answer.json<readonly Fields[]>()
      const Events = found.map(fields => eventOf(topics[0] ?? '', { ...place, ...fields }))
      await this.#list.take([{ Index: 0, Events }])
      after = nextPageIn(answer.headers)
    }
    await this.#list.take([{ Index: 0, Events: [], Snapshot: 'end' }])
  }

  protected override readInstead(): boolean {
    if (this.#isFixed || !this.#listing.list) return false
    this.#isFixed = true
    if (this.#isPast && this.#at !== undefined) this.#moveTo(this.#at)
    else this.read(signal => this.#readList(signal))
    return true
  }

  /** Cancels earlier moves. */
  #moveTo(at: number): void {
    this.#moving.abort()
    this.#moving = new AbortController()
    const { signal: moving } = this.#moving
    const before = this.#moved.catch(() => {})
    this.read(signal => {
      const move = async (): Promise<void> => {
        const either = AbortSignal.any([signal, moving])
        if (this.#isFixed) return this.#readList(either, at)
        await this.#list.take(await this.#timeline.moveTo(at, either))
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
        isFixed: this.#isFixed && !this.#isPast,
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
