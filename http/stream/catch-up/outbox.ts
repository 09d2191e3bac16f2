// Collects the messages of a piece.

export class Outbox {
  readonly #most: number
  #parts: Buffer[] = []
  #bytes = 0

  /** @param most bytes, but for a single message that is larger */
  constructor(most: number) {
    this.#most = most
  }

  get isEmpty(): boolean {
    return this.#bytes === 0
  }

  /** Takes a message, unless it is full. */
  add(message: Buffer): boolean {
    if (this.#bytes > 0 && this.#bytes + message.length > this.#most) return false
    this.#parts.push(message)
    this.#bytes += message.length
    return true
  }

  /** What was taken, in one piece of memory that nothing else uses; undefined for nothing. */
  take(): Buffer<ArrayBuffer> | undefined {
    if (this.#bytes === 0) return undefined
    const whole = Buffer.allocUnsafeSlow(this.#bytes)
    let at = 0
    for (const part of this.#parts) at += part.copy(whole, at)
    this.#parts = []
    this.#bytes = 0
    return whole
  }
}
