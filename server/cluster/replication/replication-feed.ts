// What the primary tells another datacenter: everything that there is, where that is needed, and then each change once it is durable.
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Committer } from '../../../actors/committer.js'
import { subjectOf, textOf } from '../../../actors/ref.js'
import { repeat, type Timers } from '../../../actors/timers.js'
import type { Commit, Event } from '../../../events/envelope.js'
import type { ProvableLog } from '../../../events/log/provable-log.js'
import type { ReplicatedIndexes } from '../../../events/replication.js'
import { eventOf } from '../../../projections/saved-form.js'
import { factsOfTopic } from '../../../projections/stream/snapshot.js'
import type { Views } from '../../../projections/read-models.js'
import type { Change, FeedMessage } from './replication-messages.js'
import { ReplicationLineWriter } from './replication-line-writer.js'
import { changeOf, changesIn, indexesOf, isGlobal, replicatedTopics } from './replicated-resources.js'

/** A message is closed when it tells of so many things. */
const MAX_RESOURCES = 500
/** Or when they have so many characters. */
const MOST_CHARACTERS = 256 * 1024
/** Who is behind by more commits gets everything anew. */
const MOST_BEHIND = 100_000
/** Changes that may wait for a slow reader, and their characters; it comes again for the others. */
const MOST_WAITING = 100_000
const MOST_WAITING_CHARACTERS = 32 * 1024 * 1024
/** The reader hears this often where the log stands. */
const HEARTBEAT_MS = 1000

/** Where the reader left off. */
export interface FeedRequest {
  /** ID of the log, and its incarnation. */
  readonly log: string
  readonly incarnation: number
  /** Index and hash of the newest commit that it has read. */
  readonly after: number
  readonly hash: string
}

export interface FeedDependencies {
  readonly views: Views
  readonly committer: Committer
  readonly log: ProvableLog
  readonly timers: Timers
}

interface FeedOptions {
  /** Undefined: everything anew. */
  readonly asked: FeedRequest | undefined
  readonly withTokens: boolean
  /** Whether who reads may still read all of it, and this server still hears what is new. */
  readonly shouldContinue: () => boolean
  /** What a line becomes before it is sent. */
  readonly seal: (text: string) => string
  /** Aborts when the server ends. */
  readonly closing: AbortSignal
}

interface Waiting {
  readonly index: number
  readonly indexes: ReplicatedIndexes
  readonly changes: readonly Change[]
  /** About how many characters they have. */
  readonly size: number
}

/** One reader, from the first line to its end. */
export class ReplicationFeed {
  readonly #topics: ReadonlySet<string>
  readonly #lines: ReplicationLineWriter
  /** Up to here the log is read or shown; the commits after it wait. */
  readonly #from: number
  readonly #generation: number
  /** Things that the snapshot has shown as a later commit has made them: by what they are, the index of that commit. */
  readonly #ahead = new Map<string, number>()
  /** The highest of these indexes. */
  #aheadTo = 0
  #waiting: Waiting[] = []
  #waitingChanges = 0
  #waitingCharacters = 0
  #indexes: ReplicatedIndexes
  #wake: () => void = () => {}
  #isBeatDue = false
  #isEnded = false

  constructor(
    private readonly parts: FeedDependencies,
    private readonly options: FeedOptions,
    response: ServerResponse
  ) {
    this.#topics = new Set(replicatedTopics(options.withTokens))
    this.#lines = new ReplicationLineWriter(response, options.seal, parts.timers)
    this.#from = parts.views.index
    this.#generation = parts.views.generation
    this.#indexes = indexesOf(parts.views, options.withTokens)
  }

  /** Resolves when it has ended: the reader has gone, may read it no more, or is to come again. */
  async run(): Promise<void> {
    const { committer, log, timers } = this.parts
    const { closing } = this.options
    const end = (): void => this.#end()
    const wake = (): void => this.#wake()
    const applied = (commit: Commit): void => this.#note(commit)
    committer.signals.on('applied', applied)
    committer.signals.on('rebuilt', end)
    committer.signals.on('swapped', end)
    closing.addEventListener('abort', end)
    this.#lines.gone.addEventListener('abort', end)
    const stop = log.onDurable(wake)
    const beat = repeat(timers, HEARTBEAT_MS, () => {
      this.#isBeatDue = true
      this.#wake()
    })
    try {
      if (closing.aborted || !committer.isReadable) return
      await committer.durable()
      await this.#begin()
      await this.#follow()
    } finally {
      beat()
      stop()
      closing.removeEventListener('abort', end)
      committer.signals.off('applied', applied)
      committer.signals.off('rebuilt', end)
      committer.signals.off('swapped', end)
      this.#lines.end()
    }
  }

  #end(): void {
    this.#isEnded = true
    // It may be waited for a reader that takes nothing any more.
    this.#lines.end()
    this.#wake()
  }

  get #isOver(): boolean {
    return this.#isEnded || this.parts.views.generation !== this.#generation
  }

  #note({ Index, Events }: Commit): void {
    const changes = changesIn(Events, this.#topics)
    if (changes.length === 0) return
    this.#indexes = indexesOf(this.parts.views, this.options.withTokens)
    const size = changes.reduce((sum, change) => sum + sizeOf(change), 0)
    this.#waiting.push({ index: Index, indexes: this.#indexes, changes, size })
    this.#waitingChanges += changes.length
    this.#waitingCharacters += size
    if (this.#waitingChanges > MOST_WAITING || this.#waitingCharacters > MOST_WAITING_CHARACTERS)
      this.#lines.giveUp()
  }

  async #begin(): Promise<void> {
    const { log } = this.parts
    const { asked, withTokens } = this.options
    const goesOn = asked !== undefined && (await this.#canResumeFrom(asked))
    const Index = goesOn ? asked.after : this.#from
    const { id, incarnation } = log.identity
    await this.#send({
      Kind: 'Begin',
      Log: id,
      Incarnation: incarnation,
      Index,
      Hash: await log.hashAt(Index),
      Snapshot: !goesOn,
      WithTokens: withTokens,
      Indexes: this.#indexes
    })
    if (goesOn) await this.#catchUp(asked.after)
    else await this.#showAll()
  }

  /** Whether the log still has what came after that, and is the one that was read. */
  async #canResumeFrom({ log: id, incarnation, after, hash }: FeedRequest): Promise<boolean> {
    const { log, views } = this.parts
    const base = views.retainedLog.retention?.Index ?? 0
    return (
      id === log.identity.id &&
      incarnation === log.identity.incarnation &&
      after <= this.#from &&
      after >= this.#from - MOST_BEHIND &&
      after >= Math.max(base, log.firstIndex - 1) &&
      // A log that was set back may have come past that again.
      (await log.hashAt(after)) === hash
    )
  }

  async #showAll(): Promise<void> {
    const { views, committer } = this.parts
    let [page, size]: [Change[], number] = [[], 0]
    const close = async (): Promise<void> => {
      // What was read may not be on disk yet.
      await committer.durable()
      if (page.length > 0) await this.#send({ Kind: 'Things', Things: page })
      ;[page, size] = [[], 0]
      await setImmediate()
    }
    for (const topic of this.#topics) {
      for (const one of factsOfTopic(views, topic)) {
        const event = eventOf(one)
        if (!isGlobal(event)) continue
        if (one.Index > this.#from) this.#noteAhead(event, one.Index)
        page.push(changeOf(event))
        size += sizeOf(event)
        if (page.length >= MAX_RESOURCES || size >= MOST_CHARACTERS) await close()
        if (this.#isOver) return
      }
      await close()
    }
    await this.#send({ Kind: 'Whole' })
  }

  #noteAhead(event: Event, index: number): void {
    this.#ahead.set(textOf(subjectOf(event)), index)
    this.#aheadTo = Math.max(this.#aheadTo, index)
  }

  async #catchUp(after: number): Promise<void> {
    const { log } = this.parts
    for await (const page of log.recordsOf([...this.#topics], after + 1)) {
      const Changes: Change[] = []
      let last = after
      for (const record of page) {
        if (record.index > this.#from) break
        last = record.index
        if (!record.events().some(({ Topic }) => this.#topics.has(Topic))) continue
        const { Events } = await log.commitOf(record)
        Changes.push(...changesIn(Events, this.#topics))
      }
      if (this.#isOver) return
      if (Changes.length > 0) await this.#tell(last, this.#indexes, Changes)
      if (last < (page.at(-1)?.index ?? 0)) break
      await setImmediate()
    }
    await this.#tell(this.#from, this.#indexes, [])
  }

  async #follow(): Promise<void> {
    const { log } = this.parts
    while (!this.#isOver) {
      const durable = log.durableIndex
      const told = this.#takeDurable(durable)
      if (told) await this.#tell(told.index, told.indexes, told.changes)
      else if (this.#isBeatDue) await this.#heartbeat(durable)
      else await new Promise<void>(resolve => (this.#wake = resolve))
    }
  }

  async #heartbeat(durable: number): Promise<void> {
    this.#isBeatDue = false
    const { views } = this.parts
    // The lists may have changed by what is not told.
    if (durable >= views.index) this.#indexes = indexesOf(views, this.options.withTokens)
    // What waits is not durable: all before it was told.
    await this.#tell(durable, this.#indexes, [])
  }

  /** What waits and is durable by now, some of it; undefined for nothing. */
  #takeDurable(durable: number): Omit<Waiting, 'size'> | undefined {
    const changes: Change[] = []
    let [taken, size] = [0, 0]
    let last: Waiting | undefined
    for (const one of this.#waiting) {
      if (one.index > durable || changes.length >= MAX_RESOURCES || size >= MOST_CHARACTERS) break
      for (const change of one.changes) {
        if (one.index > (this.#ahead.get(textOf(subjectOf(change))) ?? 0)) changes.push(change)
      }
      size += one.size
      this.#waitingChanges -= one.changes.length
      this.#waitingCharacters -= one.size
      taken++
      last = one
    }
    if (!last) return undefined
    this.#waiting = this.#waiting.slice(taken)
    if (last.index >= this.#aheadTo) this.#ahead.clear()
    return { index: last.index, indexes: last.indexes, changes }
  }

  /** @param Index of a durable commit: up to there, that is everything */
  async #tell(Index: number, Indexes: ReplicatedIndexes, Changes: readonly Change[]): Promise<void> {
    const Hash = await this.parts.log.hashAt(Index)
    await this.#send({ Kind: 'Commits', Index, Hash, Indexes, Changes: [...Changes] })
  }

  async #send(message: FeedMessage): Promise<void> {
    // Rights cost more than the rest: they are asked for once a message.
    if (this.#isOver || !this.options.shouldContinue()) return this.#end()
    await this.#lines.write(JSON.stringify(message))
  }
}

/** About its length as text. */
const sizeOf = ({ Payload }: Pick<Event, 'Payload'>): number => JSON.stringify(Payload).length
