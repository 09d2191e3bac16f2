// Closes resources in the reverse order of their opening.

type Close = () => void | Promise<void>

export class Closers {
  readonly #closers: Close[] = []

  /** Call before opening, if a failed opening may leave parts open. */
  add(close: Close): void {
    this.#closers.push(close)
  }

  /** Closes everything, even after failures. A second call does nothing. @throws the first failure, at the end */
  async close(): Promise<void> {
    const failures: unknown[] = []
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
}
