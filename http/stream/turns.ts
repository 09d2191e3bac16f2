// Work that may wait takes turns: one slice in each turn of the event loop, however many want one.

/** The length of a slice, in ms: whoever has worked so long asks for another turn. */
export const SLICE_MS = 2

export class Turns {
  readonly #waiting: (() => void)[] = []
  #scheduled = false

  /** Resolves when it is one's turn, in the order of asking. */
  next(): Promise<void> {
    return new Promise(resolve => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#waiting.shift()?.()
      this.#schedule()
    })
  }
}
