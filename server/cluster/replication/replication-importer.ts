// Converts the messages of one replication connection into commits.
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { lifecycles } from '../../../actors/aggregates.js'
import type { Clock } from '../../../actors/clock.js'
import type { Caller } from '../../../actors/aggregate.js'
import { REPLICATION, type Replicate } from '../../../actors/replication/replication.js'
import type { ActorSystem } from '../../../actors/system.js'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import type { ReplicationPosition } from '../../../events/replication.js'
import { eventOf } from '../../../projections/projection.js'
import { factsOfTopic } from '../../../projections/stream/snapshot.js'
import type { Views } from '../../../projections/read-models.js'
import type { FeedBegin, Change, FeedMessage } from './replication-messages.js'
import type { ReplicationStatus } from './replication-status.js'
import { isDeletedWhenUnlisted, isGlobal, isOfPrimary, replicatedTopics } from './replicated-resources.js'

/** Limit of the deletions in one commit. */
const MAX_DELETIONS = 500

/** The status message if the replication token may not read secrets (auth.md §11.1). */
const NO_SECRETS = 'failed to retrieve unredacted tokens - replication token in use does not grant acl:write'

interface ReplicationImporterOptions {
  readonly views: Views
  readonly system: ActorSystem
  readonly clock: Clock
  readonly status: ReplicationStatus
  readonly logger: Logger
  readonly primary: string
  readonly wantsTokens: boolean
}

/** A commit of the primary up to which all changes were received. */
type Reached = Pick<ReplicationPosition, 'Index' | 'Hash' | 'Indexes'>

export class ReplicationImporter {
  #begin: FeedBegin | undefined
  #topics: ReadonlySet<string> = new Set()
  /** Resources that the primary has listed, during a complete transfer. */
  #seen: Set<string> | undefined
  /** Some resources could not be replicated. */
  #hasLeftOut = false

  constructor(private readonly parts: ReplicationImporterOptions) {}

  /** A resource is missing that only another complete transfer brings. */
  get needsFullTransfer(): boolean {
    return this.#hasLeftOut && this.#seen === undefined
  }

  /** Applies a message. The commits are not durable yet. @throws Refusal as `ActorSystem.send`; Error for messages out of order */
  async take(message: FeedMessage): Promise<void> {
    switch (message.Kind) {
      case 'Begin':
        return this.#beginWith(message)
      case 'Things':
        for (const change of message.Things) this.#seen?.add(lifecycles.identityOf(change))
        return this.#replicate(this.#selected(message.Things))
      case 'Whole':
        return await this.#endSnapshot()
      case 'Commits':
        return this.#moveTo(message, message.Changes)
    }
  }

  #beginWith(begin: FeedBegin): void {
    const { status, wantsTokens } = this.parts
    this.#begin = begin
    this.#topics = new Set(replicatedTopics(begin.WithTokens))
    this.#seen = begin.Snapshot ? new Set() : undefined
    if (begin.Snapshot) this.#beginReconciliation(begin)
    status.newest = Math.max(begin.Index, this.parts.status.newest)
    if (wantsTokens && !begin.WithTokens) status.failed(NO_SECRETS)
  }

  #beginReconciliation({ Index: index }: FeedBegin): void {
    const { status, logger, primary, views } = this.parts
    status.beginReconciliation()
    // While a local resource conflicts, this repeats every 30 s.
    if (views.replication.position?.LeftOut) return
    logger.info({ primary, index }, 'all replicated resources are being compared with the primary datacenter')
  }

  #endReconciliation(): void {
    const { status, logger, primary } = this.parts
    const { written, removed } = status.endReconciliation()
    const isNew = written + removed > 0 || !this.#hasLeftOut
    if (isNew)
      logger.info(
        { primary, written, removed },
        'all replicated resources equal those of the primary datacenter'
      )
  }

  /** Deletes primary-owned resources that the primary did not list. */
  async #endSnapshot(): Promise<void> {
    const seen = this.#seen
    if (!seen) throw new Error('the primary ended a snapshot that it had not begun')
    let ends: Event[] = []
    for (const topic of this.#topics) {
      const Type = lifecycles.endingOf(topic)
      if (Type === undefined || !isDeletedWhenUnlisted(topic)) continue
      for (const one of factsOfTopic(this.parts.views, topic)) {
        const event = eventOf(one)
        if (isOfPrimary(event) && !seen.has(lifecycles.identityOf(event))) ends.push({ ...event, Type })
        if (ends.length < MAX_DELETIONS) continue
        this.#replicate(ends)
        ends = []
        await setImmediate()
      }
    }
    this.#replicate(ends)
    this.#seen = undefined
    this.#moveTo(this.#begun, [], true)
    this.#endReconciliation()
  }

  #moveTo({ Index, Hash, Indexes }: Reached, changes: readonly Change[], isWhole = false): void {
    const { status, primary } = this.parts
    const { Log, Incarnation, WithTokens } = this.#begun
    const position = {
      Datacenter: primary,
      Log,
      Incarnation,
      Index,
      Hash,
      WithTokens,
      ...(this.#hasLeftOut ? { LeftOut: true } : {}),
      Indexes: { ...Indexes }
    }
    this.#replicate(this.#selected(changes), { position, isFullCopy: isWhole })
    status.newest = status.applied = Index
    status.succeeded(Indexes)
  }

  get #begun(): FeedBegin {
    if (!this.#begin) throw new Error('the primary did not begin')
    return this.#begin
  }

  /** Returns the changes that this datacenter requested. */
  #selected(changes: readonly Change[]): readonly Event[] {
    return changes.filter(change => this.#topics.has(change.Topic) && isGlobal(change))
  }

  #count(events: readonly Event[]): void {
    const copied = events.filter(({ Topic }) => this.#topics.has(Topic))
    const removed = copied.filter(event => lifecycles.isEnding(event)).length
    this.parts.status.countReconciled(copied.length - removed, removed)
  }

  #replicate(changes: readonly Event[], reached: Omit<Replicate['data'], 'changes'> = {}): void {
    const { system, clock, status, primary } = this.parts
    const caller: Caller = {
      accessor: '',
      address: '',
      requestId: '',
      reason: `replication from datacenter "${primary}", up to its commit ${reached.position?.Index ?? this.#begun.Index}`
    }
    const { decision } = system.send(REPLICATION, {
      name: 'Replicate',
      tenancy: DEFAULT_TENANCY,
      caller,
      at: clock.now(),
      data: { changes, ...reached }
    })
    this.#count(decision.events)
    for (const why of decision.leftOut) status.failed(why)
    if (decision.leftOut.length > 0) this.#hasLeftOut = true
  }
}
