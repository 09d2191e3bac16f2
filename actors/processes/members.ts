import { EventEmitter } from 'eventemitter3'
import type { Member, SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Clock, Timers } from '../clock.js'

const POLL_INTERVAL_MS = 1000
/** Limit of announcements per server for comparing its clock with this one's. */
const MAX_SAMPLES = 6
/** Minimum of announcements, since a single one may have arrived late. */
const MIN_SAMPLES = 2
/** How long the clock of a dead server is compared. Without it, the two others could not tell which of them is wrong. */
const DEAD_CLOCK_MS = 3_600_000

export interface KnownMember {
  readonly member: Member
  /** True while its lease is valid. */
  readonly isLive: boolean
  /** Start of this status by `Clock.elapsed`, as seen by this server. */
  readonly since: number
  /** Arrival of its newest announcement by `Clock.elapsed`. */
  readonly heardAt: number
}

interface ClockComparison {
  /** Time of its newest announcement, epoch ms by its own clock. */
  at: number
  /** How far `Clock.elapsed` was ahead at the arrival of announcements, ms, including their delay. */
  readonly samples: number[]
  /** Those before its return, which count until it has announced itself often enough. */
  readonly earlier: readonly number[]
}

const usedSamples = ({ samples, earlier }: ClockComparison): readonly number[] =>
  samples.length < MIN_SAMPLES ? earlier : samples

export class Members {
  readonly #signals = new EventEmitter<{ polled: [] }>()
  readonly #compared = new Map<string, ClockComparison>()
  #polledAt = -Infinity
  #known: ReadonlyMap<string, KnownMember> = new Map()
  #timer: string | undefined
  #isStopped = false

  constructor(
    private readonly shared: Pick<SharedLog, 'members'>,
    private readonly clock: Clock,
    private readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  ) {}

  /** Polls every second. */
  start(): void {
    const again = (): void => {
      if (!this.#isStopped) this.#timer = this.timers.setTimeout(() => this.start(), POLL_INTERVAL_MS)
    }
    this.look().then(again, again)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== undefined) this.timers.clearTimeout(this.#timer)
  }

  get all(): readonly KnownMember[] {
    return [...this.#known.values()].toSorted((a, b) => (a.member.name < b.member.name ? -1 : 1))
  }

  get(id: string): KnownMember | undefined {
    return this.#known.get(id)
  }

  /** Calls `listener` after each poll. Returns a function that removes the listener. */
  onLook(listener: () => void): () => void {
    this.#signals.on('polled', listener)
    return () => void this.#signals.off('polled', listener)
  }

  /** How far this server's clock is ahead of the median, ms. With two servers it is unknown which one is wrong. @param own ID of this server */
  clockAhead(own: string): number {
    const others = [...this.#compared.keys()].flatMap(id => {
      const ahead = id === own ? undefined : this.clockAheadOf(id)
      return ahead === undefined ? [] : [ahead]
    })
    const all = [0, ...others].toSorted((a, b) => a - b)
    const [low = 0, high = 0] = [all[Math.floor((all.length - 1) / 2)], all[Math.ceil((all.length - 1) / 2)]]
    return Math.abs(low) < Math.abs(high) ? low : high
  }

  /** How far the clock of this server is ahead of another one's, ms; undefined before a few announcements. */
  clockAheadOf(id: string): number | undefined {
    const compared = this.#compared.get(id)
    const samples = compared ? usedSamples(compared) : []
    if (samples.length < MIN_SAMPLES) return undefined
    // The own clock may have been set since.
    return Math.min(...samples) + this.clock.now() - this.clock.elapsed()
  }

  /** @throws SharedUnreachable */
  async look(): Promise<void> {
    const { live, joined } = await this.shared.members()
    const alive = new Map(live.map(member => [member.id, member]))
    const now = this.clock.elapsed()
    const known = new Map(
      [...joined, ...live].map(({ id, ...rest }) => {
        const isLive = alive.has(id)
        const before = this.#known.get(id)
        const member = alive.get(id) ?? { id, ...rest }
        const since = before?.isLive === isLive ? before.since : now
        const heardAt = before?.member.at === member.at ? before.heardAt : now
        return [id, { member, isLive, since, heardAt }]
      })
    )
    for (const id of this.#compared.keys())
      if (!this.#isComparable(known.get(id), now)) this.#compared.delete(id)
    for (const member of live) this.#compare(member, now)
    this.#known = known
    this.#polledAt = now
    this.#signals.emit('polled')
  }

  #isComparable(known: KnownMember | undefined, now: number): boolean {
    return known !== undefined && (known.isLive || now - known.heardAt < DEAD_CLOCK_MS)
  }

  #compare({ id, at }: Member, now: number): void {
    const compared = this.#compared.get(id)
    if (!compared) return void this.#compared.set(id, { at, samples: [], earlier: [] })
    // A server that returns may have set its clock.
    if (this.#known.get(id)?.isLive === false)
      return void this.#compared.set(id, { at, samples: [], earlier: usedSamples(compared) })
    if (compared.at === at) return
    compared.at = at
    // Otherwise the announcement may be old.
    if (now - this.#polledAt > 2 * POLL_INTERVAL_MS) return
    compared.samples.push(this.clock.elapsed() - at)
    if (compared.samples.length > MAX_SAMPLES) compared.samples.shift()
  }
}
