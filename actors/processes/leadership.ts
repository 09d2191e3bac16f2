// Makes a server of a cluster follow its log, lead when nobody does, and follow again: what the machine says, done.
import { EventEmitter } from 'eventemitter3'
import { type ActorOptions, type ActorRefFrom, createActor } from 'xstate'
import { verifySharedLog } from '../../events/log/cluster/log-follower.js'
import { LogUnusable } from '../../events/log/log.js'
import { type Leader, SharedMismatch, type Term } from '../../events/log/cluster/shared-log.js'
import { leadershipMachine, type LeaderObservation } from './leadership-machine.js'
import type { LeadershipDependencies, LeadershipState } from './leadership-dependencies.js'
import { MONITOR_INTERVAL_MS, monitorCluster } from './cluster-monitor.js'
import { hasCeded, isSucceeded, type LeadershipSignals } from './leadership-handover.js'

type Machine = ReturnType<typeof leadershipMachine>

/** A leader answers reads no longer than this before its lease ends, in ms: another clock may be that much faster. */
const LEASE_MARGIN_MS = 200
/** How long a server that has led leaves it to others, in milliseconds. */
const REST_MS = 1000
/** How long an orderly end waits for what is being written before others may lead, in milliseconds. */
const LAST_WRITES_MS = 300

export class Leadership {
  readonly signals = new EventEmitter<LeadershipSignals>()
  readonly #actor: ActorRefFrom<Machine>
  /** One at a time takes what is shared. */
  #following: Promise<unknown> = Promise.resolve()
  #term: Term | undefined
  #isDeciding = false
  /** Whether everything runs that a leader does. */
  #isReady = false
  #isLeaving = false
  #restsUntil = -Infinity
  #state: LeadershipState = 'starting'
  #fault: unknown

  /** @param options `clock`, for tests */
  constructor(
    private readonly parts: LeadershipDependencies,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    const { seat, clock, maxStale, sightings, link } = parts
    const machine = leadershipMachine(
      {
        join: signal => this.#join(signal),
        follow: signal => this.#follow(signal),
        watch: report => this.#watch(report),
        campaign: () => this.#campaign(),
        catchUp: signal => this.#catchUp(signal),
        settle: () => this.#settle(),
        lead: () => this.#lead(),
        cede: () => this.#cede()
      },
      {
        mayLead: () => this.#mayLead(),
        isFinal: error => error instanceof SharedMismatch || error instanceof LogUnusable
      },
      {
        // What is cut off stays so until it is well below: who is that much behind all the time would be either in turn.
        untilCut: () => Math.max(maxStale / (this.#state === 'cut' ? 2 : 1) - sightings.age, 0),
        untilOver: () => Math.max(seat.validUntil - clock.elapsed(), 0)
      }
    )
    this.#actor = createActor(machine, { clock: parts.timers, ...options })
    this.#actor.subscribe(({ value }) => this.#note(stateOf(value)))
    seat.onLost(() => this.#actor.send({ type: 'Lost' }))
    link.onDeposed(() => this.#actor.send({ type: 'Failed' }))
    sightings.onLeader(() => this.signals.emit('changed'))
    this.#actor.start()
  }

  /** Takes part from now on: the read models are made of the log. */
  start(): void {
    this.#actor.send({ type: 'Replayed' })
  }

  get state(): LeadershipState {
    return this.#state
  }

  /** Whether this server decides. */
  get isDeciding(): boolean {
    return this.#isDeciding
  }

  /** Whether this server leads, and has begun everything that a leader does. */
  get isLeading(): boolean {
    return this.#isReady
  }

  /** The time of this server as the leader; undefined while it is not. */
  get term(): Term | undefined {
    return this.#isDeciding ? this.#term : undefined
  }

  /** Whether nobody else can lead yet, so that nothing newer than what is shown here was acknowledged. */
  get isLeadingForCertain(): boolean {
    const { clock, seat, committer } = this.parts
    return this.#isReady && committer.isReadable && clock.elapsed() < seat.validUntil - LEASE_MARGIN_MS
  }

  /** Who leads; undefined while nobody does, or nobody can be asked. */
  get leader(): Pick<Leader, 'id' | 'address' | 'epoch'> | undefined {
    const { sightings, id, maxStale } = this.parts
    const { leader } = sightings
    if (this.#isReady || !leader) return leader
    // One that is broken never sees again who leads.
    const isBlind = this.#state === 'cut' || this.#state === 'broken'
    return leader.id === id || isBlind || sightings.age > maxStale ? undefined : leader
  }

  /** Has another server lead, if this one does. */
  resign(): void {
    this.#actor.send({ type: 'Resigned' })
  }

  /**
   * Takes part no more: another server leads as soon as what is being written is settled.
   * @param hasOthers whether there is another server that can
   */
  async leave(hasOthers = false): Promise<void> {
    const { id, timers } = this.parts
    const hasLed = this.#isDeciding
    this.#isLeaving = true
    // While it still decides: what they have in hand is committed.
    this.parts.processes.end()
    this.resign()
    await hasCeded(this)
    if (hasLed && hasOthers) await isSucceeded(this, id, timers)
    this.#actor.stop()
    await this.#following.catch(() => {})
    await this.parts.seat.leave()
  }

  #note(state: LeadershipState): void {
    if (state === this.#state) return
    this.#state = state
    if (state === 'broken') this.parts.link.follow()
    this.parts.onState(state, this.#fault)
    this.signals.emit('changed')
    // Elected while it was leaving.
    if (this.#isLeaving && state === 'leading') this.resign()
  }

  #mayLead(): boolean {
    const { clock, seat, committer } = this.parts
    const now = clock.elapsed()
    const canCampaign = now >= this.#restsUntil && now < seat.validUntil
    return !this.#isLeaving && canCampaign && committer.isWritable
  }

  async #join(signal: AbortSignal): Promise<void> {
    try {
      await this.#told(async () => {
        const { seat, log, shared, admit } = this.parts
        await admit()
        await seat.join()
        await this.#followUntil(await verifySharedLog(log, shared), signal)
      })
    } catch (error) {
      this.parts.onJoinFailed(error)
      throw error
    }
  }

  #follow(signal: AbortSignal): Promise<unknown> {
    const before = this.#following
    const following = this.#told(async () => {
      await before.catch(() => {})
      if (!signal.aborted) await this.parts.follow(signal)
    })
    this.#following = following.catch(() => {})
    return following
  }

  /** Follows until the log holds a commit. */
  async #followUntil(index: number, signal: AbortSignal): Promise<void> {
    const { log } = this.parts
    if (log.durableIndex >= index) return
    const enough = new AbortController()
    const stop = log.onDurable(() => {
      if (log.durableIndex >= index) enough.abort()
    })
    try {
      await this.#follow(AbortSignal.any([signal, enough.signal]))
    } finally {
      stop()
    }
    signal.throwIfAborted()
  }

  #watch(onSight: (sight: LeaderObservation) => void): () => void {
    return monitorCluster(this.parts, {
      onSight,
      onContradicted: error => {
        this.#fault = error
        this.#actor.send({ type: 'Contradicted' })
      }
    })
  }

  async #campaign(): Promise<boolean> {
    const { clock, seat } = this.parts
    try {
      this.#term = await seat.campaign()
      return this.#term !== undefined
    } catch (error) {
      this.#restsUntil = clock.elapsed() + MONITOR_INTERVAL_MS
      throw error
    }
  }

  #catchUp(signal: AbortSignal): Promise<void> {
    return this.#told(async () => {
      const { log, shared, committer } = this.parts
      await this.#following
      // From the election on nobody else appends.
      await this.#followUntil(await verifySharedLog(log, shared), signal)
      await verifySharedLog(log, shared)
      await committer.writable()
      signal.throwIfAborted()
    })
  }

  #lead(): void {
    const { link } = this.parts
    if (this.#term === undefined) return
    link.lead(this.#term)
    this.#isDeciding = true
    void this.#begin(this.#term)
  }

  /** Leads when everything runs that a leader does. */
  async #begin(term: Term): Promise<void> {
    try {
      await this.parts.processes.begin()
      if (this.term !== term) return
      this.#isReady = true
      this.signals.emit('changed')
    } catch (error) {
      this.#fault = error
      this.resign()
    }
  }

  #cede(): void {
    this.#isDeciding = false
    this.#isReady = false
    this.parts.processes.end()
  }

  /** An end that is orderly has nothing refuted: others may lead only when what is being written is in. */
  #settle(): Promise<void> {
    return this.#told(async () => {
      const { clock, log, link, seat, committer, sightings, timers, id } = this.parts
      this.#restsUntil = clock.elapsed() + REST_MS
      const settled = log.settled()
      // What was decided and waits for its turn is still appended for the term.
      await Promise.race([settled, new Promise<void>(resolve => timers.setTimeout(resolve, LAST_WRITES_MS))])
      link.follow()
      const term = this.#term ?? (sightings.leader?.id === id ? sightings.leader : undefined)
      this.#term = undefined
      if (term) await seat.resign(term)
      await settled
      await committer.readable()
    })
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#fault = error
      throw error
    }
  }
}

const stateOf = (value: ReturnType<ActorRefFrom<Machine>['getSnapshot']>['value']): LeadershipState => {
  if (typeof value === 'string') return value === 'rejoining' ? 'joining' : value
  if ('leading' in value) return 'leading'
  return value.following === 'current' ? 'following' : value.following
}
