import type { Sink, SinkListener } from './sink.js'

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

export interface Channel {
  /** Sends a slice, and later calls `Delivery.taken`. */
  write(slice: Buffer): void
  end(slice: Buffer): void
  destroy(): void
}

export class Delivery implements Sink {
  readonly #watch: StalledReaderDetector
  #isActive = false
  #hasLast = false
  #unsent: Buffer | undefined
  #finalTimeout: NodeJS.Timeout | undefined

  /** @param stuckMs timeout of a reader that receives nothing */
  constructor(
    private readonly channel: Channel,
    stuckMs: number,
    private readonly listener: SinkListener
  ) {
    this.#watch = new StalledReaderDetector(stuckMs, () => this.#stuck())
  }

  get isBusy(): boolean {
    return this.#isActive
  }

  write(piece: Buffer): void {
    this.#isActive = true
    this.#unsent = piece
    this.#send()
  }

  end(piece: Buffer): void {
    this.#hasLast = true
    const isBetweenSlices = this.#unsent !== undefined
    this.#unsent = this.#unsent ? Buffer.concat([this.#unsent, piece]) : piece
    if (!isBetweenSlices) this.#send()
  }

  destroy(): void {
    this.channel.destroy()
  }

  taken(): void {
    if (this.#hasLast && !this.#unsent) return
    if (this.#unsent) return this.#send()
    this.#watch.rests()
    this.#isActive = false
    this.listener.onIdle()
  }

  close(): void {
    clearTimeout(this.#finalTimeout)
    this.#watch.rests()
    this.listener.onClosed()
  }

  #send(): void {
    const unsent = this.#unsent
    if (!unsent) return
    const slice = unsent.subarray(0, SLICE_BYTES)
    this.#unsent = slice.length < unsent.length ? unsent.subarray(SLICE_BYTES) : undefined
    this.#watch.waits()
    if (this.#hasLast && !this.#unsent) this.channel.end(slice)
    else this.channel.write(slice)
  }

  /** Within a piece, a last line could not be parsed, so the connection is aborted. */
  #stuck(): void {
    if (this.#hasLast || this.#unsent) return this.channel.destroy()
    this.#finalTimeout = setTimeout(() => this.channel.destroy(), FINAL_LINE_TIMEOUT_MS).unref()
    this.listener.onStuck()
  }
}
