// Who takes part in the cluster, as every server of it knows: asked for now and then.
import type { Member, SharedLog } from '../../events/log/cluster/shared-log.js'
import type { Clock } from '../clock.js'
import type { Timers } from '../timers.js'

const LOOK_EVERY_MS = 1000
/** Announcements of a server by which its clock is compared with this one's: … */
const MOST_SAMPLES = 6
/** … at least, so that one that was seen late says nothing. */
const LEAST_SAMPLES = 2

/** A server that has joined, and was not forgotten. */
export interface KnownMember {
  readonly member: Member
  /** Whether it is heard of. */
  readonly isLive: boolean
  /** Since when it is, or is not, as far as this server has seen; a time of `Clock.elapsed`. */
  readonly since: number
  /** When this server first saw its newest announcement; a time of `Clock.elapsed`. */
  readonly heardAt: number
}

/** The clock of another server. */
interface Compared {
  /** Its newest announcement, in epoch ms by its own clock. */
  at: number
  /** How far `Clock.elapsed` of this server was ahead when it saw announcements, in ms. Too much by how long they took. */
  readonly samples: number[]
}

export class Members {
  readonly #listeners = new Set<() => void>()
  readonly #compared = new Map<string, Compared>()
  #lookedAt = -Infinity
  #known: ReadonlyMap<string, KnownMember> = new Map()
  #timer: string | undefined
  #isStopped = false

  constructor(
    private readonly shared: Pick<SharedLog, 'members' | 'joined'>,
    private readonly clock: Clock,
    private readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  ) {}

  /** Looks every second from now on. */
  start(): void {
    const again = (): void => {
      if (!this.#isStopped) this.#timer = this.timers.setTimeout(() => this.start(), LOOK_EVERY_MS)
    }
    this.look().then(again, again)
  }

  stop(): void {
    this.#isStopped = true
    if (this.#timer !== undefined) this.timers.clearTimeout(this.#timer)
  }

  /** Those that have joined, by name. */
  get all(): readonly KnownMember[] {
    return [...this.#known.values()].toSorted((a, b) => (a.member.name < b.member.name ? -1 : 1))
  }

  /** A server by the ID of its own node. */
  get(id: string): KnownMember | undefined {
    return this.#known.get(id)
  }

  /** Calls after each look. Returns how to stop. */
  onLook(listener: () => void): () => void {
    const own = (): void => listener()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /**
   * How far the clock of this server is ahead of the median of all, in ms; of two servers nobody can say whose is wrong.
   * @param own ID of this server's own node
   */
  clockAhead(own: string): number {
    const others = [...this.#compared.keys()].flatMap(id => {
      const ahead = id === own ? undefined : this.clockAheadOf(id)
      return ahead === undefined ? [] : [ahead]
    })
    const all = [0, ...others].toSorted((a, b) => a - b)
    const [low = 0, high = 0] = [all[Math.floor((all.length - 1) / 2)], all[Math.ceil((all.length - 1) / 2)]]
    return Math.abs(low) < Math.abs(high) ? low : high
  }

  /** How far the clock of this server is ahead of that of another one, in ms; undefined before that has announced itself a few times. */
  clockAheadOf(id: string): number | undefined {
    const samples = this.#compared.get(id)?.samples ?? []
    if (samples.length < LEAST_SAMPLES) return undefined
    // Its own clock may have been set since.
    return Math.min(...samples) + this.clock.now() - this.clock.elapsed()
  }

  /** @throws SharedUnreachable */
  async look(): Promise<void> {
    const [live, joined] = await Promise.all([this.shared.members(), this.shared.joined()])
    const alive = new Map(live.map(member => [member.id, member]))
    const now = this.clock.elapsed()
    this.#known = new Map(
      [...joined, ...live].map(({ id, ...rest }) => {
        const isLive = alive.has(id)
        const before = this.#known.get(id)
        const member = alive.get(id) ?? { id, ...rest }
        const since = before?.isLive === isLive ? before.since : now
        const heardAt = before?.member.at === member.at ? before.heardAt : now
        return [id, { member, isLive, since, heardAt }]
      })
    )
    for (const member of live) this.#compare(member, now)
    for (const id of this.#compared.keys()) if (!alive.has(id)) this.#compared.delete(id)
    this.#lookedAt = now
    for (const listener of this.#listeners) listener()
  }

  #compare({ id, at }: Member, now: number): void {
    const compared = this.#compared.get(id)
    if (!compared) return void this.#compared.set(id, { at, samples: [] })
    if (compared.at === at) return
    compared.at = at
    // Otherwise it may have been there for long.
    if (now - this.#lookedAt > 2 * LOOK_EVERY_MS) return
    compared.samples.push(this.clock.elapsed() - at)
    if (compared.samples.length > MOST_SAMPLES) compared.samples.shift()
  }
}
