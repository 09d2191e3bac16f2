// How much of a core catching up may take.
import { setTimeout as sleep } from 'node:timers/promises'

/** Rests shorter than this, in ms, are not worth a timer and are put off. */
const SHORTEST_REST = 2
/** A pause earns no more than this, in ms: what was not used before is not made up for. */
const MOST_CREDIT = 0

/** Work is measured, and followed by as much rest as makes it the given share of the time. Waiting for files counts as rest. */
export class CpuShare {
  readonly #restPerWork: number
  readonly #busy: () => number
  #worked = 0
  #owed = 0
  #until = 0
  #busyUntil = 0

  /**
   * @param share above 0; 1 for no rest
   * @param isContended whether there is somebody for whom to rest
   * @param busy how long the thread has been busy, in ms, where all that it does is to be counted; else it is what it does in `work`
   */
  constructor(
    share: number,
    private readonly isContended: () => boolean = () => true,
    busy?: () => number
  ) {
    this.#restPerWork = 1 / share - 1
    this.#busy = busy ?? ((): number => this.#worked)
  }

  /** Does some work, and counts its time. */
  work<T>(task: () => T): T {
    const began = performance.now()
    try {
      return task()
    } finally {
      const ended = performance.now()
      this.#worked += ended - began
      this.#count(ended)
    }
  }

  /** Resolves when more may be done. */
  async rested(): Promise<void> {
    const left = this.#owed - (performance.now() - this.#until)
    if (left >= SHORTEST_REST) await sleep(left, undefined, { ref: false })
  }

  /** Adds the rest for what was done since the last time, less what was rested. */
  #count(now: number): void {
    const busy = this.#busy()
    const work = busy - this.#busyUntil
    const left = Math.max(MOST_CREDIT, this.#owed - (now - this.#until - work))
    this.#owed = this.isContended() ? left + work * this.#restPerWork : 0
    this.#until = now
    this.#busyUntil = busy
  }
}
