export const MINUTES_A_DAY = 1440

/** Numbers of one day: the day since the epoch, the count, and the first and last minute. */
const FIELDS = 4

export interface CountedTimes {
  readonly count: number
  /** The minutes of the first and the last time, since the epoch. */
  readonly first: number
  readonly last: number
}

/** The counts of one question by day, oldest first. */
export class DayCounts {
  #numbers: number[] = []

  /** Number of days. */
  get size(): number {
    return this.#numbers.length / FIELDS
  }

  /** Adds a count of one day. @param first and `last`: minutes since the epoch. @returns the number of days that are new */
  add(count: number, first: number, last: number): number {
    const day = Math.floor(first / MINUTES_A_DAY)
    const at = this.#find(day)
    if (this.#numbers[at] !== day) {
      this.#numbers.splice(at, 0, day, count, first, last)
      return 1
    }
    this.#numbers[at + 1] = (this.#numbers[at + 1] ?? 0) + count
    this.#numbers[at + 2] = Math.min(this.#numbers[at + 2] ?? first, first)
    this.#numbers[at + 3] = Math.max(this.#numbers[at + 3] ?? last, last)
    return 0
  }

  /** Adds the counts of another. @returns the change of the number of days of both, of which the other is no longer used */
  merge(from: DayCounts): number {
    let change = -from.size
    for (let at = 0; at < from.#numbers.length; at += FIELDS) {
      const [, count = 0, first = 0, last = 0] = from.#numbers.slice(at, at + FIELDS)
      change += this.add(count, first, last)
    }
    return change
  }

  of(day: number): CountedTimes | undefined {
    const at = this.#find(day)
    if (this.#numbers[at] !== day) return undefined
    const [count = 0, first = 0, last = 0] = this.#numbers.slice(at + 1, at + FIELDS)
    return { count, first, last }
  }

  /** Returns the sum from a day on; undefined without any. */
  total(since: number): CountedTimes | undefined {
    const from = this.#find(since)
    if (from >= this.#numbers.length) return undefined
    let [count, last] = [0, 0]
    for (let at = from; at < this.#numbers.length; at += FIELDS) {
      count += this.#numbers[at + 1] ?? 0
      last = Math.max(last, this.#numbers[at + 3] ?? 0)
    }
    return { count, first: this.#numbers[from + 2] ?? 0, last }
  }

  /** Removes earlier days. @returns their number */
  dropBefore(day: number): number {
    return this.#numbers.splice(0, this.#find(day)).length / FIELDS
  }

  /** The position of a day, or of the next one. */
  #find(day: number): number {
    let at = this.#numbers.length
    while (at >= FIELDS && (this.#numbers[at - FIELDS] ?? 0) >= day) at -= FIELDS
    return at
  }
}
