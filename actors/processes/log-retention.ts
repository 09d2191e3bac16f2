// Prunes the oldest commits of the log after an announced base snapshot covers them. It can stop at any point.
import { type ActorOptions, type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import type { LogMaintenance, LogReader, PrunableSegment } from '../../events/log/log.js'
import { prunedIndexOf, LOG_KEY, type Retention, retentionEvents } from '../../events/retention.js'
import { parseTime } from '../../events/time.js'
import type { Views } from '../../projections/read-models.js'
import { serverCommand } from '../aggregate.js'
import { type HeldCommit, HeldCommits } from '../erasure/held-commits.js'
import { inCluster } from '../ref.js'
import type { RetentionCheck } from '../retention.js'
import type { ActorSystem } from '../system.js'
import type { PeerServers } from '../ports.js'
import type { Cursor } from '../../events/cursor.js'

type Machine = ReturnType<typeof retentionMachine>

interface RetentionPlan {
  readonly limits: RetentionLimits
  /** Returns the limit of bytes that a cursor may retain. */
  readonly cursorLimit: () => Promise<number>
  /** Reports on each run what cursors retain, and their limit. */
  readonly onCursorsRetaining: (retained: CursorRetention, limit: number) => void
  /** Reports on each run the bytes that legal holds keep from being pruned, and the oldest held commit. */
  readonly onHeld: (bytes: number, oldest: HeldCommit | undefined) => void
  /** Creates and verifies the base snapshot of the commits up to an index. Resolves with its digest. */
  readonly makeBase: (index: number, signal: AbortSignal) => Promise<string>
  /** Detects an intact base snapshot as announced by the log. */
  readonly hasBase: (retention: Retention) => Promise<boolean>
  /** Only in a cluster. */
  readonly others?: PeerServers
  readonly keepBase: (index: number) => Promise<void>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly onDone: (index: number) => void
  readonly onFailure: (error: unknown) => void
}

type RetainedLog = LogReader & LogMaintenance

export class LogRetention {
  readonly #log: RetainedLog
  readonly #views: Views
  readonly #system: ActorSystem
  readonly #actor: ActorRefFrom<Machine>
  readonly #ending = new AbortController()
  readonly #heldCommits: HeldCommits
  /** Digest of the newest base snapshot that this server has verified. */
  #proved = ''
  /** Serializes the creation of base snapshots. */
  #working: Promise<unknown> = Promise.resolve()

  constructor(
    {
      log,
      views,
      system
    }: { readonly log: RetainedLog; readonly views: Views; readonly system: ActorSystem },
    private readonly plan: RetentionPlan,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    this.#log = log
    this.#views = views
    this.#system = system
    this.#heldCommits = new HeldCommits(log, views.legalHolds)
    this.#actor = createActor(
      retentionMachine(signal => this.#enqueue(() => this.#apply(signal))),
      options
    )
    this.#actor.start()
  }

  /** Stops the process and the creation of a base snapshot. */
  stop(): void {
    this.#actor.stop()
    this.#ending.abort()
  }

  async #apply(signal: AbortSignal): Promise<void> {
    try {
      const here = await this.#obtain(signal)
      const pruned = prunedIndexOf(here)
      if (here && this.#log.firstIndex <= pruned) await this.#prune(here)
      if (this.plan.others?.decides() === false) return
      // A restore reads from the log what clients wrote since it began.
      if (!isLimited(this.plan.limits) || this.#views.restore.current) return
      const segments = await this.#log.prunableSegments()
      const checkedHolds = this.#views.legalHolds.index
      const unheld = await this.#unheld(segments, await findPrunable(this.#log, segments, this.plan))
      const index = await this.#released(segments, unheld)
      if (index <= pruned) return
      // A base snapshot for an erasure covers commits that are still retained.
      const next =
        here && here.Index >= index
          ? { ...here, LetGo: index }
          : { Index: index, Base: await this.plan.makeBase(index, signal) }
      if (signal.aborted) return
      await this.#announce({ ...next, checkedHolds })
      await this.#prune(next)
    } catch (error) {
      if (!signal.aborted) this.plan.onFailure(error)
      throw error
    }
  }

  /** Replaces the base snapshot by one of all durable commits, so that none before an erasure is replayed. Prunes nothing. @returns its index, which is that of the beginning of a restore while one runs */
  async renewBase(): Promise<number> {
    return (await this.#enqueue(() => this.#renew(this.#ending.signal))).Index
  }

  /**
   * Gets the announced base snapshot if it is not here: from another server, or by creating one where this server decides.
   * @returns its index; 0 without an announcement
   */
  async obtainBase(): Promise<number> {
    return (await this.#enqueue(() => this.#obtain(this.#ending.signal)))?.Index ?? 0
  }

  look(): void {
    this.#actor.send({ type: 'Requested' })
  }

  /** Runs work items in sequence. */
  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const pruned = this.#working.then(work)
    this.#working = Promise.allSettled([pruned])
    return pruned
  }

  /** @returns what was announced before its base snapshot was fetched, since a later one is not here */
  async #obtain(signal: AbortSignal): Promise<Retention | undefined> {
    const { retention } = this.#views.retainedLog
    if (!retention || (await this.#hasBase(retention))) return retention
    const { others } = this.plan
    try {
      if (others) {
        await others.fetchBase(retention, signal)
        return retention
      }
    } catch (error) {
      if (!others?.decides()) throw error
    }
    // It is missing in a log from an export, and after the loss of its only server.
    return this.#renew(signal)
  }

  /** Detects an intact base snapshot. Those that pruned commits depend on were verified at the start. */
  async #hasBase(retention: Retention): Promise<boolean> {
    if (this.#log.firstIndex > 1 && (!this.plan.others || this.#proved === retention.Base)) return true
    const isHere = await this.plan.hasBase(retention)
    if (isHere) this.#proved = retention.Base
    return isHere
  }

  /** During a restore, the base snapshot ends where that began, since a restore reads from the log what clients wrote since then. */
  async #renew(signal: AbortSignal): Promise<Retention> {
    const begun = this.#views.restore.current?.begun ?? Infinity
    const Index = Math.min(this.#log.durableIndex, begun)
    const Base = await this.plan.makeBase(Index, signal)
    signal.throwIfAborted()
    const renewed = { Index, Base, LetGo: prunedIndexOf(this.#views.retainedLog.retention) }
    await this.#announce(renewed)
    await this.plan.keepBase(Index)
    return renewed
  }

  async #announce(data: Retention & RetentionCheck): Promise<void> {
    await this.#system.ask(
      inCluster(retentionEvents.topic, LOG_KEY),
      serverCommand('RetainLog', data, this.plan.now())
    )
  }

  /** Returns the index of the last prunable commit before all that legal holds cover: only whole segments at the start are pruned. */
  async #unheld(segments: readonly PrunableSegment[], index: number): Promise<number> {
    const oldest = await this.#heldCommits.oldest(index)
    const upTo =
      segments.findLast(({ last }) => last <= index && last < (oldest?.index ?? Infinity))?.last ?? 0
    const held = segments.filter(({ last }) => last <= index && last > upTo)
    this.plan.onHeld(
      held.reduce((sum, { bytes }) => sum + bytes, 0),
      oldest
    )
    return upTo
  }

  /** Returns the index of the last prunable commit that no cursor retains. */
  async #released(segments: readonly PrunableSegment[], index: number): Promise<number> {
    const limit = await this.plan.cursorLimit()
    const retained = retainedByCursors(segments, index, this.#views.cursors.list(), limit)
    this.plan.onCursorsRetaining(retained, limit)
    return retained.upTo
  }

  /** @param retention whose base snapshot is here */
  async #prune(retention: Retention): Promise<void> {
    const index = prunedIndexOf(retention)
    await this.#log.prune(index)
    await this.plan.keepBase(retention.Index)
    this.plan.onDone(index)
  }
}

/** A commit is prunable as soon as one limit allows it; 0 means no limit. */
interface RetentionLimits {
  readonly age: number
  readonly bytes: number
  readonly commits: number
  /** The last commit that may be pruned regardless of the other limits. */
  readonly index: number
}

const isLimited = ({ age, bytes, commits, index }: RetentionLimits): boolean =>
  age > 0 || bytes > 0 || commits > 0 || index > 0

const timeOf = async (log: Pick<LogReader, 'read'>, index: number): Promise<number> => {
  for await (const { Time } of log.read(index)) return parseTime(Time) ?? Infinity
  return Infinity
}

/** Finds prunable segments, oldest first. @returns the index of their last commit; 0 for none */
const findPrunable = async (
  log: Pick<LogReader, 'durableIndex' | 'read'>,
  segments: readonly PrunableSegment[],
  { limits: { age, bytes, commits, index }, now }: Pick<RetentionPlan, 'limits' | 'now'>
): Promise<number> => {
  let left = segments.reduce((sum, segment) => sum + segment.bytes, 0)
  let last = 0
  for (const segment of segments) {
    left -= segment.bytes
    const isPrunable =
      segment.last <= index ||
      (commits > 0 && segment.last <= log.durableIndex - commits) ||
      (bytes > 0 && left >= bytes) ||
      (age > 0 && (await timeOf(log, segment.last)) < now() - age)
    if (!isPrunable) break
    last = segment.last
  }
  return last
}

const PERIOD_MS = 10 * 60_000

const retentionMachine = (apply: (signal: AbortSignal) => Promise<void>) =>
  setup({
    types: { events: {} as { type: 'Requested' } },
    actors: { apply: fromPromise<void>(({ signal }) => apply(signal)) },
    delays: { period: PERIOD_MS }
  }).createMachine({
    id: 'retention',
    initial: 'applying',
    states: {
      applying: {
        invoke: { src: 'apply', onDone: 'waiting', onError: 'waiting' },
        on: { Requested: { target: 'applying', reenter: true } }
      },
      waiting: { after: { period: 'applying' }, on: { Requested: 'applying' } }
    }
  })

interface RetainingCursor {
  readonly name: string
  readonly index: number
  readonly bytes: number
}

export interface CursorRetention {
  readonly upTo: number
  /** Cursors that retain commits, including those above the limit. */
  readonly retaining: readonly RetainingCursor[]
}

/**
 * Determines the prunable segments up to an index that all cursors have passed. A cursor that would retain
 * more than `maxBytes` retains nothing. Cost: cursors times prunable segments.
 * @param segments oldest first
 * @param index of the last prunable commit
 */
export const retainedByCursors = (
  segments: readonly PrunableSegment[],
  index: number,
  cursors: readonly Pick<Cursor, 'Name' | 'Index'>[],
  maxBytes: number
): CursorRetention => {
  const prunable = segments.filter(({ last }) => last <= index)
  const retaining = cursors.flatMap(({ Name, Index }) => {
    const bytes = prunable.reduce((sum, segment) => (segment.last > Index ? sum + segment.bytes : sum), 0)
    return bytes > 0 ? [{ name: Name, index: Index, bytes }] : []
  })
  const passed = Math.min(
    index,
    ...retaining.filter(({ bytes }) => bytes <= maxBytes).map(cursor => cursor.index)
  )
  return { upTo: prunable.findLast(({ last }) => last <= passed)?.last ?? 0, retaining }
}
