// Lets go of the oldest commits of the log, as far as its limits say: first their base is made and proved,
// then a commit tells of it, and only then they go. It can end anywhere: what is left to be done is found out
// anew.
import { type ActorOptions, type ActorRefFrom, createActor, fromPromise, setup } from 'xstate'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { EventLog, PrunableSegment } from '../../events/log/log.js'
import { prunedIndexOf, LOG_TOPIC, LOG_KEY, type Retention } from '../../events/retention.js'
import { parseTime } from '../../events/time.js'
import type { Views } from '../../projections/read-models.js'
import { SERVER } from '../command.js'
import { inCluster } from '../ref.js'
import type { ActorSystem } from '../system.js'
import type { PeerServers } from './peer-servers.js'
import { type CursorRetention, retainedByCursors } from './cursor-retention.js'

type Machine = ReturnType<typeof retentionMachine>

interface RetentionPlan {
  readonly limits: RetentionLimits
  /** Bytes of commits that may go which a cursor can keep, as they are now. */
  readonly mostHeld: () => Promise<number>
  /** Told at each look what cursors keep, and how much each could. */
  readonly onHold: (hold: CursorRetention, most: number) => void
  /** Makes and proves the base of the commits up to an index, and answers with its digest. */
  readonly makeBase: (index: number, signal: AbortSignal) => Promise<string>
  /** Whether the base that the log tells of is there as it was made. */
  readonly hasBase: (retention: Retention) => Promise<boolean>
  /** Of a server of a cluster. */
  readonly others?: PeerServers
  /** Removes the bases but one. */
  readonly keepBase: (index: number) => Promise<void>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly onDone: (index: number) => void
  /** Told why nothing could be let go. It is tried again. */
  readonly onFailure: (error: unknown) => void
}

export class LogRetention {
  readonly #log: EventLog
  readonly #views: Views
  readonly #system: ActorSystem
  readonly #actor: ActorRefFrom<Machine>
  readonly #ending = new AbortController()
  /** Digest of the newest base that was found to be here. */
  #proved = ''
  /** One base is made at a time. */
  #working: Promise<unknown> = Promise.resolve()

  /** @param options `clock`, for tests */
  constructor(
    { log, views, system }: { readonly log: EventLog; readonly views: Views; readonly system: ActorSystem },
    private readonly plan: RetentionPlan,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    this.#log = log
    this.#views = views
    this.#system = system
    this.#actor = createActor(
      retentionMachine(signal => this.#next(() => this.#apply(signal))),
      options
    )
    this.#actor.start()
  }

  /** Ends the process, and the base that is being made. */
  stop(): void {
    this.#actor.stop()
    this.#ending.abort()
  }

  async #apply(signal: AbortSignal): Promise<void> {
    try {
      const { others } = this.plan
      if (others && !others.decides()) return await this.#followAnnounced(others, signal)
      const told = this.#views.retainedLog.retention
      // A log that was made of an export has none, and neither has a server that led no more before others had it.
      if (told && !(await this.#has(told))) await this.#renew(signal)
      const { retention } = this.#views.retainedLog
      const done = prunedIndexOf(retention)
      if (this.#log.firstIndex <= done) await this.#letGo(done)
      // What clients wrote since a restore began is read from the log.
      if (!isLimited(this.plan.limits) || this.#views.restore.current) return
      const pieces = await this.#log.prunableSegments()
      const index = await this.#released(pieces, await dispensable(this.#log, pieces, this.plan))
      if (index <= done) return
      // Made for an erasure, it stands for commits that were kept.
      if (retention && retention.Index >= index) await this.#tell({ ...retention, LetGo: index })
      else {
        const Base = await this.plan.makeBase(index, signal)
        if (signal.aborted) return
        await this.#tell({ Index: index, Base })
      }
      await this.#letGo(index)
    } catch (error) {
      if (!signal.aborted) this.plan.onFailure(error)
      throw error
    }
  }

  /**
   * Makes a base of all that is durable now, in place of the one before, so that what was erased before need not be replayed. Nothing is let
   * go for it.
   * @returns its index
   */
  renewBase(): Promise<number> {
    return this.#next(() => this.#renew(this.#ending.signal))
  }

  /**
   * Of a server that does not decide: has the base here that the newest commit about that tells of.
   * @returns its index; 0 when there is none
   */
  fetchAnnouncedBase(others: PeerServers): Promise<number> {
    return this.#next(() => this.#fetchAnnounced(others, this.#ending.signal))
  }

  /** Looks at once, and not only when it is time. */
  look(): void {
    this.#actor.send({ type: 'Told' })
  }

  /** One after another. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work)
    this.#working = Promise.allSettled([done])
    return done
  }

  /** Lets go of what the one that decides has let go. */
  async #followAnnounced(others: PeerServers, signal: AbortSignal): Promise<void> {
    if ((await this.#fetchAnnounced(others, signal)) === 0) return
    const done = prunedIndexOf(this.#views.retainedLog.retention)
    if (this.#log.firstIndex <= done) await this.#letGo(done)
  }

  async #fetchAnnounced({ fetchBase }: PeerServers, signal: AbortSignal): Promise<number> {
    const { retention } = this.#views.retainedLog
    if (!retention) return 0
    if (!(await this.#has(retention))) await fetchBase(retention, signal)
    return retention.Index
  }

  /** Whether a base is here as it was made. One that commits were let go for was proved by the start, or is looked at once. */
  async #has(retention: Retention): Promise<boolean> {
    if (this.#log.firstIndex > 1 && (!this.plan.others || this.#proved === retention.Base)) return true
    const isHere = await this.plan.hasBase(retention)
    if (isHere) this.#proved = retention.Base
    return isHere
  }

  async #renew(signal: AbortSignal): Promise<number> {
    const Index = this.#log.durableIndex
    const Base = await this.plan.makeBase(Index, signal)
    signal.throwIfAborted()
    await this.#tell({ Index, Base, LetGo: prunedIndexOf(this.#views.retainedLog.retention) })
    await this.plan.keepBase(Index)
    return Index
  }

  async #tell(data: Retention): Promise<void> {
    const command = {
      name: 'RetainLog' as const,
      tenancy: DEFAULT_TENANCY,
      caller: SERVER,
      at: this.plan.now(),
      data
    }
    await this.#system.ask(inCluster(LOG_TOPIC, LOG_KEY), command)
  }

  /** Index of the last of the commits that may go which no cursor keeps. */
  async #released(pieces: readonly PrunableSegment[], index: number): Promise<number> {
    const most = await this.plan.mostHeld()
    const hold = retainedByCursors(pieces, index, this.#views.cursors.list(), most)
    this.plan.onHold(hold, most)
    return hold.upTo
  }

  async #letGo(index: number): Promise<void> {
    await this.#log.prune(index)
    await this.plan.keepBase(this.#views.retainedLog.retention?.Index ?? index)
    this.plan.onDone(index)
  }
}

// How much of a log is kept, and what may go.

/** A commit goes as soon as one of them lets it; 0 stands for no limit. */
interface RetentionLimits {
  /** Milliseconds. */
  readonly age: number
  readonly bytes: number
  readonly commits: number
  /** The last commit that need not be kept, whatever the other limits say. */
  readonly index: number
}

const isLimited = ({ age, bytes, commits, index }: RetentionLimits): boolean =>
  age > 0 || bytes > 0 || commits > 0 || index > 0

const timeOf = async (log: Pick<EventLog, 'read'>, index: number): Promise<number> => {
  for await (const { Time } of log.read(index)) return parseTime(Time) ?? Infinity
  return Infinity
}

/**
 * The commits that may go, in whole pieces of the log, the oldest first.
 * @returns index of the last of them; 0 for none
 */
const dispensable = async (
  log: Pick<EventLog, 'durableIndex' | 'read'>,
  pieces: readonly PrunableSegment[],
  { limits: { age, bytes, commits, index }, now }: Pick<RetentionPlan, 'limits' | 'now'>
): Promise<number> => {
  let left = pieces.reduce((sum, piece) => sum + piece.bytes, 0)
  let last = 0
  for (const piece of pieces) {
    left -= piece.bytes
    const isBeyond =
      piece.last <= index ||
      (commits > 0 && piece.last <= log.durableIndex - commits) ||
      (bytes > 0 && left >= bytes) ||
      (age > 0 && (await timeOf(log, piece.last)) < now() - age)
    if (!isBeyond) break
    last = piece.last
  }
  return last
}

// The process that lets go of the oldest commits.

/** How often is looked what may go, also after a failure, in milliseconds. */
const PERIOD_MS = 10 * 60_000

/** States: `applying` (a look, and what follows from it), `waiting`. */
const retentionMachine = (apply: (signal: AbortSignal) => Promise<void>) =>
  setup({
    types: { events: {} as { type: 'Told' } },
    actors: { apply: fromPromise<void>(({ signal }) => apply(signal)) },
    delays: { period: PERIOD_MS }
  }).createMachine({
    id: 'retention',
    initial: 'applying',
    states: {
      applying: {
        invoke: { src: 'apply', onDone: 'waiting', onError: 'waiting' },
        on: { Told: { target: 'applying', reenter: true } }
      },
      waiting: { after: { period: 'applying' }, on: { Told: 'applying' } }
    }
  })
