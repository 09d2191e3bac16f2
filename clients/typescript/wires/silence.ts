import { Unreachable } from '../failures.js'

/** Aborts if the time between `expect` and `heard` is too long, because heartbeats are missing. */
export class SilenceWatch {
  readonly #ended = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param longest in ms @param outer also ends the watch, with its reason */
  constructor(
    private readonly address: string,
    private readonly longest: number,
    outer: AbortSignal
  ) {
    const end = (): void => this.#ended.abort(outer.reason)
    if (outer.aborted) end()
    else outer.addEventListener('abort', end, { once: true, signal: this.#ended.signal })
  }

  /** Aborts with `Unreachable` after silence. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  expect(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => this.#ended.abort(new Unreachable(this.address, `nothing was heard for ${this.longest} ms`)),
      this.longest
    )
  }

  heard(): void {
    clearTimeout(this.#timer)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#ended.abort()
  }
}
