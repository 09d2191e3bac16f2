// Timers by the server's clock, which tests can advance.
import { Lifecycle, scoped } from 'tsyringe'
import { Deadlines } from './deadlines.js'

const KIND = 'timer'

/** Usable as the `clock` of an xstate actor. A cleared timer stays scheduled and has no effect. */
@scoped(Lifecycle.ContainerScoped)
export class Timers {
  readonly #waiting = new Map<string, () => void>()
  #lastId = 0

  constructor(private readonly deadlines: Deadlines) {
    deadlines.on(KIND, ids => {
      for (const id of ids) this.#fire(id)
    })
  }

  setTimeout(call: () => void, ms: number): string {
    const id = String(++this.#lastId)
    this.#waiting.set(id, call)
    this.deadlines.after(ms, KIND, id)
    return id
  }

  clearTimeout(id: string): void {
    this.#waiting.delete(id)
  }

  /** Returns a signal that aborts after the time in ms, with the error of `AbortSignal.timeout`. */
  abortAfter(ms: number): AbortSignal {
    const late = new AbortController()
    this.setTimeout(
      () => late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms
    )
    return late.signal
  }

  /** Resolves after the time in ms, or when the signal aborts. */
  pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      if (signal.aborted) return resolve()
      const end = (): void => {
        signal.removeEventListener('abort', end)
        this.clearTimeout(timer)
        resolve()
      }
      const timer = this.setTimeout(end, ms)
      signal.addEventListener('abort', end)
    })
  }

  #fire(id: string): void {
    const call = this.#waiting.get(id)
    this.#waiting.delete(id)
    call?.()
  }
}

export const repeat = (
  timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>,
  ms: number,
  call: () => void
): (() => void) => {
  const wait = (): string =>
    timers.setTimeout(() => {
      timer = wait()
      call()
    }, ms)
  let timer = wait()
  return () => timers.clearTimeout(timer)
}
