// Runs the leadership machine: the server follows the shared log, leads, and follows again.
import { EventEmitter } from 'eventemitter3'
import { type ActorOptions, type ActorRefFrom, createActor } from 'xstate'
import { verifySharedLog } from '../../events/log/cluster/log-follower.js'
import { LogUnusable } from '../../events/log/log.js'
import { type Leader, SharedMismatch, type Term } from '../../events/log/cluster/shared-log.js'
import { leadershipMachine, type LeaderObservation } from './leadership-machine.js'
import type { LeadershipDependencies, LeadershipState } from './leadership-dependencies.js'
import { hasCeded, isSucceeded, type LeadershipSignals } from './leadership-handover.js'
import { repeat } from '../clock.js'

type Machine = ReturnType<typeof leadershipMachine>

const MONITOR_INTERVAL_MS = 200
/** While there is a leader: a follower watches its changes, and a leader has its lease. */
const LED_INTERVAL_MS = 900
/** A leader stops answering reads this long before its lease ends: another clock may run faster. */
const LEASE_MARGIN_MS = 200
const REST_MS = 1000
/** Time for pending writes before an orderly resignation, ms. */
const LAST_WRITES_MS = 300

export class Leadership {
  readonly signals = new EventEmitter<LeadershipSignals>()
  readonly #actor: ActorRefFrom<Machine>
  #following: Promise<unknown> = Promise.resolve()
  #term: Term | undefined
  #isDeciding = false
  #isReady = false
  #isLeaving = false
  #restsUntil = -Infinity
  #state: LeadershipState = 'starting'
  #fault: unknown

  constructor(
    private readonly dependencies: LeadershipDependencies,
    options: Pick<ActorOptions<Machine>, 'clock'> = {}
  ) {
    const { membership, clock, maxStale, clusterObservation, link } = dependencies
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
        // A server stays cut off until its state is much fresher, so that it does not alternate.
        untilCut: () => Math.max(maxStale / (this.#state === 'cut' ? 2 : 1) - clusterObservation.age, 0),
        untilOver: () => Math.max(membership.validUntil - clock.elapsed(), 0)
      }
    )
    this.#actor = createActor(machine, { clock: dependencies.timers, ...options })
    this.#actor.subscribe(({ value }) => this.#note(stateOf(value)))
    membership.onLost(() => this.#actor.send({ type: 'Lost' }))
    link.onDeposed(() => this.#actor.send({ type: 'Failed' }))
    clusterObservation.onLeader(() => this.signals.emit('changed'))
    this.#actor.start()
  }

  /** Joins the cluster, after the read models are rebuilt from the log. */
  start(): void {
    this.#actor.send({ type: 'Replayed' })
  }

  get state(): LeadershipState {
    return this.#state
  }

  get isDeciding(): boolean {
    return this.#isDeciding
  }

  /** True when this server leads and its processes have started. */
  get isLeading(): boolean {
    return this.#isReady
  }

  /** The term of this server; undefined while it does not lead. */
  get term(): Term | undefined {
    return this.#isDeciding ? this.#term : undefined
  }

  /** True while no other server can lead, so that this server's state contains every acknowledged write. */
  get isLeadingForCertain(): boolean {
    const { clock, membership, committer } = this.dependencies
    return this.#isReady && committer.isReadable && clock.elapsed() < membership.validUntil - LEASE_MARGIN_MS
  }

  /** The leader; undefined without one, or while it is unknown. */
  get leader(): Pick<Leader, 'id' | 'address' | 'epoch'> | undefined {
    const { clusterObservation, id, maxStale } = this.dependencies
    const { leader } = clusterObservation
    if (this.#isReady || !leader) return leader
    // A broken server never observes the leader again.
    const isBlind = this.#state === 'cut' || this.#state === 'broken'
    return leader.id === id || isBlind || clusterObservation.age > maxStale ? undefined : leader
  }

  resign(): void {
    this.#actor.send({ type: 'Resigned' })
  }

  /** Leaves the cluster after the pending writes. @param hasOthers resolves to true when another server can lead */
  async leave(hasOthers: () => Promise<boolean>): Promise<void> {
    const { id, timers } = this.dependencies
    const hasLed = this.#isDeciding
    this.#isLeaving = true
    // Stopped while this server still decides, so that the processes can commit their pending work.
    this.dependencies.processes.end()
    this.resign()
    await hasCeded(this)
    if (hasLed && (await hasOthers())) await isSucceeded(this, id, timers)
    this.#actor.stop()
    await this.#following.catch(() => {})
    await this.dependencies.membership.leave()
  }

  #note(state: LeadershipState): void {
    if (state === this.#state) return
    this.#state = state
    if (state === 'broken') this.dependencies.link.follow()
    this.dependencies.onState(state, this.#fault)
    this.signals.emit('changed')
    // Elected while leaving.
    if (this.#isLeaving && state === 'leading') this.resign()
  }

  #mayLead(): boolean {
    const { clock, membership, committer } = this.dependencies
    const now = clock.elapsed()
    const canCampaign = now >= this.#restsUntil && now < membership.validUntil
    return !this.#isLeaving && canCampaign && committer.isWritable
  }

  async #join(signal: AbortSignal): Promise<void> {
    try {
      await this.#recordFault(async () => {
        const { membership, log, shared, admit } = this.dependencies
        await admit()
        await membership.join()
        await this.#followUntil((await verifySharedLog(log, shared)).head.index, signal)
      })
    } catch (error) {
      this.dependencies.onJoinFailed(error)
      throw error
    }
  }

  #follow(signal: AbortSignal): Promise<unknown> {
    const before = this.#following
    const following = this.#recordFault(async () => {
      await before.catch(() => {})
      if (!signal.aborted) await this.dependencies.follow(signal)
    })
    this.#following = following.catch(() => {})
    return following
  }

  /** Follows the shared log until a commit is durable. */
  async #followUntil(index: number, signal: AbortSignal): Promise<void> {
    const { log } = this.dependencies
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

  /** Observes the leader, this server's lag and the consistency of its log with the shared one. */
  #watch(onObserved: (observation: LeaderObservation) => void): () => void {
    const { clusterObservation, clock, timers, id, log, shared, isFit } = this.dependencies
    let observed: { readonly nonce: string | undefined; readonly at: number } | undefined
    const stop = clusterObservation.onRead(({ leader }) => {
      const at = clock.elapsed()
      // Default reads of a follower read the shared state far more often.
      const isRepeated =
        leader?.nonce === observed?.nonce && at - (observed?.at ?? -Infinity) < MONITOR_INTERVAL_MS
      if (leader && isRepeated) return
      observed = { nonce: leader?.nonce, at }
      onObserved({
        leader: leader === undefined ? 'none' : leader.id === id ? 'itself' : 'another',
        isBehind: clusterObservation.isBehind,
        isFit: isFit()
      })
    })
    let checkedAt = -Infinity
    const tick = (): void => {
      const now = clock.elapsed()
      if (clusterObservation.leader && now - checkedAt < LED_INTERVAL_MS) return
      checkedAt = now
      verifySharedLog(log, shared).catch(error => {
        if (!(error instanceof SharedMismatch)) return
        this.#fault = error
        this.#actor.send({ type: 'Contradicted' })
      })
    }
    const stopChecking = repeat(timers, MONITOR_INTERVAL_MS, tick)
    tick()
    return () => {
      stop()
      stopChecking()
    }
  }

  async #campaign(): Promise<boolean> {
    const { clock, membership } = this.dependencies
    try {
      this.#term = await membership.campaign()
      return this.#term !== undefined
    } catch (error) {
      this.#restsUntil = clock.elapsed() + MONITOR_INTERVAL_MS
      throw error
    }
  }

  #catchUp(signal: AbortSignal): Promise<void> {
    return this.#recordFault(async () => {
      const { log, shared, committer } = this.dependencies
      await this.#following
      // While the term lasts, no other server appends.
      await this.#followUntil((await verifySharedLog(log, shared)).head.index, signal)
      const { leader } = await verifySharedLog(log, shared)
      // If it ended meanwhile, the log may hold commits of the next one, behind which no append of this one can be settled.
      if (leader?.nonce !== this.#term?.nonce) throw new Error('the term ended before this server led')
      await committer.writable()
      signal.throwIfAborted()
    })
  }

  #lead(): void {
    const { link } = this.dependencies
    if (this.#term === undefined) return
    link.lead(this.#term)
    this.#isDeciding = true
    void this.#begin(this.#term)
  }

  async #begin(term: Term): Promise<void> {
    try {
      await this.dependencies.processes.begin()
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
    this.dependencies.processes.end()
  }

  /** An orderly resignation waits until pending writes are stored, so that none is refused. */
  #settle(): Promise<void> {
    return this.#recordFault(async () => {
      const { clock, log, link, membership, committer, clusterObservation, timers, id } = this.dependencies
      this.#restsUntil = clock.elapsed() + REST_MS
      const settled = log.settled()
      // Queued decisions are still appended for the term.
      await Promise.race([settled, new Promise<void>(resolve => timers.setTimeout(resolve, LAST_WRITES_MS))])
      link.follow()
      const term =
        this.#term ?? (clusterObservation.leader?.id === id ? clusterObservation.leader : undefined)
      this.#term = undefined
      if (term) await membership.resign(term)
      await settled
      await committer.readable()
    })
  }

  async #recordFault<T>(work: () => Promise<T>): Promise<T> {
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
