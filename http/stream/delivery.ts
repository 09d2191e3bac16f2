// The way of the pieces of a stream to its reader, a slice at a time.
import { FINAL_LINE_TIMEOUT_MS, StalledReaderDetector, SLICE_BYTES } from './stalled-reader-detector.js'
import type { Sink, SinkListener } from './sink.js'

/** Where slices go. */
export interface Channel {
  /** Sends a slice. `Delivery.taken` is called when it was taken. */
  write(slice: Buffer): void
  /** Sends the last slice, and ends cleanly. */
  end(slice: Buffer): void
  /** Breaks the connection off. */
  destroy(): void
}

export class Delivery implements Sink {
  readonly #watch: StalledReaderDetector
  #isUnderWay = false
  #hasLast = false
  /** What of the piece is still to be sent. */
  #rest: Buffer | undefined
  #lastChance: NodeJS.Timeout | undefined

  /** @param stuckMs the stream is ended when its reader takes nothing for so long */
  constructor(
    private readonly channel: Channel,
    stuckMs: number,
    private readonly listener: SinkListener
  ) {
    this.#watch = new StalledReaderDetector(stuckMs, () => this.#stuck())
  }

  /** Whether a piece is under way. */
  get isBusy(): boolean {
    return this.#isUnderWay
  }

  write(piece: Buffer): void {
    this.#isUnderWay = true
    this.#rest = piece
    this.#send()
  }

  /** Adds the last piece. */
  end(piece: Buffer): void {
    this.#hasLast = true
    const isBetweenSlices = this.#rest !== undefined
    this.#rest = this.#rest ? Buffer.concat([this.#rest, piece]) : piece
    if (!isBetweenSlices) this.#send()
  }

  destroy(): void {
    this.channel.destroy()
  }

  /** The slice that was sent last was taken. */
  taken(): void {
    if (this.#hasLast && !this.#rest) return
    if (this.#rest) return this.#send()
    this.#watch.rests()
    this.#isUnderWay = false
    this.listener.onIdle()
  }

  /** The connection is gone. */
  close(): void {
    clearTimeout(this.#lastChance)
    this.#watch.rests()
    this.listener.onClosed()
  }

  #send(): void {
    const rest = this.#rest
    if (!rest) return
    const slice = rest.subarray(0, SLICE_BYTES)
    this.#rest = slice.length < rest.length ? rest.subarray(SLICE_BYTES) : undefined
    this.#watch.waits()
    if (this.#hasLast && !this.#rest) this.channel.end(slice)
    else this.channel.write(slice)
  }

  /** In the midst of a piece a last line would not be one. */
  #stuck(): void {
    if (this.#hasLast || this.#rest) return this.channel.destroy()
    this.#lastChance = setTimeout(() => this.channel.destroy(), FINAL_LINE_TIMEOUT_MS).unref()
    this.listener.onStuck()
  }
}
