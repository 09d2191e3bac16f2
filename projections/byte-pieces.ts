// A text in pieces that are encoded already, put together only where it is needed.

/** UTF-8 text as the sum of its pieces. None of them may be changed any more. */
export class BytePieces {
  /** In bytes. */
  readonly length: number

  constructor(private readonly pieces: readonly Uint8Array[]) {
    let length = 0
    for (const piece of pieces) length += piece.length
    this.length = length
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.pieces, this.length)
  }

  toString(): string {
    return this.toBuffer().toString()
  }
}
