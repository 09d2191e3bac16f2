// Makes the pieces that streams which are behind ask for, a slice of time at a time, in turn.
import { FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { Selector } from '../../../projections/stream/selector.js'
import { StoredMessage } from '../../../projections/stream/stored-message.js'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import type { EventKind, Search, StoredCommit } from '../../../events/stored.js'
import { Outbox } from './outbox.js'
import type { CpuShare } from './cpu-share.js'
import { accessorTextOf, requestedSearchOf, requestedTextsOf } from './requested-range.js'

/** The length of a slice, in ms. */
const SLICE = 2
/** Commits between looks at the clock. */
const CLOCK_EVERY = 32
/** After so many ms, what was found is given away, and how far the search has come. */
const TELL_AFTER = 50
/** Commits that were read and not yet looked at are kept for so many readings. */
const KEPT = 32

/** Commits that were read, and the index after the last one that need not be looked at any more when these were. */
export interface LogPage {
  readonly records: readonly StoredCommit[]
  readonly next: number
  /** The kinds that their events are of, among others; undefined when that is not known. */
  readonly kinds?: readonly EventKind[] | undefined
}

/** Reads durable commits from an index on; those in which nothing is wanted may be left out. @throws CommitsGone LogDamage */
type ReadLogPage<Extent> = (from: number, extent: Extent) => Promise<LogPage>

export interface EngineOptions<Extent> {
  /** How commits are read for one reading. @param search what is wanted at most; undefined for everything */
  readonly pages: (search: Search | undefined) => ReadLogPage<Extent>
  readonly share: CpuShare
  /** Bytes of a piece, but for a single message that is larger. */
  readonly pieceBytes: number
}

/** `PieceRequest`, with what the pages must be told besides. */
interface CatchUpTask<Extent> {
  readonly from: number
  readonly extent: Extent & { readonly to: number }
  readonly authorizer: Authorizer
}

interface CatchUpPiece {
  /** In memory that nothing else uses. */
  readonly bytes: Buffer<ArrayBuffer> | undefined
  readonly next: number
  /** See `Selector.withheldIn`. */
  readonly withheld: number
}

/** One request, as far as it is done. */
interface Job<Extent> {
  readonly task: CatchUpTask<Extent>
  readonly selector: Selector
  readonly out: Outbox
  next: number
  withheld: number
  readonly began: number
  readonly resolve: (made: CatchUpPiece) => void
  readonly reject: (error: unknown) => void
}

/** Commits that were read for a reading. */
interface Rest extends LogPage {
  at: number
  /** Those behind them, which are read meanwhile; undefined when that fails. */
  readonly following: Promise<LogPage | undefined> | undefined
}

/** The readings of a log, one after another: together they take no more of a core than their share. */
export class CatchUpEngine<Extent> {
  /** In turn, each at most once. */
  readonly #jobs = new Map<EngineReading<Extent>, Job<Extent>>()
  /** Of the readings that were served last. */
  readonly #rests = new Map<EngineReading<Extent>, Rest>()
  #running = false
  #generation = 0

  constructor(private readonly options: EngineOptions<Extent>) {}

  open(subscription: Subscription): EngineReading<Extent> {
    const search = requestedSearchOf(subscription)
    return new EngineReading(this, subscription, this.options.pages(search), requestedTextsOf(search))
  }

  /** Queues a request. */
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

  /** Grows when what was read before is to be read again. */
  get generation(): number {
    return this.#generation
  }

  /** Forgets what was read, and made of it, ahead. */
  forgetRead(): void {
    this.#generation++
    this.#rests.clear()
  }

  forget(reading: EngineReading<Extent>): void {
    this.#jobs.delete(reading)
    this.#rests.delete(reading)
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
        const rest = await this.#rest(reading, job)
        // It may have been closed meanwhile, or has to be read again.
        if (generation === this.#generation && this.#jobs.get(reading) === job) this.#turn(reading, job, rest)
      } catch (error) {
        this.forget(reading)
        job.reject(error)
      }
    }
    this.#running = false
  }

  async #rest(reading: EngineReading<Extent>, { next, task }: Job<Extent>): Promise<Rest> {
    const known = this.#rests.get(reading)
    this.#rests.delete(reading)
    if (known?.records[known.at]?.index === next) return known
    const page = (known?.next === next && (await known.following)) || (await reading.read(next, task.extent))
    return { ...page, at: 0, following: readOn(reading, page, task) }
  }

  /** A slice of one job. */
  #turn(reading: EngineReading<Extent>, job: Job<Extent>, rest: Rest): void {
    this.#jobs.delete(reading)
    const isFull = this.options.share.work(() => this.#fill(job, rest, reading))
    if (rest.at < rest.records.length || rest.following) this.#keep(reading, rest)
    const { out, next, withheld, task, began } = job
    if (isFull || next > task.extent.to || performance.now() - began > TELL_AFTER)
      job.resolve({ bytes: out.take(), next, withheld })
    else this.#jobs.set(reading, job)
  }

  /**
   * @returns whether the piece is full
   * @throws UnfitFilter when it would begin with a commit that cannot be looked at
   */
  #fill(job: Job<Extent>, rest: Rest, reading: EngineReading<Extent>): boolean {
    const { selector, out, task } = job
    const room = (bytes: number): Buffer => out.room(bytes)
    const settled = rest.kinds && selector.settled(rest.kinds)
    const end = performance.now() + SLICE
    for (let count = 1; rest.at < rest.records.length; count++) {
      const record = rest.records[rest.at]
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
      rest.at++
      job.next = record.index + 1
      if (count % CLOCK_EVERY === 0 && performance.now() > end) return false
    }
    job.next = rest.next
    return false
  }

  #keep(reading: EngineReading<Extent>, rest: Rest): void {
    this.#rests.set(reading, rest)
    const [oldest] = this.#rests.keys()
    if (this.#rests.size > KEPT && oldest) this.#rests.delete(oldest)
  }
}

/** Reads what is behind a page, unless that is all. */
const readOn = <Extent>(
  reading: EngineReading<Extent>,
  { records, next }: LogPage,
  { extent }: CatchUpTask<Extent>
): Promise<LogPage | undefined> | undefined =>
  records.length > 0 && next <= extent.to ? reading.read(next, extent).catch(() => undefined) : undefined

/** A piece that is made before it is asked for. */
interface Ahead<Extent> {
  readonly task: CatchUpTask<Extent>
  /** `CatchUpEngine.generation` when it was begun. */
  readonly generation: number
  readonly made: Promise<CatchUpPiece>
}

/** The catching up of one stream. When it has given a piece away it makes the next. */
export class EngineReading<Extent> {
  readonly #accessor: Buffer | undefined
  #selector: Selector | undefined
  #ahead: Ahead<Extent> | undefined
  #spent: ArrayBuffer | undefined
  #soon: NodeJS.Immediate | undefined

  /** @param texts see `textsOf` */
  constructor(
    private readonly engine: CatchUpEngine<Extent>,
    private readonly subscription: Subscription,
    readonly read: ReadLogPage<Extent>,
    private readonly texts: readonly Buffer[] | undefined
  ) {
    this.#accessor = accessorTextOf(subscription)
  }

  /** Whether a record has to be looked at. */
  mayWant({ bytes }: StoredCommit): boolean {
    if (this.#accessor && !bytes.includes(this.#accessor)) return false
    return !this.texts || this.texts.some(text => bytes.includes(text))
  }

  /**
   * One at a time; settles never once it was closed.
   * @param spent memory of a piece that nobody looks at any more, to be used again
   */
  async next(task: CatchUpTask<Extent>, spent?: ArrayBuffer): Promise<CatchUpPiece> {
    clearImmediate(this.#soon)
    this.#spent ??= spent
    const ahead = this.#ahead
    this.#ahead = undefined
    const isMade =
      ahead?.task.from === task.from &&
      ahead.task.authorizer === task.authorizer &&
      ahead.generation === this.engine.generation
    const made = await (isMade ? ahead.made : this.#make(task))
    // What was asked for leaves first.
    if (made.next <= task.extent.to)
      this.#soon = setImmediate(() => this.#goAhead({ ...task, from: made.next }))
    return made
  }

  #goAhead(task: CatchUpTask<Extent>): void {
    const ahead = { task, generation: this.engine.generation, made: this.#make(task) }
    this.#ahead = ahead
    ahead.made.catch(() => {
      // Whoever asks for it is told then, if it fails again.
      if (this.#ahead === ahead) this.#ahead = undefined
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
