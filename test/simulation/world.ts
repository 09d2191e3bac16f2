// The simulated world: virtual time, its timers, and the processes that live in it. Everything happens in an order that the seed decides.
import { AsyncLocalStorage } from 'node:async_hooks'
import { seeded, type Random } from '../support/random.js'

/** A process of the simulation: a server or a client. A killed one never runs again; its successor is another process. */
export interface SimulatedProcess {
  readonly name: string
  isAlive: boolean
  /** Virtual time in ms until which nothing runs in it, as if its machine stood still. */
  frozenUntil: number
  /** Difference between its wall clock and virtual time, in ms. */
  wallOffset: number
  /** Files of its machine have decayed. */
  hasDecayed: boolean
  /** Of a child: the process on whose machine it is, and with which it dies. */
  readonly parent?: SimulatedProcess
}

/** A child process, which stands still with its parent. */
class ChildProcess implements SimulatedProcess {
  #isAlive = true
  #frozenUntil = 0

  constructor(readonly parent: SimulatedProcess) {}

  get name(): string {
    return this.parent.name
  }

  get isAlive(): boolean {
    return this.#isAlive && this.parent.isAlive
  }

  set isAlive(isAlive: boolean) {
    this.#isAlive = isAlive
  }

  get frozenUntil(): number {
    return Math.max(this.#frozenUntil, this.parent.frozenUntil)
  }

  set frozenUntil(time: number) {
    this.#frozenUntil = time
  }

  get wallOffset(): number {
    return this.parent.wallOffset
  }

  get hasDecayed(): boolean {
    return this.parent.hasDecayed
  }
}

/** A callback that is due at a virtual time. */
interface Due {
  at: number
  readonly order: number
  readonly owner: SimulatedProcess | undefined
  /** Undefined once it is cancelled, so that what it refers to is released before its time. */
  run: (() => void) | undefined
}

/** The default of how long a simulation waits, in ms of virtual time. */
export const MOST_WAITING = 60_000
/** A read of the clock takes this long, in ms, so that loops over time slices end. */
const CLOCK_READ_MS = 0.001

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

/** Taken before the globals are replaced. */
const nextTurn = setImmediate

export class World {
  readonly random: Random
  /** One line for each event: equal for equal seeds. */
  readonly trace: string[] = []
  readonly #processes = new AsyncLocalStorage<SimulatedProcess>()
  /** A binary heap by time and order. */
  readonly #due: Due[] = []
  #now = 0
  #lastOrder = 0

  constructor(readonly seed: number) {
    this.random = seeded(seed)
  }

  /** The process whose code runs. */
  get current(): SimulatedProcess | undefined {
    return this.#processes.getStore()
  }

  /** Virtual time in ms, as a process reads it. */
  readClock(): number {
    return (this.#now += CLOCK_READ_MS)
  }

  /** Virtual time in ms. */
  get now(): number {
    return this.#now
  }

  note(text: string): void {
    this.trace.push(`${this.#now.toFixed(3)} ${text}`)
  }

  /** Creates a process. Its code runs by `as`. */
  process(name: string): SimulatedProcess {
    return { name, isAlive: true, frozenUntil: 0, wallOffset: 0, hasDecayed: false }
  }

  /** Creates a process on the machine of another one. */
  child(parent: SimulatedProcess): SimulatedProcess {
    return new ChildProcess(parent)
  }

  as<T>(process: SimulatedProcess, run: () => T): T {
    return this.#processes.run(process, run)
  }

  /** Runs something after `ms` of virtual time, unless its process is dead by then. Returns a function that cancels it. */
  after(ms: number, run: () => void, owner = this.current): () => void {
    const at = this.#now + Math.max(ms, 0)
    const due: Due = { at, order: ++this.#lastOrder, owner, run }
    this.#push(due)
    return () => void (due.run = undefined)
  }

  pause(ms: number): Promise<void> {
    return new Promise(resolve => this.after(ms, resolve))
  }

  /**
   * Runs the world until `isOver`.
   * @throws Error if nothing is due any more, or after `most` ms of virtual time
   */
  async run(isOver: () => boolean, most: number): Promise<void> {
    const end = this.#now + most
    await this.#settle()
    while (!isOver()) {
      const due = this.#pop()
      if (!due) throw new Error('the simulation has stopped: nothing is due')
      if (due.at > end) throw new Error(`the simulation was not over after ${most} ms of virtual time`)
      const { owner, run } = due
      if (!run || owner?.isAlive === false) continue
      if (owner && owner.frozenUntil > due.at) {
        due.at = owner.frozenUntil
        this.#push(due)
        continue
      }
      this.#now = Math.max(this.#now, due.at)
      if (owner) this.#processes.run(owner, run)
      else this.#processes.exit(run)
      await this.#settle()
    }
  }

  /** Resolves when no promise reaction and no tick is left: nothing in the world waits for the machine. */
  #settle(): Promise<void> {
    return this.#processes.exit(() => new Promise(resolve => void nextTurn(resolve)))
  }

  #push(due: Due): void {
    const heap = this.#due
    let at = heap.push(due) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = heap[above]
      if (!parent || !isBefore(due, parent)) break
      heap[at] = parent
      at = above
    }
    heap[at] = due
  }

  #pop(): Due | undefined {
    const heap = this.#due
    const [first] = heap
    const last = heap.pop()
    if (!first || !last || first === last) return first
    let at = 0
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]]
      const isRight = left !== undefined && right !== undefined && isBefore(right, left)
      const least = isRight ? right : left
      if (!least || isBefore(last, least)) break
      heap[at] = least
      at = 2 * at + (isRight ? 2 : 1)
    }
    heap[at] = last
    return first
  }
}

/** Runs the world until a promise settles. */
export const settled = async <T>(world: World, promise: Promise<T>, most = MOST_WAITING): Promise<T> => {
  let isOver = false
  const over = (): void => void (isOver = true)
  promise.then(over, over)
  await world.run(() => isOver, most)
  return promise
}
