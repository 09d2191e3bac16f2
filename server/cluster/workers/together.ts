// A question whose answer is for all who asked before it was put.

export class Together {
  /** The one that was put, and the one that those share who have asked since. */
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(private readonly put: () => Promise<void>) {
  }

  /** Resolves when it was answered after this was called; rejects when it could not be. */
  ask(): Promise<void> {
    if (!this.#running) return this.#begin()
    const begin = (): Promise<void> => this.#begin()
    return (this.#next ??= this.#running.then(begin, begin))
  }

  #begin(): Promise<void> {
    this.#next = undefined
    const running = this.put().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    return (this.#running = running)
  }
}
