// Detects readers that receive nothing.

/** Larger messages are sent in slices of this size, so that partial progress is noticed. */
export const SLICE_BYTES = 64 * 1024

/** Timeout in ms for receiving the last line, after a stall or at shutdown. */
export const FINAL_LINE_TIMEOUT_MS = 1000

export class StalledReaderDetector {
  #timer: NodeJS.Timeout | undefined

  /** @param onStuck called when no progress was noted for `stuckMs` while something was waiting */
  constructor(
    private readonly stuckMs: number,
    private readonly onStuck: () => void
  ) {}

  /** Notes that something is waiting, or that a part of it was received. */
  waits(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.onStuck, this.stuckMs).unref()
  }

  /** Notes that everything was received, or the reader has disconnected. */
  rests(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
