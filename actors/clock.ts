// The only source of time. Decisions never read a clock: a command carries its time.
import { Lifecycle, scoped } from 'tsyringe'
import { EventEmitter } from 'eventemitter3'
import TinyQueue from 'tinyqueue'

@scoped(Lifecycle.ContainerScoped)
export class Clock {
  /** Epoch milliseconds by the machine's clock, which an operator may set: for dates. */
  now(): number {
    return Date.now()
  }

  /** Milliseconds of a monotonic clock, with a fraction: for durations. */
  elapsed(): number {
    return performance.now()
  }
}

/** Node fires a longer timer at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Time synchronization makes smaller corrections all the time. */
const JUMP_MS = 5000
/** How long a new time must have lasted before it may cause a deletion. */
const HOLD_MS = 60_000
const CHECK_INTERVAL_MS = 1000

interface ClockSignals {
  jumped: [ms: number]
}

@scoped(Lifecycle.ContainerScoped)
export class ClockWatch {
  readonly signals = new EventEmitter<ClockSignals>()
  /** Difference between the two clocks, milliseconds. */
  #offset: number
  /** By `Clock.elapsed`. The clock is most often wrong when the server starts. */
  #steadyFrom: number
  #interval: NodeJS.Timeout | undefined

  constructor(private readonly clock: Clock) {
    this.#offset = clock.now() - clock.elapsed()
    this.#steadyFrom = clock.elapsed() + HOLD_MS
  }

  start(): void {
    this.#interval = setInterval(() => this.look(), CHECK_INTERVAL_MS)
    this.#interval.unref()
  }

  stop(): void {
    clearInterval(this.#interval)
  }

  look(): void {
    const offset = this.clock.now() - this.clock.elapsed()
    const jump = offset - this.#offset
    this.#offset = offset
    if (Math.abs(jump) <= JUMP_MS) return
    this.#steadyFrom = this.clock.elapsed() + HOLD_MS
    this.signals.emit('jumped', jump)
  }

  /** Milliseconds until the current time may cause deletions; 0 when it already may. */
  get unsteadyFor(): number {
    this.look()
    return Math.max(this.#steadyFrom - this.clock.elapsed(), 0)
  }
}

// Deadlines of tokens, sessions, checks and timers, whose listeners send commands that decide again.

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

// Timers by the server's clock, which tests can advance.

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
