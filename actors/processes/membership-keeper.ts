// A server's place among the members of its cluster: taken, announced, and taken again when it was lost.
import type { Member, Membership, SharedLog, Term } from '../../events/log/cluster/shared-log.js'
import { JoinRefused, SharedUnreachable } from '../../events/log/cluster/shared-log.js'
import type { Timers } from '../timers.js'

/** How often a server tells the others what it is and holds: while its log grows, in milliseconds, … */
const LOOK_EVERY_MS = 1000
/** … and otherwise once in so many looks. */
const MOST_LOOKS = 5
/** How long after a failure it is tried again, in milliseconds. */
const RETRY_MS = 500

/** The part of an announcement whose changes the other members need soon. */
const factsOf = ({ flushed, unreachable, canLead }: Member): string =>
  JSON.stringify([flushed, unreachable, canLead])

export class MembershipKeeper {
  readonly #lostListeners = new Set<() => void>()
  #membership: Membership | undefined
  #taking: Promise<void> | undefined
  #timer: string | undefined
  /** The facts of the last announcement, and the looks since then. */
  #announced = { facts: '', looks: 0 }
  #hasLeft = false

  /** @param self what the server is and holds now */
  constructor(
    private readonly shared: Pick<SharedLog, 'join'>,
    private readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>,
    private readonly self: () => Member
  ) {}

  /** Until when the place is this server's for certain, by `Clock.elapsed`; -Infinity when it has none. */
  get validUntil(): number {
    return this.#membership?.validUntil ?? -Infinity
  }

  /** Calls when the place is lost. */
  onLost(listener: () => void): void {
    this.#lostListeners.add(listener)
  }

  /** Has a place from now on: when it is lost, another one is taken as soon as that can be. @throws JoinRefused; SharedUnreachable */
  async join(): Promise<void> {
    if (this.#membership) return
    this.#taking ??= this.#take().finally(() => (this.#taking = undefined))
    await this.#taking
  }

  async #take(): Promise<void> {
    const membership = await this.shared.join()
    if (this.#hasLeft) return membership.close()
    this.#membership = membership
    membership.onLost(() => this.#lost(membership))
    // Also where it cannot be told now.
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
      this.#look()
      this.#announceLater()
    }, LOOK_EVERY_MS)
  }

  /** Tells the others what this server is and holds, when that has changed or was told long ago. What could not be told is told later. */
  #look(): void {
    this.#announced.looks++
    if (factsOf(this.self()) !== this.#announced.facts || this.#announced.looks >= MOST_LOOKS)
      if (this.#membership) this.#announce(this.#membership).catch(() => {})
  }

  #announce(membership: Membership): Promise<void> {
    const self = this.self()
    this.#announced = { facts: factsOf(self), looks: 0 }
    return membership.announce(self)
  }

  /** @throws SharedUnreachable also while there is no place */
  async campaign(): Promise<Term | undefined> {
    if (!this.#membership) throw new SharedUnreachable('this server is no member of the cluster now')
    return this.#membership.campaign(this.self())
  }

  /** Lets others lead. What cannot be told now they learn by the end of the lease. */
  async resign(term: Term): Promise<void> {
    await this.#membership?.resign(term).catch(() => {})
  }

  async leave(): Promise<void> {
    this.#hasLeft = true
    if (this.#timer !== undefined) this.timers.clearTimeout(this.#timer)
    await this.#taking?.catch(() => {})
    await this.#membership?.close().catch(() => {})
  }

  #lost(membership: Membership): void {
    if (membership !== this.#membership) return
    this.#membership = undefined
    for (const listener of this.#lostListeners) listener()
    this.#retake()
  }

  #retake(): void {
    if (this.#hasLeft) return
    this.join().catch(() => this.timers.setTimeout(() => this.#retake(), RETRY_MS))
  }
}
