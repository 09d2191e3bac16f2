/** The messages of a piece, in one memory. */
export class Outbox {
  #memory: Buffer<ArrayBuffer> | undefined
  #end = 0

  /**
   * @param most maximum bytes, except for a single larger message
   * @param spent memory of an unused piece, to be reused
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

  /** Returns memory for the next message, which `add` then need not copy. */
  room(bytes: number): Buffer {
    if (this.#end + bytes > this.most) return Buffer.allocUnsafe(bytes)
    this.#memory ??= Buffer.allocUnsafeSlow(this.most)
    return this.#memory.subarray(this.#end, this.#end + bytes)
  }

  add(message: Buffer): boolean {
    if (this.#end > 0 && this.#end + message.length > this.most) return false
    if (!this.#memory || message.length > this.#memory.length)
      this.#memory = Buffer.allocUnsafeSlow(Math.max(this.most, message.length))
    const isInPlace = message.buffer === this.#memory.buffer && message.byteOffset === this.#end
    if (!isInPlace) message.copy(this.#memory, this.#end)
    this.#end += message.length
    return true
  }

  /** Removes and returns the messages in memory that is not shared; undefined if there are none. */
  take(): Buffer<ArrayBuffer> | undefined {
    const messages = this.#end > 0 ? this.#memory?.subarray(0, this.#end) : undefined
    this.#memory = undefined
    this.#end = 0
    return messages
  }
}
