// Everything that ends by the clock stands here: tokens at their date; sessions and checks after a time. What
// comes due is handed to whoever registered for its kind, as keys; that one asks an ordinary command, which
// decides again.
import TinyQueue from 'tinyqueue'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from './clock.js'
import { ClockWatch } from './clock-watch.js'

interface Deadline {
  readonly at: number
  readonly kind: string
  readonly key: string
}

/** Told which keys of its kind are due. A deadline that was since moved or lifted is told as well. */
type DueListener = (keys: readonly string[]) => void

/** The most that one round hands over; the rest follows in the next turn of the event loop. */
const MOST_AT_ONCE = 4096
/** Dates are looked at as often as this, since the clocks drift apart. */
const LONGEST_SLEEP_MS = 60_000

const queueOf = (deadlines: Deadline[]): TinyQueue<Deadline> =>
  new TinyQueue<Deadline>(deadlines, (a, b) => a.at - b.at)

/**
 * Two heaps, one timer. `at` and `after` cost O(log n) and 16 bytes on top of their texts, whatever else is
 * scheduled.
 */
@scoped(Lifecycle.ContainerScoped)
export class Deadlines {
  /** By `Clock.now`. */
  #dates = queueOf([])
  /** By `Clock.elapsed`. */
  #times = queueOf([])
  readonly #listeners = new Map<string, DueListener>()
  #timer: NodeJS.Timeout | undefined
  /** A time of `Clock.elapsed`. */
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

  /** Registers who is told of a kind's due keys. Returns how to stop, which forgets what is scheduled of that kind. */
  on(kind: string, listener: DueListener): () => void {
    this.#listeners.set(kind, listener)
    return () => {
      if (this.#listeners.get(kind) === listener) this.#forget(kind)
    }
  }

  /**
   * @param date epoch milliseconds, by whatever the clock of the machine then says. The same key may stand
   *   several times.
   */
  at(date: number, kind: string, key: string): void {
    this.#dates.push({ at: date, kind, key })
    this.#wakeAt(this.clock.elapsed() + date - this.clock.now())
  }

  /**
   * @param ms from now, whatever becomes of the clock of the machine. The same key may stand several times.
   */
  after(ms: number, kind: string, key: string): void {
    const at = this.clock.elapsed() + ms
    this.#times.push({ at, kind, key })
    this.#wakeAt(at)
  }

  /** Forgets everything that is scheduled. */
  clear(): void {
    for (const queue of [this.#dates, this.#times]) {
      queue.data.length = 0
      queue.length = 0
    }
    this.look()
  }

  /** Looks anew when the next deadline is: to be called when a clock was set. */
  look(): void {
    const date = (this.#dates.peek()?.at ?? Infinity) - this.clock.now()
    const time = (this.#times.peek()?.at ?? Infinity) - this.clock.elapsed()
    this.#arm(Math.min(date, time))
  }

  /** Costs O(everything that is scheduled). */
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

/** Moves what is due, at most so many, from a queue to `due`. Answers with how many more there may be. */
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
