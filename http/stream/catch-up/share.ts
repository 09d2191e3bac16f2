// How much of a core catching up may take.
import { setTimeout as sleep } from 'node:timers/promises'

/** Rests shorter than this, in ms, are not worth a timer and are put off. */
const SHORTEST_REST = 2
/** A pause earns no more than this, in ms: what was not used before is not made up for. */
const MOST_CREDIT = 0

/** Work is measured, and followed by as much rest as makes it the given share of the time. Waiting for files counts as rest. */
export class Share {
  readonly #restPerWork: number
  readonly #isContended: () => boolean
  #owed = 0
  #until = 0

  /**
   * @param share above 0; 1 for no rest
   * @param isContended whether there is somebody for whom to rest
   */
  constructor(share: number, isContended: () => boolean = () => true) {
    this.#restPerWork = 1 / share - 1
    this.#isContended = isContended
  }

  /** Does some work, and counts its time. */
  work<T>(task: () => T): T {
    const began = performance.now()
    try {
      return task()
    } finally {
      const ended = performance.now()
      const left = Math.max(MOST_CREDIT, this.#owed - (began - this.#until))
      this.#owed = this.#isContended() ? left + (ended - began) * this.#restPerWork : 0
      this.#until = ended
    }
  }

  /** Resolves when more may be done. */
  async rested(): Promise<void> {
    const left = this.#owed - (performance.now() - this.#until)
    if (left >= SHORTEST_REST) await sleep(left, undefined, { ref: false })
  }
}
