/** UTF-8 text as the concatenation of immutable pieces, joined only on demand. */
export class BytePieces {
  /** In bytes. */
  readonly length: number

  constructor(readonly pieces: readonly Uint8Array[]) {
    let length = 0
    for (const piece of pieces) length += piece.length
    this.length = length
  }

  toBuffer(): Buffer {
    const [first] = this.pieces
    return first && this.pieces.length === 1
      ? Buffer.from(first.buffer, first.byteOffset, first.length)
      : Buffer.concat(this.pieces, this.length)
  }

  toString(): string {
    return this.toBuffer().toString()
  }
}
