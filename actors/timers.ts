// Timers that run by the clock of the server, for machines and whatever else waits: a test that lets time pass has them fire.
import { Lifecycle, scoped } from 'tsyringe'
import { Deadlines } from './deadlines.js'

const KIND = 'timer'

/** Fits as the `clock` of an xstate actor. A timer that was cleared is forgotten when it would have fired. */
@scoped(Lifecycle.ContainerScoped)
export class Timers {
  readonly #waiting = new Map<string, () => void>()
  #made = 0

  constructor(private readonly deadlines: Deadlines) {
    deadlines.on(KIND, ids => {
      for (const id of ids) this.#fire(id)
    })
  }

  /** @param ms from now, whatever becomes of the clock of the machine. Answers with an ID for `clearTimeout`. */
  setTimeout(call: () => void, ms: number): string {
    const id = String(++this.#made)
    this.#waiting.set(id, call)
    this.deadlines.after(ms, KIND, id)
    return id
  }

  clearTimeout(id: string): void {
    this.#waiting.delete(id)
  }

  #fire(id: string): void {
    const call = this.#waiting.get(id)
    this.#waiting.delete(id)
    call?.()
  }
}

/**
 * Calls every so often, for the first time after one turn.
 * @param ms between two calls
 * @returns how to stop
 */
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
