// One tile in memory: its hashes, and those of all whole subtrees over them.
import { nodeHash } from '../evidence/merkle.js'
import { HASH_BYTES, TILE_HEIGHT, TILE_WIDTH } from './tiles.js'

/** 256 hashes, 128 over them, and so on up to the root. */
const NODES = 2 * TILE_WIDTH - 1
/** Byte at which each row begins, by its height. */
const ROWS_AT = Array.from(
  { length: TILE_HEIGHT + 1 },
  (_, height) => (2 * TILE_WIDTH - 2 ** (TILE_HEIGHT + 1 - height)) * HASH_BYTES
)
const rowAt = (height: number): number => ROWS_AT[height] ?? 0

/** Grows until it is full. */
export class Tile {
  readonly #nodes = Buffer.alloc(NODES * HASH_BYTES)
  #width = 0

  /** @param row hashes, one behind the other, 256 at most */
  static of(row: Uint8Array): Tile {
    const tile = new Tile()
    for (let at = 0; at < row.length; at += HASH_BYTES) tile.push(row.subarray(at, at + HASH_BYTES))
    return tile
  }

  /** How many hashes it holds. */
  get width(): number {
    return this.#width
  }

  get isFull(): boolean {
    return this.#width === TILE_WIDTH
  }

  /** Adds a hash, and what is whole with it. */
  push(hash: Uint8Array): void {
    let at = this.#width++
    this.#nodes.set(hash, rowAt(0) + at * HASH_BYTES)
    for (let height = 0; at % 2 === 1; height++) {
      const parent = nodeHash(this.node(height, at - 1), this.node(height, at))
      at = (at - 1) / 2
      this.#nodes.set(parent, rowAt(height + 1) + at * HASH_BYTES)
    }
  }

  /**
   * The root of a whole subtree.
   * @param height 0 for the tile's own hashes, 8 for the root of a full tile
   */
  node(height: number, at: number): Buffer {
    const byte = rowAt(height) + at * HASH_BYTES
    return this.#nodes.subarray(byte, byte + HASH_BYTES)
  }

  /** Its own hashes from one to before another, one behind the other. */
  row(from = 0, to = this.#width): Buffer {
    return this.#nodes.subarray(from * HASH_BYTES, to * HASH_BYTES)
  }
}
