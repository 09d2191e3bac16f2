// What has to be undone, in the reverse order of how it was done.

type Close = () => void | Promise<void>

/** Closes what was opened, the last first, whether a later step failed or everything went well. */
export class Closers {
  readonly #closers: Close[] = []

  /** To be called before something is opened, where a part of it stays open when that fails. */
  add(close: Close): void {
    this.#closers.push(close)
  }

  /** Closes everything, also when some of it fails; a second call has nothing left to do. @throws the first failure, at the end */
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
