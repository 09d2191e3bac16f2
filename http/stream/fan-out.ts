// Sends new commits to all streams without delaying writes.

interface Pumped {
  /** Sends what can be sent immediately. */
  pump(): void
}

/** Time of a pass in ms after which requests are handled. */
const SLICE_MS = 4
const CLOCK_EVERY = 16
/** Length of the rest per ms of sending. */
const REST_PER_WORK = 5

/**
 * One pass over all streams sends all commits since the last pass, so a busier server makes fewer and larger writes.
 */
export class FanOut {
  readonly #due = new Set<Pumped>()
  #scheduled = false
  #restsUntil = 0

  add(stream: Pumped): void {
    this.#due.add(stream)
    this.#schedule()
  }

  addAll(streams: Iterable<Pumped>): void {
    for (const stream of streams) this.#due.add(stream)
    this.#schedule()
  }

  delete(stream: Pumped): void {
    this.#due.delete(stream)
  }

  #schedule(): void {
    if (this.#scheduled || this.#due.size === 0) return
    this.#scheduled = true
    const rest = this.#restsUntil - performance.now()
    if (rest < 1) setImmediate(() => this.#run())
    else setTimeout(() => this.#run(), rest)
  }

  #run(): void {
    this.#scheduled = false
    const began = performance.now()
    let count = 0
    for (const stream of this.#due) {
      this.#due.delete(stream)
      stream.pump()
      if (++count % CLOCK_EVERY === 0 && performance.now() - began > SLICE_MS) break
    }
    const now = performance.now()
    this.#restsUntil = now + REST_PER_WORK * (now - began)
    this.#schedule()
  }
}
