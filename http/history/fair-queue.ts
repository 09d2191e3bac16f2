// A queue of tasks that serves callers round-robin.
import { getOrCreate } from '../../projections/maps.js'
import { TooManyRequests } from '../wire/response.js'

interface FairQueueLimits {
  /** Number of concurrent tasks. */
  readonly running: number
  /** Maximum number of waiting tasks of one caller. */
  readonly waitingOfCaller: number
  /** Maximum number of waiting tasks of all callers. */
  readonly waiting: number
}

interface Waiting {
  readonly isWanted: () => boolean
  readonly start: () => void
  readonly refuse: (reason: TooManyRequests) => void
}

const RETRY_AFTER_SECONDS = 1

const refusal = (limit: number): TooManyRequests =>
  new TooManyRequests(
    'history.too-many',
    `Too many reads of earlier indexes wait: the limit is ${limit}; try again later`,
    RETRY_AFTER_SECONDS
  )

/** Serves callers round-robin. A task costs O(1), and O(callers) when the queue is full. */
export class FairQueue {
  /** Tasks by caller, in the order of their turns. No list is empty. */
  readonly #waiting = new Map<string, Waiting[]>()
  #running = 0

  constructor(private readonly limits: FairQueueLimits) {}

  /** Number of waiting tasks. */
  get size(): number {
    return [...this.#waiting.values()].reduce((size, { length }) => size + length, 0)
  }

  /**
   * Runs a task when it is the caller's turn.
   * @param isWanted returns false for a waiting task that may be dropped
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
      getOrCreate(this.#waiting, caller, () => []).push({ isWanted, start, refuse })
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
    // Drops the newest task of the caller with the most tasks, if the new caller has fewer.
    if (list.length <= this.#lengthOf(caller) + 1) throw refusal(waiting)
    list.pop()?.refuse(refusal(waiting))
    if (list.length === 0) this.#waiting.delete(longest)
  }

  #lengthOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0
  }

  #dropUnwanted(): void {
    for (const [caller, list] of this.#waiting) {
      const wanted = list.filter(task => task.isWanted())
      for (const task of list) if (!wanted.includes(task)) task.refuse(refusal(this.limits.waiting))
      if (wanted.length > 0) this.#waiting.set(caller, wanted)
      else this.#waiting.delete(caller)
    }
  }

  /** Starts the next task after one has ended. */
  #next(): void {
    for (const [caller, list] of this.#waiting) {
      const next = list.shift()
      // The caller's other tasks follow those of all other callers.
      this.#waiting.delete(caller)
      if (list.length > 0) this.#waiting.set(caller, list)
      if (next) return next.start()
    }
    this.#running--
  }
}
