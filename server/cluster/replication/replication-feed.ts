// Sends the primary's resources to another datacenter: all of them if necessary, and then each durable change.
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { Committer } from '../../../actors/committer.js'
import { subjectOf, textOf } from '../../../actors/ref.js'
import { repeat, type Timers } from '../../../actors/clock.js'
import type { Commit, Event } from '../../../events/envelope.js'
import type { ProvableLog } from '../../../events/log/provable-log.js'
import type { ReplicatedIndexes } from '../../../events/replication.js'
import { eventOf } from '../../../projections/projection.js'
import { factsOfTopic } from '../../../projections/stream/snapshot.js'
import type { Views } from '../../../projections/read-models.js'
import type { Change, FeedMessage } from './replication-messages.js'
import { ReplicationLineWriter } from './replication-line-writer.js'
import { changeOf, changesIn, indexesOf, isGlobal, replicatedTopics } from './replicated-resources.js'

/** Limits of a message: resources and characters. */
const MAX_RESOURCES = 500
const MAX_CHARACTERS = 256 * 1024
/** A reader that lacks more commits receives a complete transfer. */
const MAX_BEHIND = 100_000
/** Limits of the changes that wait for a slow reader. Beyond them the reader must reconnect. */
const MAX_WAITING = 100_000
const MAX_WAITING_CHARACTERS = 32 * 1024 * 1024
/** How often the reader receives the position of the log. */
const HEARTBEAT_MS = 1000

/** The position at which the reader resumes. */
export interface FeedRequest {
  /** Log ID and incarnation. */
  readonly log: string
  readonly incarnation: number
  /** Index and hash of the newest commit that the reader has. */
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
  /** Undefined for a complete transfer. */
  readonly from: FeedRequest | undefined
  readonly withTokens: boolean
  /** Returns true while the reader has its permissions, and this server is up to date. */
  readonly shouldContinue: () => boolean
  /** Encodes a line. */
  readonly seal: (text: string) => string
  readonly closing: AbortSignal
}

interface Waiting {
  readonly index: number
  readonly indexes: ReplicatedIndexes
  readonly changes: readonly Change[]
  /** Approximate characters of the changes. */
  readonly size: number
}

/** Serves one reader until its connection ends. */
export class ReplicationFeed {
  readonly #topics: ReadonlySet<string>
  readonly #lines: ReplicationLineWriter
  /** The state or log is sent up to this index. Later commits wait. */
  readonly #from: number
  readonly #generation: number
  /** Resources that the snapshot contains in a later state, with the index of that state. */
  readonly #ahead = new Map<string, number>()
  /** The highest index in `#ahead`. */
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

  /** Resolves when the reader has disconnected, lost its permissions, or must reconnect. */
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
    // The feed may be waiting for a reader that is stuck.
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
    if (this.#waitingChanges > MAX_WAITING || this.#waitingCharacters > MAX_WAITING_CHARACTERS)
      this.#lines.giveUp()
  }

  async #begin(): Promise<void> {
    const { log } = this.parts
    const { from, withTokens } = this.options
    const isResumed = from !== undefined && (await this.#canResumeFrom(from))
    const Index = isResumed ? from.after : this.#from
    const { id, incarnation } = log.identity
    await this.#send({
      Kind: 'Begin',
      Log: id,
      Incarnation: incarnation,
      Index,
      Hash: await log.hashAt(Index),
      Snapshot: !isResumed,
      WithTokens: withTokens,
      Indexes: this.#indexes
    })
    if (isResumed) await this.#catchUp(from.after)
    else await this.#showAll()
  }

  /** Returns true if the log is the reader's log, and still has the commits after its position. */
  async #canResumeFrom({ log: id, incarnation, after, hash }: FeedRequest): Promise<boolean> {
    const { log, views } = this.parts
    const base = views.retainedLog.retention?.Index ?? 0
    return (
      id === log.identity.id &&
      incarnation === log.identity.incarnation &&
      after <= this.#from &&
      after >= this.#from - MAX_BEHIND &&
      after >= Math.max(base, log.firstIndex - 1) &&
      // A log that was rolled back may have grown beyond the index again.
      (await log.hashAt(after)) === hash
    )
  }

  async #showAll(): Promise<void> {
    const { views, committer } = this.parts
    let [page, size]: [Change[], number] = [[], 0]
    const close = async (): Promise<void> => {
      // The snapshot may include commits that are not durable yet.
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
        if (page.length >= MAX_RESOURCES || size >= MAX_CHARACTERS) await close()
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
    for await (const page of log.records(after + 1, { topics: [...this.#topics] })) {
      let [changes, size]: [Change[], number] = [[], 0]
      let last = after
      for (const record of page) {
        if (record.index > this.#from) break
        last = record.index
        if (!record.events().some(({ Topic }) => this.#topics.has(Topic))) continue
        const { Events } = await log.commitOf(record)
        for (const change of changesIn(Events, this.#topics)) {
          changes.push(change)
          size += sizeOf(change)
        }
        if (changes.length < MAX_RESOURCES && size < MAX_CHARACTERS) continue
        if (this.#isOver) return
        await this.#sendCommits(last, this.#indexes, changes)
        ;[changes, size] = [[], 0]
      }
      if (this.#isOver) return
      if (changes.length > 0) await this.#sendCommits(last, this.#indexes, changes)
      if (last < (page.at(-1)?.index ?? 0)) break
      await setImmediate()
    }
    await this.#sendCommits(this.#from, this.#indexes, [])
  }

  async #follow(): Promise<void> {
    const { log } = this.parts
    while (!this.#isOver) {
      const durable = log.durableIndex
      const ready = this.#takeDurable(durable)
      if (ready) await this.#sendCommits(ready.index, ready.indexes, ready.changes)
      else if (this.#isBeatDue) await this.#heartbeat(durable)
      else await new Promise<void>(resolve => (this.#wake = resolve))
    }
  }

  async #heartbeat(durable: number): Promise<void> {
    this.#isBeatDue = false
    const { views } = this.parts
    // Unreplicated commits may have changed the indexes of the lists.
    if (durable >= views.index) this.#indexes = indexesOf(views, this.options.withTokens)
    // Waiting changes are not durable, and all earlier ones were sent.
    await this.#sendCommits(durable, this.#indexes, [])
  }

  /** Takes durable changes up to the limits of a message; undefined if there are none. */
  #takeDurable(durable: number): Omit<Waiting, 'size'> | undefined {
    const changes: Change[] = []
    let [taken, size] = [0, 0]
    let last: Waiting | undefined
    for (const one of this.#waiting) {
      if (one.index > durable || changes.length >= MAX_RESOURCES || size >= MAX_CHARACTERS) break
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

  /** @param Index of a durable commit, up to which the changes are complete */
  async #sendCommits(Index: number, Indexes: ReplicatedIndexes, Changes: readonly Change[]): Promise<void> {
    const Hash = await this.parts.log.hashAt(Index)
    await this.#send({ Kind: 'Commits', Index, Hash, Indexes, Changes: [...Changes] })
  }

  async #send(message: FeedMessage): Promise<void> {
    // Permissions are expensive to check: once per message.
    if (this.#isOver || !this.options.shouldContinue()) return this.#end()
    await this.#lines.write(JSON.stringify(message))
  }
}

/** Returns the approximate length as text. */
const sizeOf = ({ Payload }: Pick<Event, 'Payload'>): number => JSON.stringify(Payload).length
