// Detection of concurrent writes, shared between the main thread and the catch-up thread.

/** Writes are inactive after this time without a commit, in ms. */
const QUIET_MS = 100

/** Counts commits in shared memory. */
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

  /** True if there was a commit within `QUIET_MS`. */
  get areActive(): boolean {
    const count = Atomics.load(this.#count, 0)
    if (count !== this.#seen) this.#seenAt = this.now()
    this.#seen = count
    return this.now() - this.#seenAt < QUIET_MS
  }
}
