// The newest flushed index, its listeners and waiters.

/** Grows only. Telling a listener costs one call each time; a listener that throws does not keep the others from hearing. */
export class DurableIndex {
  #value: number
  readonly #listeners = new Set<(index: number) => void>()
  #ended = false

  constructor(value: number) {
    this.#value = value
  }

  get value(): number {
    return this.#value
  }

  /** True once no further growth will come. */
  get ended(): boolean {
    return this.#ended
  }

  /** Raises the index to `value` and tells all listeners; does nothing when it is not higher. */
  advance(value: number): void {
    if (value <= this.#value) return
    this.#value = value
    this.#tell()
  }

  /** Tells waiters that nothing more will come. */
  end(): void {
    this.#ended = true
    this.#tell()
    this.#listeners.clear()
  }

  /** Calls `listener` each time the index grows. Returns how to stop. */
  onAdvance(listener: (index: number) => void): () => void {
    const own = (index: number): void => listener(index)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** Resolves when the index is above `index`, when `signal` aborts, or when no growth will come. */
  async above(index: number, signal: AbortSignal): Promise<void> {
    if (this.#value > index || this.#ended || signal.aborted) return
    await new Promise<void>(resolve => {
      const done = (): void => {
        if (this.#value <= index && !this.#ended && !signal.aborted) return
        stop()
        signal.removeEventListener('abort', done)
        resolve()
      }
      const stop = this.onAdvance(done)
      signal.addEventListener('abort', done)
    })
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener(this.#value)
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
