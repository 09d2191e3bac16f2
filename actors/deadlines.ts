// Everything that ends by the clock stands in one heap with one timer: tokens, sessions, checks. What comes due is
// handed to whoever registered for its kind, as keys; that one asks an ordinary command, which decides again.
import TinyQueue from 'tinyqueue'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from './clock.js'
import { LONGEST_TIMER_MS } from './timers.js'

interface Deadline {
  /** Epoch milliseconds. */
  readonly at: number
  readonly kind: string
  readonly key: string
}

/** Told which keys of its kind are due. A deadline that was since moved or lifted is told as well. */
export type DueListener = (keys: readonly string[]) => void

/** The most that one round hands over; the rest follows in the next turn of the event loop. */
const MOST_AT_ONCE = 4096

/** `schedule` costs O(log n) and 16 bytes on top of its texts, whatever else is scheduled. */
@scoped(Lifecycle.ContainerScoped)
export class Deadlines {
  readonly #clock: Clock
  readonly #queue = new TinyQueue<Deadline>([], (a, b) => a.at - b.at)
  readonly #listeners = new Map<string, DueListener>()
  #timer: NodeJS.Timeout | undefined
  #wakesAt = Infinity
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#queue.length
  }

  /** Registers who is told of a kind's due keys. */
  on(kind: string, listener: DueListener): void {
    this.#listeners.set(kind, listener)
  }

  /** `at` is in epoch milliseconds. The same key may stand several times. */
  schedule(at: number, kind: string, key: string): void {
    this.#queue.push({ at, kind, key })
    if (at < this.#wakesAt) this.#arm()
  }

  /** Forgets everything that is scheduled. */
  clear(): void {
    this.#queue.data.length = 0
    this.#queue.length = 0
    this.#arm()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const next = this.#queue.peek()
    this.#wakesAt = next?.at ?? Infinity
    if (!next || this.#stopped) return
    const delay = Math.min(Math.max(Math.ceil(next.at - this.#clock.now()) + 1, 0), LONGEST_TIMER_MS)
    this.#timer = setTimeout(() => this.#fire(), delay)
    this.#timer.unref()
  }

  #fire(): void {
    const now = this.#clock.now()
    const due = new Map<string, string[]>()
    for (let count = 0; count < MOST_AT_ONCE; count++) {
      const next = this.#queue.peek()
      if (!next || next.at > now) break
      this.#queue.pop()
      const keys = due.get(next.kind)
      if (keys) keys.push(next.key)
      else due.set(next.kind, [next.key])
    }
    this.#arm()
    for (const [kind, keys] of due) this.#listeners.get(kind)?.(keys)
  }
}
