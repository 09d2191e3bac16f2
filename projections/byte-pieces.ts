/** UTF-8 text as the concatenation of immutable pieces, joined only on demand. */
export class BytePieces {
  /** @param length in bytes, of all pieces */
  constructor(
    readonly pieces: readonly Uint8Array[],
    readonly length: number = pieces.reduce((sum, piece) => sum + piece.length, 0)
  ) {}

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
