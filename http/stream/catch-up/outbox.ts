// Collects the messages of a piece.

export class Outbox {
  #memory: Buffer<ArrayBuffer> | undefined
  #end = 0

  /**
   * @param most bytes, but for a single message that is larger
   * @param spent memory of a piece that was sent, to be used again
   */
  constructor(
    private readonly most: number,
    spent?: ArrayBuffer
  ) {
    if (spent?.byteLength === most) this.#memory = Buffer.from(spent)
  }

  get isEmpty(): boolean {
    return this.#end === 0
  }

  /** Where the next message may be written, so that it need not be copied when it is added. */
  room(bytes: number): Buffer {
    if (this.#end + bytes > this.most) return Buffer.allocUnsafe(bytes)
    this.#memory ??= Buffer.allocUnsafeSlow(this.most)
    return this.#memory.subarray(this.#end, this.#end + bytes)
  }

  /** Takes a message, unless it is full. */
  add(message: Buffer): boolean {
    if (this.#end > 0 && this.#end + message.length > this.most) return false
    if (!this.#memory || message.length > this.#memory.length)
      this.#memory = Buffer.allocUnsafeSlow(Math.max(this.most, message.length))
    const isThere = message.buffer === this.#memory.buffer && message.byteOffset === this.#end
    if (!isThere) message.copy(this.#memory, this.#end)
    this.#end += message.length
    return true
  }

  /** What was taken, in memory that nothing else uses; undefined for nothing. It is empty then. */
  take(): Buffer<ArrayBuffer> | undefined {
    const whole = this.#end > 0 ? this.#memory?.subarray(0, this.#end) : undefined
    this.#memory = undefined
    this.#end = 0
    return whole
  }
}
