// Tiles of 256 hashes, addressed by level and number, and their paths (c2sp.org/tlog-tiles).
import { pairHash } from '../evidence/merkle.js'

/** Levels of the tree in a tile. */
export const TILE_HEIGHT = 8
/** Hashes in a full tile. */
export const TILE_WIDTH = 2 ** TILE_HEIGHT
export const HASH_BYTES = 32

/** A complete or partial tile. */
interface TileName {
  /** Level 0 has the hashes of leaves. Level L has the roots of the full tiles of level L - 1. */
  readonly level: number
  /** From 0. */
  readonly number: number
  /** Number of hashes, 1 to 256. */
  readonly width: number
}

const MOST_LEVEL = 63
const GROUP = /^x\d{3}$/
const LAST_GROUP = /^\d{3}$/
const WHOLE = /^(0|[1-9]\d*)$/

export const countAt = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level)

/** `<L>/<N>[.p/<W>]`, where N is groups of three digits, all but the last one after an `x`. */
export function tilePath({ level, number, width }: TileName): string {
  const groups: string[] = []
  for (let rest = number; groups.length === 0 || rest > 0; rest = Math.floor(rest / 1000))
    groups.unshift(`${groups.length === 0 ? '' : 'x'}${String(rest % 1000).padStart(3, '0')}`)
  return `${level}/${groups.join('/')}${width === TILE_WIDTH ? '' : `.p/${width}`}`
}

/** Parses a tile path. Returns undefined for an invalid or non-canonical path. */
export function parseTilePath(path: string): TileName | undefined {
  const [level = '', ...rest] = path.split('/')
  const [last = '', suffix] = rest.at(-2)?.split('.') ?? []
  const isPartial = suffix === 'p'
  const width = isPartial ? (rest.at(-1) ?? '') : String(TILE_WIDTH)
  const groups = isPartial ? [...rest.slice(0, -2), last] : rest
  const number = Number(groups.map(group => group.replace('x', '')).join(''))
  if (!WHOLE.test(level) || Number(level) > MOST_LEVEL) return undefined
  if (!LAST_GROUP.test(groups.at(-1) ?? '') || !groups.slice(0, -1).every(group => GROUP.test(group)))
    return undefined
  const tile = { level: Number(level), number, width: Number(width) }
  // Rejects leading zeros and partial paths of full tiles.
  return Number.isSafeInteger(number) && isWidth(width, isPartial) && tilePath(tile) === path
    ? tile
    : undefined
}

const isWidth = (width: string, isPartial: boolean): boolean =>
  WHOLE.test(width) && Number(width) >= 1 && Number(width) <= (isPartial ? TILE_WIDTH - 1 : TILE_WIDTH)

/** 256 hashes, their 128 parents, and so on up to the root. */
const NODES = 2 * TILE_WIDTH - 1
/** Byte offset of each row by height. */
const ROWS_AT = Array.from(
  { length: TILE_HEIGHT + 1 },
  (_, height) => (2 * TILE_WIDTH - 2 ** (TILE_HEIGHT + 1 - height)) * HASH_BYTES
)
const rowAt = (height: number): number => ROWS_AT[height] ?? 0

export class Tile {
  readonly #nodes = Buffer.alloc(NODES * HASH_BYTES)
  #width = 0

  /** @param row at most 256 consecutive hashes */
  static of(row: Uint8Array): Tile {
    const tile = new Tile()
    for (let at = 0; at < row.length; at += HASH_BYTES) tile.push(row.subarray(at, at + HASH_BYTES))
    return tile
  }

  get width(): number {
    return this.#width
  }

  get isFull(): boolean {
    return this.#width === TILE_WIDTH
  }

  /** Adds a hash and the parents that it completes. */
  push(hash: Uint8Array): void {
    let at = this.#width++
    this.#nodes.set(hash, rowAt(0) + at * HASH_BYTES)
    for (let height = 0; at % 2 === 1; height++) {
      const parent = pairHash(this.#nodes, rowAt(height) + (at - 1) * HASH_BYTES)
      at = (at - 1) / 2
      this.#nodes.write(parent, rowAt(height + 1) + at * HASH_BYTES, 'binary')
    }
  }

  /** Returns the root of a complete subtree. @param height 0 for the tile's own hashes, 8 for the root of a full tile */
  node(height: number, at: number): Buffer {
    const byte = rowAt(height) + at * HASH_BYTES
    return this.#nodes.subarray(byte, byte + HASH_BYTES)
  }

  /** Returns its consecutive hashes of a range. */
  row(from = 0, to = this.#width): Buffer {
    return this.#nodes.subarray(from * HASH_BYTES, to * HASH_BYTES)
  }
}
