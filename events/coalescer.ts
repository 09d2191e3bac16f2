// Shares the answer to a question among all callers that asked before it was put.

export class Coalescer<Answer> {
  /** The running question, and the next one, which later callers share. */
  #running: Promise<Answer> | undefined
  #next: Promise<Answer> | undefined

  /** @param put asks the question once */
  constructor(private readonly put: () => Promise<Answer>) {}

  /** Resolves with the answer to a question that is put after this call. */
  ask(): Promise<Answer> {
    if (!this.#running) return this.#begin()
    const begin = (): Promise<Answer> => this.#begin()
    return (this.#next ??= this.#running.then(begin, begin))
  }

  #begin(): Promise<Answer> {
    this.#next = undefined
    const running = this.put().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    return (this.#running = running)
  }
}
