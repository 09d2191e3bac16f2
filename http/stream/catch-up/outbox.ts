// Collects the messages of a piece.

export class Outbox {
  readonly #most: number
  #memory: Buffer<ArrayBuffer> | undefined
  #end = 0

  /**
   * @param most bytes, but for a single message that is larger
   * @param spent memory of a piece that was sent, to be used again
   */
  constructor(most: number, spent?: ArrayBuffer) {
    this.#most = most
    if (spent?.byteLength === most) this.#memory = Buffer.from(spent)
  }

  get isEmpty(): boolean {
    return this.#end === 0
  }

  /** Takes a message, unless it is full. */
  add(message: Buffer): boolean {
    if (this.#end > 0 && this.#end + message.length > this.#most) return false
    if (!this.#memory || message.length > this.#memory.length)
      this.#memory = Buffer.allocUnsafeSlow(Math.max(this.#most, message.length))
    this.#end += message.copy(this.#memory, this.#end)
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
