// A queue of work in which callers take turns, however much each of them asks for.
import { TooManyRequests } from '../wire/problems.js'

interface FairQueueLimits {
  /** Tasks that run at a time. */
  readonly running: number
  /** Tasks of one caller that wait. */
  readonly waitingOfCaller: number
  /** Tasks that wait, of all callers. */
  readonly waiting: number
}

/** A task that waits for its turn. */
interface Waiting {
  /** Whether the result is still of use. */
  readonly isWanted: () => boolean
  readonly start: () => void
  readonly refuse: (reason: TooManyRequests) => void
}

const RETRY_AFTER_SECONDS = 1

const refusal = (limit: number): TooManyRequests =>
  new TooManyRequests(
    `Too many reads of earlier indexes wait: the limit is ${limit}; try again later`,
    RETRY_AFTER_SECONDS
  )

/** Serves callers round-robin. A task costs O(1), and O(callers) when the queue is full. */
export class FairQueue {
  /** Tasks by caller, the one whose turn is next first. No list is empty. */
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0

  constructor(private readonly limits: FairQueueLimits) {}

  /** Tasks that wait. */
  get size(): number {
    let size = 0
    for (const { length } of this.#waiting.values()) size += length
    return size
  }

  /**
   * Runs a task when it is the caller's turn.
   * @param isWanted asked while the task waits; a task that is not wanted makes room for others
   * @throws Refusal `too-many`, by the promise
   */
  async run<T>(caller: string, isWanted: () => boolean, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.limits.running) this.#running++
    else await this.#turn(caller, isWanted)
    try {
      return await task()
    } finally {
      this.#next()
    }
  }

  #turn(caller: string, isWanted: () => boolean): Promise<void> {
    this.#makeRoom(caller)
    return new Promise((start, refuse) => {
      const own = this.#waiting.get(caller)
      const waiting = { isWanted, start, refuse }
      if (own) own.push(waiting)
      else this.#waiting.set(caller, [waiting])
    })
  }

  /** @throws Refusal `too-many` */
  #makeRoom(caller: string): void {
    const { waiting, waitingOfCaller } = this.limits
    if (this.#lengthOf(caller) < waitingOfCaller && this.size < waiting) return
    this.#dropUnwanted()
    if (this.#lengthOf(caller) >= waitingOfCaller) throw refusal(waitingOfCaller)
    if (this.size < waiting) return
    const [longest, list] = [...this.#waiting].reduce((a, b) => (b[1].length > a[1].length ? b : a))
    // The newest task of the caller with the most of them gives way to a caller with fewer.
    if (list.length <= this.#lengthOf(caller) + 1) throw refusal(waiting)
    list.pop()?.refuse(refusal(waiting))
    if (list.length === 0) this.#waiting.delete(longest)
  }

  #lengthOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0
  }

  #dropUnwanted(): void {
    for (const [caller, list] of this.#waiting) {
      const wanted = list.filter(each => each.isWanted())
      for (const each of list) if (!wanted.includes(each)) each.refuse(refusal(this.limits.waiting))
      if (wanted.length > 0) this.#waiting.set(caller, wanted)
      else this.#waiting.delete(caller)
    }
  }

  /** Passes the place of a task that has ended on to the next one. */
  #next(): void {
    for (const [caller, list] of this.#waiting) {
      const next = list.shift()
      // Its other tasks come after those of all other callers.
      this.#waiting.delete(caller)
      if (list.length > 0) this.#waiting.set(caller, list)
      if (next) return next.start()
    }
    this.#running--
  }
}
