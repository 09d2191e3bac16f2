// Deadlines of tokens, sessions, checks and timers, whose listeners send commands that decide again.
import TinyQueue from 'tinyqueue'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock, ClockWatch } from './clock.js'

interface Deadline {
  readonly at: number
  readonly kind: string
  readonly key: string
}

/** Receives the due keys of its kind, including those whose deadline was since moved or removed. */
type DueListener = (keys: readonly string[]) => void

/** Keys per round, since all of them may end in one commit; a later turn of the event loop continues. */
const MOST_AT_ONCE = 256
/** Interval at which dates are compared with the clock, since the clocks drift apart. */
const LONGEST_SLEEP_MS = 60_000

const queueOf = (deadlines: Deadline[]): TinyQueue<Deadline> =>
  new TinyQueue<Deadline>(deadlines, (a, b) => a.at - b.at)

/** Two heaps and one timer. `at` and `after` cost O(log n) and 16 bytes besides their texts. */
@scoped(Lifecycle.ContainerScoped)
export class Deadlines {
  /** By `Clock.now`. */
  #dates = queueOf([])
  /** By `Clock.elapsed`. */
  #times = queueOf([])
  readonly #listeners = new Map<string, DueListener>()
  #timer: NodeJS.Timeout | undefined
  #wakesAt = Infinity
  #stopped = false

  constructor(
    private readonly clock: Clock,
    watch: ClockWatch
  ) {
    watch.signals.on('jumped', () => this.look())
  }

  get size(): number {
    return this.#dates.length + this.#times.length
  }

  /** Registers the listener of a kind. Returns a function that removes it with all deadlines of the kind. */
  on(kind: string, listener: DueListener): () => void {
    this.#listeners.set(kind, listener)
    return () => {
      if (this.#listeners.get(kind) === listener) this.#forget(kind)
    }
  }

  /** @param date epoch milliseconds by the machine's clock. A key may have several deadlines. */
  at(date: number, kind: string, key: string): void {
    this.#dates.push({ at: date, kind, key })
    this.#wakeAt(this.clock.elapsed() + date - this.clock.now())
  }

  /** @param ms from now by the monotonic clock. A key may have several deadlines. */
  after(ms: number, kind: string, key: string): void {
    const at = this.clock.elapsed() + ms
    this.#times.push({ at, kind, key })
    this.#wakeAt(at)
  }

  clear(): void {
    for (const queue of [this.#dates, this.#times]) {
      queue.data.length = 0
      queue.length = 0
    }
    this.look()
  }

  /** Reschedules the timer, also after the clock was set. */
  look(): void {
    const date = (this.#dates.peek()?.at ?? Infinity) - this.clock.now()
    const time = (this.#times.peek()?.at ?? Infinity) - this.clock.elapsed()
    this.#arm(Math.min(date, time))
  }

  /** Costs O(scheduled deadlines). */
  #forget(kind: string): void {
    this.#listeners.delete(kind)
    this.#dates = queueOf(this.#dates.data.filter(deadline => deadline.kind !== kind))
    this.#times = queueOf(this.#times.data.filter(deadline => deadline.kind !== kind))
    this.look()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #wakeAt(at: number): void {
    if (at < this.#wakesAt) this.#arm(at - this.clock.elapsed())
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer)
    this.#wakesAt = this.clock.elapsed() + ms
    if (ms === Infinity || this.#stopped) return
    const delay = Math.min(Math.max(Math.ceil(ms) + 1, 0), LONGEST_SLEEP_MS)
    this.#timer = setTimeout(() => this.#fire(), delay)
    this.#timer.unref()
  }

  #fire(): void {
    const due = new Map<string, string[]>()
    const left = take(this.#times, this.clock.elapsed(), MOST_AT_ONCE, due)
    take(this.#dates, this.clock.now(), left, due)
    this.look()
    for (const [kind, keys] of due) this.#listeners.get(kind)?.(keys)
  }
}

/** Moves at most this many due keys from a queue to `due`. Returns how many more are allowed. */
const take = (queue: TinyQueue<Deadline>, now: number, most: number, due: Map<string, string[]>): number => {
  for (let left = most; left > 0; left--) {
    const next = queue.peek()
    if (!next || next.at > now) return left
    queue.pop()
    const keys = due.get(next.kind)
    if (keys) keys.push(next.key)
    else due.set(next.kind, [next.key])
  }
  return 0
}
