// A server that says nothing for too long: its heartbeats no longer come.
import { Unreachable } from '../failures.js'

/** Aborts when too long a time passes between `expect` and `heard`. */
export class SilenceWatch {
  readonly #ended = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param longest in ms @param outer ends it as well, with its own reason */
  constructor(
    private readonly address: string,
    private readonly longest: number,
    outer: AbortSignal
  ) {
    const end = (): void => this.#ended.abort(outer.reason)
    if (outer.aborted) end()
    else outer.addEventListener('abort', end, { once: true, signal: this.#ended.signal })
  }

  /** Its reason is `Unreachable` after silence. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** From now on something is to be heard. */
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

  /** Ends what listens to the signal. */
  end(): void {
    clearTimeout(this.#timer)
    this.#ended.abort()
  }
}
