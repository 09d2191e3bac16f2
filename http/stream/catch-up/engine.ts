import { LRUCache } from 'lru-cache'
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { Selector, type Subscription } from '../../../projections/stream/subscription.js'
import { StoredMessage, type Audit } from '../../../projections/stream/stored-message.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { EventKind, Search, StoredCommit, SearchTarget } from '../../../events/stored.js'
import type { Piece } from './source.js'
import type { CpuShare } from './cpu-share.js'
import { Outbox } from './outbox.js'
import { ALL_TENANCIES } from '../../../projections/stream/required-permissions.js'

const MOST_TEXTS = 4

const requestedSearchOf = ({ filter, tenancy, audit }: Subscription): Search | undefined => {
  const { resources } = filter
  const wanted = resources.some(({ topic, key }) => topic === undefined && key === undefined)
    ? undefined
    : resources
  const origin = audit && originOf(audit)
  if (!wanted && !origin) return undefined
  const { partition, namespace } = tenancy
  return {
    wanted,
    partition: partition === ALL_TENANCIES ? undefined : partition,
    namespace: namespace === ALL_TENANCIES ? undefined : namespace,
    ...(origin && { origin })
  }
}

const originOf = ({ accessor, address }: Audit): Search['origin'] =>
  accessor === undefined && address === undefined
    ? undefined
    : {
        ...(accessor !== undefined && { AccessorID: accessor }),
        ...(address !== undefined && { Address: address })
      }

const textOf = ({ topic, key }: SearchTarget): string =>
  key === undefined ? `{"Topic":${JSON.stringify(topic)},` : JSON.stringify(key).slice(1, -1)

/** Returns texts of which each record with a selected event contains at least one; undefined if there are none. */
const requestedTextsOf = (search: Search | undefined): readonly Buffer[] | undefined =>
  search?.wanted && search.wanted.length <= MOST_TEXTS
    ? search.wanted.map(target => Buffer.from(textOf(target)))
    : undefined

/** Returns the texts that each record of an audited token or address contains. */
const originTextsOf = ({ audit }: Subscription): readonly Buffer[] => [
  ...(audit?.accessor === undefined ? [] : [Buffer.from(`{"AccessorID":${JSON.stringify(audit.accessor)},`)]),
  ...(audit?.address === undefined ? [] : [Buffer.from(`"Address":${JSON.stringify(audit.address)},`)])
]

/** Length of a slice, in ms. */
const SLICE = 2
/** Commits between clock checks. */
const CLOCK_EVERY = 32
/** After this time in ms, an incomplete piece is returned. */
const RETURN_AFTER = 50
const MOST_RETAINED = 32

export interface LogPage {
  readonly records: readonly StoredCommit[]
  readonly next: number
  /** A superset of the kinds of their events; undefined if unknown. */
  readonly kinds?: readonly EventKind[] | undefined
}

/** Reads durable commits from an index on; unselected ones may be omitted. @throws CommitsPruned LogDamage */
type ReadLogPage<Extent> = (from: number, extent: Extent) => Promise<LogPage>

export interface EngineOptions<Extent> {
  /** Returns the page reader of one reading. @param search a superset of the selection; undefined for everything */
  readonly pages: (search: Search | undefined) => ReadLogPage<Extent>
  readonly share: CpuShare
  /** Maximum bytes of a piece, except a single larger message. */
  readonly pieceBytes: number
}

interface CatchUpTask<Extent> {
  readonly from: number
  readonly extent: Extent & { readonly to: number }
  readonly authorizer: Authorizer
}

type CatchUpPiece = Omit<Piece, 'authorizer'>

interface Job<Extent> {
  readonly task: CatchUpTask<Extent>
  readonly selector: Selector
  readonly out: Outbox
  next: number
  withheld: number
  readonly began: number
  readonly resolve: (piece: CatchUpPiece) => void
  readonly reject: (error: unknown) => void
}

interface CurrentPage extends LogPage {
  position: number
  /** The next page, which is prefetched; undefined if that failed. */
  readonly following: Promise<LogPage | undefined> | undefined
}

/** Serves all readings of a log within one CPU share. */
export class CatchUpEngine<Extent> {
  readonly #jobs = new Map<EngineReading<Extent>, Job<Extent>>()
  /** The pages of the readings that were served last. */
  readonly #pages = new LRUCache<EngineReading<Extent>, CurrentPage>({ max: MOST_RETAINED })
  #running = false
  #generation = 0

  constructor(private readonly options: EngineOptions<Extent>) {}

  open(subscription: Subscription): EngineReading<Extent> {
    const search = requestedSearchOf(subscription)
    return new EngineReading(this, subscription, this.options.pages(search), requestedTextsOf(search))
  }

  ask(
    reading: EngineReading<Extent>,
    task: CatchUpTask<Extent>,
    selector: Selector,
    spent: ArrayBuffer | undefined
  ): Promise<CatchUpPiece> {
    return new Promise((resolve, reject) => {
      const out = new Outbox(this.options.pieceBytes, spent)
      const began = performance.now()
      this.#jobs.set(reading, { task, selector, out, next: task.from, withheld: 0, began, resolve, reject })
      if (!this.#running) void this.#run()
    })
  }

  /** Increases when everything read so far must be read again. */
  get generation(): number {
    return this.#generation
  }

  forgetRead(): void {
    this.#generation++
    this.#pages.clear()
  }

  forget(reading: EngineReading<Extent>): void {
    this.#jobs.delete(reading)
    this.#pages.delete(reading)
  }

  async #run(): Promise<void> {
    this.#running = true
    for (;;) {
      await this.options.share.rested()
      const [first] = this.#jobs
      if (!first) break
      const [reading, job] = first
      try {
        const generation = this.#generation
        const page = await this.#page(reading, job)
        // Meanwhile the reading may have been closed, or the page discarded.
        if (generation === this.#generation && this.#jobs.get(reading) === job) this.#turn(reading, job, page)
      } catch (error) {
        this.forget(reading)
        job.reject(error)
      }
    }
    this.#running = false
  }

  async #page(reading: EngineReading<Extent>, { next, task }: Job<Extent>): Promise<CurrentPage> {
    const known = this.#pages.get(reading)
    this.#pages.delete(reading)
    if (known?.records[known.position]?.index === next) return known
    const page = (known?.next === next && (await known.following)) || (await reading.read(next, task.extent))
    return { ...page, position: 0, following: prefetch(reading, page, task) }
  }

  #turn(reading: EngineReading<Extent>, job: Job<Extent>, page: CurrentPage): void {
    this.#jobs.delete(reading)
    const isFull = this.options.share.work(() => this.#fill(job, page, reading))
    if (page.position < page.records.length || page.following) this.#pages.set(reading, page)
    const { out, next, withheld, task, began } = job
    if (isFull || next > task.extent.to || performance.now() - began > RETURN_AFTER)
      job.resolve({ bytes: out.take(), next, withheld })
    else this.#jobs.set(reading, job)
  }

  /**
   * @returns true if the piece is full
   * @throws FilterTooExpensive if it would begin with a commit that cannot be evaluated
   */
  #fill(job: Job<Extent>, page: CurrentPage, reading: EngineReading<Extent>): boolean {
    const { selector, out, task } = job
    const room = (bytes: number): Buffer => out.room(bytes)
    const settled = page.kinds && selector.unconditionalTopics(page.kinds)
    const end = performance.now() + SLICE
    for (let count = 1; page.position < page.records.length; count++) {
      const record = page.records[page.position]
      if (!record || record.index > task.extent.to) return false
      try {
        if (reading.mayWant(record)) {
          const message = new StoredMessage(record)
          const framed = selector.frame(message, room, settled)
          if (framed && !out.add(framed)) return true
          job.withheld += selector.withheldIn(message, settled)
        }
      } catch (error) {
        if (error instanceof FilterTooExpensive && !out.isEmpty) return true
        throw error
      }
      page.position++
      job.next = record.index + 1
      if (count % CLOCK_EVERY === 0 && performance.now() > end) return false
    }
    job.next = page.next
    return false
  }
}

const prefetch = <Extent>(
  reading: EngineReading<Extent>,
  { records, next }: LogPage,
  { extent }: CatchUpTask<Extent>
): Promise<LogPage | undefined> | undefined =>
  records.length > 0 && next <= extent.to ? reading.read(next, extent).catch(() => undefined) : undefined

interface Prefetch<Extent> {
  readonly task: CatchUpTask<Extent>
  /** `CatchUpEngine.generation` at its beginning. */
  readonly generation: number
  readonly piece: Promise<CatchUpPiece>
}

export class EngineReading<Extent> {
  readonly #origin: readonly Buffer[]
  #selector: Selector | undefined
  #prefetch: Prefetch<Extent> | undefined
  #spent: ArrayBuffer | undefined
  #soon: NodeJS.Immediate | undefined

  /** @param texts see `requestedTextsOf` */
  constructor(
    private readonly engine: CatchUpEngine<Extent>,
    private readonly subscription: Subscription,
    readonly read: ReadLogPage<Extent>,
    private readonly texts: readonly Buffer[] | undefined
  ) {
    this.#origin = originTextsOf(subscription)
  }

  /** Returns false if a record certainly contains nothing of the selection. */
  mayWant({ bytes }: StoredCommit): boolean {
    if (!this.#origin.every(text => bytes.includes(text))) return false
    return !this.texts || this.texts.some(text => bytes.includes(text))
  }

  /**
   * Returns the next piece. Must not be called concurrently; never settles after `close`.
   * @param spent memory of an unused piece, to be reused
   */
  async next(task: CatchUpTask<Extent>, spent?: ArrayBuffer): Promise<CatchUpPiece> {
    clearImmediate(this.#soon)
    this.#spent ??= spent
    const prefetched = this.#prefetch
    this.#prefetch = undefined
    const isUsable =
      prefetched?.task.from === task.from &&
      prefetched.task.authorizer === task.authorizer &&
      prefetched.generation === this.engine.generation
    const piece = await (isUsable ? prefetched.piece : this.#make(task))
    // The requested piece is sent first.
    if (piece.next <= task.extent.to)
      this.#soon = setImmediate(() => this.#startPrefetch({ ...task, from: piece.next }))
    return piece
  }

  #startPrefetch(task: CatchUpTask<Extent>): void {
    const next = { task, generation: this.engine.generation, piece: this.#make(task) }
    this.#prefetch = next
    next.piece.catch(() => {
      // The next request repeats the read and reports a persistent failure.
      if (this.#prefetch === next) this.#prefetch = undefined
    })
  }

  #make(task: CatchUpTask<Extent>): Promise<CatchUpPiece> {
    if (this.#selector?.authorizer !== task.authorizer)
      this.#selector = new Selector(this.subscription, task.authorizer)
    const spent = this.#spent
    this.#spent = undefined
    return this.engine.ask(this, task, this.#selector, spent)
  }

  close(): void {
    clearImmediate(this.#soon)
    this.engine.forget(this)
  }
}
