// Notices a reader that takes nothing.

/** What is larger goes out in slices of so many bytes, so that whoever takes a part of it is seen to do so. */
export const SLICE_BYTES = 64 * 1024

/** Whoever has taken nothing for too long, or reads when the server ends, gets so long to take the last line, in ms. */
export const FINAL_LINE_TIMEOUT_MS = 1000

export class StalledReaderDetector {
  #timer: NodeJS.Timeout | undefined

  /** @param onStuck called when something has waited for so long (ms) and no part of it was taken */
  constructor(
    private readonly stuckMs: number,
    private readonly onStuck: () => void
  ) {}

  /** Something is on its way from now on, or a part of it was taken and more is. */
  waits(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.onStuck, this.stuckMs).unref()
  }

  /** All was taken, or the reader has gone. */
  rests(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
