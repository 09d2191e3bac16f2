// Shares the answer to a question among all callers that asked before it was put.

export class Coalescer<Answer> {
  #isRunning = false
  /** The next question, which callers share until it is put. */
  #next: Promise<Answer> | undefined
  #put: (() => void) | undefined

  /**
   * @param put asks the question once
   * @param soon calls the function as soon as callers of the same turn may have asked; at once by default
   */
  constructor(
    private readonly put: () => Promise<Answer>,
    private readonly soon: (begin: () => void) => void = begin => begin()
  ) {}

  /** Resolves with the answer to a question that is put after this call. */
  ask(): Promise<Answer> {
    if (this.#next) return this.#next
    const next = new Promise<Answer>((resolve, reject) => {
      this.#put = () => {
        this.#next = undefined
        this.#isRunning = true
        this.put().finally(this.#ended).then(resolve, reject)
      }
    })
    this.#next = next
    if (!this.#isRunning) this.soon(this.#begin)
    return next
  }

  readonly #begin = (): void => this.#put?.()

  readonly #ended = (): void => {
    this.#isRunning = false
    if (this.#next) this.soon(this.#begin)
  }
}

/** Returns a function that derives a promise from another one, once for all callers that share that one. */
export const derivedOnce = <Source, Derived>(
  derive: (source: Promise<Source>) => Promise<Derived>
): ((source: Promise<Source>) => Promise<Derived>) => {
  let last: { readonly source: Promise<Source>; readonly derived: Promise<Derived> } | undefined
  return source => {
    if (last?.source !== source) last = { source, derived: derive(source) }
    return last.derived
  }
}
