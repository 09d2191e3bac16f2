import { setTimeout as sleep } from 'node:timers/promises'

/** Writes are inactive after this time without a commit, in ms. */
const QUIET_MS = 100

export class WriteActivity {
  readonly #count: Int32Array
  #seen = 0
  #seenAt = -Infinity

  /** @param now in ms, from any origin */
  constructor(
    /** Pass it to the `WriteActivity` of another thread. */
    readonly memory = new SharedArrayBuffer(4),
    private readonly now = (): number => performance.now()
  ) {
    this.#count = new Int32Array(memory)
    this.#seen = Atomics.load(this.#count, 0)
  }

  note(): void {
    Atomics.add(this.#count, 0, 1)
  }

  get areActive(): boolean {
    const count = Atomics.load(this.#count, 0)
    if (count !== this.#seen) this.#seenAt = this.now()
    this.#seen = count
    return this.now() - this.#seenAt < QUIET_MS
  }
}

/** Shorter rests, in ms, are postponed, since they are not worth a timer. */
const SHORTEST_REST = 2

/** Returns the time in ms that this thread has used the CPU. Before Node 23.9, which cannot tell it, returns the elapsed time. */
const usedMs = (): number => {
  if (typeof process.threadCpuUsage !== 'function') return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Measures work by its CPU time, since a busy machine interrupts it, and requires rests that keep it at a share of the time. Waiting for files counts as rest. */
export class CpuShare {
  readonly #restPerWork: number
  readonly #busy: () => number
  #worked = 0
  #owed = 0
  #until = 0
  #busyUntil = 0

  /**
   * @param share above 0; 1 for no rest
   * @param isContended returns false when no rest is necessary
   * @param busy returns the thread's total busy time in ms, if all of it counts; default: the time in `work`
   */
  constructor(
    share: number,
    private readonly isContended: () => boolean = () => true,
    busy?: () => number
  ) {
    this.#restPerWork = 1 / share - 1
    this.#busy = busy ?? ((): number => this.#worked)
  }

  work<T>(task: () => T): T {
    const began = usedMs()
    try {
      return task()
    } finally {
      this.#worked += usedMs() - began
      this.#count(performance.now())
    }
  }

  async rested(): Promise<void> {
    const left = this.#owed - (performance.now() - this.#until)
    if (left >= SHORTEST_REST) await sleep(left, undefined, { ref: false })
  }

  /** Adds the rest for the work since the last call, less the rest already taken. Idle time gives no credit. */
  #count(now: number): void {
    const busy = this.#busy()
    const work = busy - this.#busyUntil
    const left = Math.max(0, this.#owed - (now - this.#until - work))
    this.#owed = this.isContended() ? left + work * this.#restPerWork : 0
    this.#until = now
    this.#busyUntil = busy
  }
}
