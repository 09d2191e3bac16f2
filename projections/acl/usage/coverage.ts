import { MINUTES_A_DAY } from './day-counts.js'

/** Minutes since the epoch, both included. */
export type Interval = readonly [from: number, to: number]

/** What is known of one day. */
export interface DayCoverage {
  readonly observed: readonly Interval[]
  /** Questions of the day that found no room. */
  readonly lost: number
}

/** Pauses between observations that are no gap, in minutes. */
const TOLERATED = 2

/** The minutes in which questions were recorded. */
export class Coverage {
  readonly #days = new Map<number, { observed: Interval[]; lost: number }>()

  /** Notes that questions were recorded since the last observation. */
  observe(minute: number): void {
    this.add([minute, minute])
  }

  add([from, to]: Interval): void {
    const { observed } = this.#of(Math.floor(from / MINUTES_A_DAY))
    const last = observed.at(-1)
    if (last && from >= last[0] && from - last[1] <= TOLERATED)
      observed[observed.length - 1] = [last[0], Math.max(last[1], to)]
    else if (!last || from > last[1]) observed.push([from, to])
  }

  lose(minute: number, count: number): void {
    if (count > 0) this.#of(Math.floor(minute / MINUTES_A_DAY)).lost += count
  }

  of(day: number): DayCoverage {
    return this.#days.get(day) ?? { observed: [], lost: 0 }
  }

  /** The known days, oldest first. */
  get days(): readonly number[] {
    return [...this.#days.keys()].toSorted((a, b) => a - b)
  }

  forgetBefore(day: number): void {
    for (const known of this.days) if (known < day) this.#days.delete(known)
  }

  /** Returns what is known from a minute on. */
  since(minute: number): { readonly observed: readonly Interval[]; readonly lost: number } {
    const days = this.days.filter(day => (day + 1) * MINUTES_A_DAY > minute).map(day => this.of(day))
    const joined: Interval[] = []
    for (const [from, to] of days.flatMap(({ observed }) => observed)) {
      const last = joined.at(-1)
      if (last && from - last[1] <= TOLERATED) joined[joined.length - 1] = [last[0], to]
      else joined.push([from, to])
    }
    return { observed: joined, lost: days.reduce((sum, { lost }) => sum + lost, 0) }
  }

  #of(day: number): { observed: Interval[]; lost: number } {
    let known = this.#days.get(day)
    if (!known) this.#days.set(day, (known = { observed: [], lost: 0 }))
    return known
  }
}
