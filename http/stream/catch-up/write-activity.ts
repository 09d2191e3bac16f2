// Whether anybody writes: told by the thread that decides, and looked at by the one that catches up.

/** When nothing was committed for so long, nobody writes, in ms. */
const QUIET_MS = 100

/** Counts commits in memory that threads share. */
export class WriteActivity {
  readonly #count: Int32Array
  #seen = 0
  #seenAt = -Infinity

  /** @param now in ms, from any beginning */
  constructor(
    /** Give it to the `Writers` of another thread, so that they are told of the same commits. */
    readonly memory = new SharedArrayBuffer(4),
    private readonly now = (): number => performance.now()
  ) {
    this.#count = new Int32Array(memory)
    this.#seen = Atomics.load(this.#count, 0)
  }

  /** Something was committed. */
  note(): void {
    Atomics.add(this.#count, 0, 1)
  }

  /** Whether something was committed lately. */
  get areActive(): boolean {
    const count = Atomics.load(this.#count, 0)
    if (count !== this.#seen) this.#seenAt = this.now()
    this.#seen = count
    return this.now() - this.#seenAt < QUIET_MS
  }
}
