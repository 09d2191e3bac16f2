// Registers a server with its cluster, announces its state, and registers again after a loss.
import { EventEmitter } from 'eventemitter3'
import type { Member, Membership, SharedLog, Term } from '../../events/log/cluster/shared-log.js'
import { JoinRefused, SharedUnreachable } from '../../events/log/cluster/shared-log.js'
import type { Timers } from '../clock.js'

/** Interval at which a growing log is announced, ms. */
const CHECK_INTERVAL_MS = 1000
/** Number of intervals after which an unchanged state is announced. */
const MAX_SILENT_CHECKS = 5
const RETRY_MS = 500

/** The part of an announcement whose changes the other members need soon. */
const factsOf = ({ flushed, unreachable, canLead }: Member): string =>
  JSON.stringify([flushed, unreachable, canLead])

export class MembershipKeeper {
  readonly #signals = new EventEmitter<{ lost: [] }>()
  #membership: Membership | undefined
  #joining: Promise<void> | undefined
  #timer: string | undefined
  /** The facts of the last announcement, and the intervals since then. */
  #announced = { facts: '', checks: 0 }
  #hasLeft = false

  constructor(
    private readonly shared: Pick<SharedLog, 'join'>,
    private readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>,
    private readonly self: () => Member
  ) {}

  /** Time until which the membership is certain, by `Clock.elapsed`; -Infinity without one. */
  get validUntil(): number {
    return this.#membership?.validUntil ?? -Infinity
  }

  onLost(listener: () => void): void {
    this.#signals.on('lost', listener)
  }

  /** Registers the server, and registers it again after each loss. @throws JoinRefused; SharedUnreachable */
  async join(): Promise<void> {
    if (this.#membership) return
    this.#joining ??= this.#joinOnce().finally(() => (this.#joining = undefined))
    await this.#joining
  }

  async #joinOnce(): Promise<void> {
    const membership = await this.shared.join()
    if (this.#hasLeft) return membership.close()
    this.#membership = membership
    membership.onLost(() => this.#lost(membership))
    // Also after a failed announcement.
    this.#announceLater()
    try {
      await this.#announce(membership)
    } catch (error) {
      if (!(error instanceof JoinRefused)) throw error
      this.#membership = undefined
      await membership.close()
      throw error
    }
  }

  #announceLater(): void {
    if (this.#timer !== undefined) this.timers.clearTimeout(this.#timer)
    this.#timer = this.timers.setTimeout(() => {
      this.#check()
      this.#announceLater()
    }, CHECK_INTERVAL_MS)
  }

  /** Announces a changed state at once and an unchanged one rarely. Failed announcements are repeated. */
  #check(): void {
    this.#announced.checks++
    if (factsOf(this.self()) !== this.#announced.facts || this.#announced.checks >= MAX_SILENT_CHECKS)
      if (this.#membership) this.#announce(this.#membership).catch(() => {})
  }

  #announce(membership: Membership): Promise<void> {
    const self = this.self()
    this.#announced = { facts: factsOf(self), checks: 0 }
    return membership.announce(self)
  }

  /** @throws SharedUnreachable also without a membership */
  async campaign(): Promise<Term | undefined> {
    if (!this.#membership) throw new SharedUnreachable('this server is no member of the cluster now')
    return this.#membership.campaign(this.self())
  }

  /** Resigns. After a failure, other servers wait for the end of the lease. */
  async resign(term: Term): Promise<void> {
    await this.#membership?.resign(term).catch(() => {})
  }

  async leave(): Promise<void> {
    this.#hasLeft = true
    if (this.#timer !== undefined) this.timers.clearTimeout(this.#timer)
    await this.#joining?.catch(() => {})
    await this.#membership?.close().catch(() => {})
  }

  #lost(membership: Membership): void {
    if (membership !== this.#membership) return
    this.#membership = undefined
    this.#signals.emit('lost')
    this.#rejoin()
  }

  #rejoin(): void {
    if (this.#hasLeft) return
    this.join().catch(() => this.timers.setTimeout(() => this.#rejoin(), RETRY_MS))
  }
}
