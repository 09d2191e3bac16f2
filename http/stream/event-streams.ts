import { inject, Lifecycle, scoped } from 'tsyringe'
import type { Logger } from 'pino'
import { Clock, Deadlines } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { CursorLeases } from '../../actors/processes/cursor-leases.js'
import type { Commit } from '../../events/envelope.js'
import type { LogWriter } from '../../events/log/log.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { countReadableRules } from '../../projections/stream/readable-rules.js'
import { getOrCreate } from '../../projections/maps.js'
import { RecentMessages } from '../../projections/stream/recent-messages.js'
import type { Selection } from '../../projections/stream/selection.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import { Views } from '../../projections/read-models.js'
import { AccessUsage } from '../wire/access-usage.js'
import { SiblingProcesses } from '../wire/sibling-processes.js'
import { EVENT_LOG, LOGGER, SETTINGS } from '../../server/settings/ports.js'
import type { Settings } from '../../server/settings/settings.js'
import { CATCH_UP, type CatchUpSource } from './catch-up/source.js'
import { LOG_REPLACED, SHUTTING_DOWN, type StreamEnding } from './control-lines.js'
import { LiveAuthority } from './live-authority.js'
import { missingPermission, Selections } from './selections.js'
import type { StreamOpening } from './opened-stream.js'
import { type SessionHost, StreamSession } from './session.js'
import { FINAL_LINE_TIMEOUT_MS } from './delivery.js'
import type { OpenSink } from './sink.js'
import { type SnapshotHost, SnapshotScheduler } from './snapshot/send-snapshot.js'
import { StreamRegistry } from './stream-registry.js'
import { StreamDeadlines } from './stream-deadlines.js'

@scoped(Lifecycle.ContainerScoped)
export class StreamLimits {
  /** Number of recent commits in memory, shared by all streams. */
  readonly recentCommits: number = 4096
  readonly recentSize: number = 16 * 1024 * 1024
  /** Maximum bytes per write, except a single larger message. */
  readonly batchBytes: number = 64 * 1024
}

interface Pumped {
  pump(): void
}

/** Time of a pass in ms after which requests are handled. */
const SLICE_MS = 4
const CLOCK_EVERY = 16
/** Length of the rest per ms of sending. */
const REST_PER_WORK = 5

/** One pass over all streams sends all commits since the last pass, so a busier server makes fewer and larger writes. */
class FanOut {
  readonly #due = new Set<Pumped>()
  #scheduled = false
  #restsUntil = 0

  add(stream: Pumped): void {
    this.#due.add(stream)
    this.#schedule()
  }

  addAll(streams: Iterable<Pumped>): void {
    for (const stream of streams) this.#due.add(stream)
    this.#schedule()
  }

  delete(stream: Pumped): void {
    this.#due.delete(stream)
  }

  #schedule(): void {
    if (this.#scheduled || this.#due.size === 0) return
    this.#scheduled = true
    const rest = this.#restsUntil - performance.now()
    if (rest < 1) setImmediate(() => this.#run())
    else setTimeout(() => this.#run(), rest)
  }

  #run(): void {
    this.#scheduled = false
    const began = performance.now()
    let count = 0
    for (const stream of this.#due) {
      this.#due.delete(stream)
      stream.pump()
      if (++count % CLOCK_EVERY === 0 && performance.now() - began > SLICE_MS) break
    }
    const now = performance.now()
    this.#restsUntil = now + REST_PER_WORK * (now - began)
    this.#schedule()
  }
}

const KIND = 'stream-token'

/**
 * Streams only durable commits. A commit costs O(1) without open streams, and otherwise one check per selection and one write per live
 * stream.
 */
@scoped(Lifecycle.ContainerScoped)
export class EventStreams implements SessionHost<StreamSession> {
  readonly recent: RecentMessages
  readonly snapshots: SnapshotHost
  readonly heartbeatMs: number
  readonly #mostPerAddress: number
  readonly #selections: Selections
  readonly #fanOut = new FanOut()
  readonly #sessions = new Set<StreamSession>()
  readonly #byAddress = new Map<string, number>()
  readonly #authorities = new Map<string | undefined, LiveAuthority>()
  readonly #expiring = new Set<string>()
  /** Undefined without streams: nothing is retained then, and a new stream reads from the log. */
  #stopListening: (() => void) | undefined
  #closed = false

  constructor(
    @inject(EVENT_LOG) private readonly log: LogWriter,
    @inject(SETTINGS) { stream }: Settings,
    @inject(LOGGER) private readonly logger: Logger,
    @inject(CATCH_UP) readonly catchUp: CatchUpSource,
    limits: StreamLimits,
    private readonly committer: Committer,
    private readonly views: Views,
    private readonly clock: Clock,
    private readonly deadlines: Deadlines,
    readonly leases: CursorLeases,
    private readonly registry: StreamRegistry,
    private readonly streamDeadlines: StreamDeadlines,
    private readonly siblings: SiblingProcesses,
    private readonly usage: AccessUsage
  ) {
    this.heartbeatMs = stream.heartbeat
    this.#mostPerAddress = stream.max_connections_per_address
    this.recent = new RecentMessages(log.durableIndex, {
      commits: limits.recentCommits,
      size: limits.recentSize
    })
    this.snapshots = {
      views,
      scheduler: new SnapshotScheduler(stream.snapshot_share),
      pieceBytes: limits.batchBytes,
      newest: () => this.recent.newest,
      readable: () => committer.readable()
    }
    this.#selections = new Selections(this.recent, limits.batchBytes)
    committer.signals.on('rebuilt', () => this.recent.forgetExpected())
    committer.signals.on('swapped', () => {
      this.#end(LOG_REPLACED).catch((error: unknown) => this.onFault(error))
    })
    deadlines.on(KIND, accessors => this.#expired(accessors))
  }

  get size(): number {
    return this.#sessions.size
  }

  get behind(): number {
    return [...this.#sessions].filter(({ isBehind }) => isBehind).length
  }

  /** Number of commits by which the slowest stream is behind. */
  get lag(): number {
    let lag = 0
    for (const session of this.#sessions) lag = Math.max(lag, this.recent.newest + 1 - session.next)
    return lag
  }

  forget(): void {
    this.recent.forget()
  }

  isFull(address: string): boolean {
    if (this.#mostPerAddress === 0) return false
    const count = (this.#byAddress.get(address) ?? 0) + this.siblings.from('streams', address)
    return count >= this.#mostPerAddress
  }

  open(opening: StreamOpening, authority: Authority, openSink: OpenSink): StreamSession {
    this.#stopListening ??= this.#listen()
    const live = this.#authorityOf(opening.secret)
    const selection = this.#selections.acquire(opening.subscription, authority.authorizer)
    countReadableRules(authority.authorizer, opening.subscription, this.usage.countFor(authority))
    const session = new StreamSession(this, opening, live, selection, openSink)
    this.registry.note(authority.token?.token.AccessorID ?? '', session)
    this.#sessions.add(session)
    this.#count(opening.address, 1)
    this.#scheduleEnd(authority)
    if (opening.end?.time !== undefined) this.streamDeadlines.add(session, opening.end.time)
    if (this.#closed) session.end(SHUTTING_DOWN)
    else if (
      this.views.resolver.resolve(opening.secret, this.clock.now())?.authorizer !== authority.authorizer
    )
      // The permissions have changed since the caller checked them.
      live.recheck()
    return session
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#end(SHUTTING_DOWN)
  }

  async #end(ending: StreamEnding): Promise<void> {
    const sessions = [...this.#sessions]
    for (const session of sessions) session.end(ending)
    setTimeout(() => {
      for (const session of sessions) session.destroy()
    }, FINAL_LINE_TIMEOUT_MS).unref()
    await this.catchUp.close()
  }

  select(subscription: Subscription, authority: Authority): Selection | undefined {
    const { authorizer } = authority
    if (missingPermission(subscription, authorizer)) return undefined
    this.#scheduleEnd(authority)
    return this.#selections.acquire(subscription, authorizer)
  }

  unselect(selection: Selection): void {
    this.#selections.release(selection)
  }

  due(session: StreamSession): void {
    this.#fanOut.add(session)
  }

  onEnd(session: StreamSession): void {
    this.#sessions.delete(session)
    this.#fanOut.delete(session)
    if (this.#sessions.size === 0) {
      this.#stopListening?.()
      this.#stopListening = undefined
    }
    const { address, secret, end } = session.opening
    if (end?.time !== undefined) this.streamDeadlines.forget(session, end.time)
    this.registry.ended(session)
    this.#count(address, -1)
    if (session.authority.listeners.size > 0) return
    session.authority.close()
    this.#authorities.delete(secret)
  }

  #count(address: string, by: number): void {
    const count = (this.#byAddress.get(address) ?? 0) + by
    if (count > 0) this.#byAddress.set(address, count)
    else this.#byAddress.delete(address)
    if (this.#mostPerAddress > 0) this.siblings.tell({ what: 'streams', address, count })
  }

  onFault(error: unknown): void {
    this.logger.error({ err: error }, 'an event stream failed')
  }

  /** Follows the log while there are streams. Returns a function that ends that. */
  #listen(): () => void {
    const { signals } = this.committer
    const expect = (commit: Commit): void => this.recent.expect(commit)
    signals.on('applied', expect)
    const stopAdvancing = this.log.onDurable(durable => {
      this.recent.advance(durable)
      this.#fanOut.addAll(this.#sessions)
    })
    this.recent.advance(this.log.durableIndex)
    return () => {
      signals.off('applied', expect)
      stopAdvancing()
    }
  }

  #authorityOf(secret: string | undefined): LiveAuthority {
    const now = (): number => this.clock.now()
    return getOrCreate(
      this.#authorities,
      secret,
      () => new LiveAuthority(secret, this.views, this.committer, now)
    )
  }

  #scheduleEnd({ token }: Authority): void {
    if (!token || token.expiresAt === Infinity || this.#expiring.has(token.token.AccessorID)) return
    this.#expiring.add(token.token.AccessorID)
    this.deadlines.at(token.expiresAt, KIND, token.token.AccessorID)
  }

  #expired(accessors: readonly string[]): void {
    for (const accessor of accessors) {
      this.#expiring.delete(accessor)
      const row = this.views.tokens.get(accessor)
      if (row) this.#authorities.get(row.secret)?.recheck()
    }
  }
}
