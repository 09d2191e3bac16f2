// The Merkle tree over the records of a log (RFC 9162 §2.1). Its right edge and recently read tiles are in memory, other
// full tiles in files. Leaves are numbered from 0.
import { LRUCache } from 'lru-cache'
import { EMPTY_ROOT, nodeHash } from '../evidence/merkle.js'
import { LogUnusable } from '../log.js'
import { countAt, HASH_BYTES, Tile, TILE_HEIGHT, TILE_WIDTH } from './tiles.js'

/** Full tiles that were read and proved are kept, up to so many: 16 KiB each. */
const MOST_KEPT = 256

export interface HashRows {
  /** Returns hashes of a level, fewer than requested at its end. */
  row(level: number, from: number, count: number): Promise<Buffer>
}

/** The stored tree is damaged. */
export class TreeDamage extends LogUnusable {
  override readonly name = 'TreeDamage'
}

export class MerkleTree {
  /** Full tiles that are not stored yet. */
  readonly #unkept = new Map<string, Tile>()
  readonly #read = new LRUCache<string, Tile>({ max: MOST_KEPT })

  /** @param rows source of full tiles after `forget`; undefined to hold them in memory */
  constructor(
    private readonly rows?: HashRows,
    private leaves = 0,
    /** The partial tile of each level. */
    private readonly edge: Tile[] = []
  ) {}

  /** Opens a stored tree unverified: compare `rootAt(size)` with a trusted root. @throws TreeDamage if hashes are missing */
  static async open(rows: HashRows, size: number): Promise<MerkleTree> {
    const edge: Tile[] = []
    for (let level = 0; countAt(level, size) > 0; level++) {
      const count = countAt(level, size)
      const width = count % TILE_WIDTH
      const row = await rows.row(level, count - width, width)
      if (row.length < width * HASH_BYTES)
        throw new TreeDamage(`level ${level} of the tree has not the ${count} hashes of ${size} commits`)
      edge.push(Tile.of(row))
    }
    return new MerkleTree(rows, size, edge)
  }

  get size(): number {
    return this.leaves
  }

  /** Adds a leaf by its hash. */
  append(leaf: Uint8Array): void {
    let hash = leaf
    for (let level = 0; ; level++) {
      const tile = (this.edge[level] ??= new Tile())
      tile.push(hash)
      if (!tile.isFull) break
      this.#unkept.set(keyOf(level, countAt(level + 1, this.leaves)), tile)
      this.edge[level] = new Tile()
      hash = tile.node(TILE_HEIGHT, 0)
    }
    this.leaves++
  }

  /** Returns the tree over the first leaves. @throws TreeDamage */
  async cutTo(size: number): Promise<MerkleTree> {
    const edge: Tile[] = []
    for (let level = 0; countAt(level, size) > 0; level++) {
      const count = countAt(level, size)
      edge.push(Tile.of(await this.hashes(level, count - (count % TILE_WIDTH), count)))
    }
    return new MerkleTree(this.rows, size, edge)
  }

  /** Drops the full tiles of the first leaves, which `rows` has from now on. */
  forget(size: number): void {
    for (const [key, tile] of this.#unkept) {
      const [level = 0, number = 0] = key.split('/').map(Number)
      if ((number + 1) * TILE_WIDTH > countAt(level, size)) continue
      this.#unkept.delete(key)
      this.#read.set(key, tile)
    }
  }

  /** Returns the consecutive hashes of a level and range. @throws TreeDamage RangeError */
  async hashes(level: number, from: number, to: number): Promise<Buffer> {
    if (to > countAt(level, this.leaves)) throw new RangeError(`level ${level} has no hash ${to - 1}`)
    const rows: Buffer[] = []
    for (let at = from; at < to;) {
      const number = Math.floor(at / TILE_WIDTH)
      const first = number * TILE_WIDTH
      const end = Math.min(to - first, TILE_WIDTH)
      rows.push((await this.#tile(level, number)).row(at - first, end))
      at = first + end
    }
    return Buffer.concat(rows)
  }

  /** @throws TreeDamage RangeError */
  async leafHash(index: number): Promise<Buffer> {
    if (index >= this.leaves) throw new RangeError(`there is no leaf ${index}`)
    return this.#node(0, index)
  }

  /** Returns the root over the first leaves. @throws TreeDamage RangeError */
  async rootAt(size: number): Promise<Buffer> {
    if (size > this.leaves) throw new RangeError(`there are no ${size} leaves`)
    return this.#root(0, size)
  }

  /** Returns an inclusion proof (RFC 9162 §2.1.3.1), which begins with the sibling of the leaf. @throws TreeDamage RangeError */
  async inclusion(index: number, size: number): Promise<readonly Buffer[]> {
    if (size > this.leaves || index >= size) throw new RangeError(`there is no leaf ${index} of ${size}`)
    const siblings: Span[] = []
    let span: Span = { from: 0, count: size }
    while (span.count > 1) {
      const [left, right] = halvesOf(span)
      const isLeft = index < right.from
      siblings.push(isLeft ? right : left)
      span = isLeft ? left : right
    }
    return this.#roots(siblings.toReversed())
  }

  /** Returns a consistency proof between the first `from` and `to` leaves (RFC 9162 §2.1.4.1). @throws TreeDamage RangeError */
  async consistency(from: number, to: number): Promise<readonly Buffer[]> {
    if (to > this.leaves || from > to) throw new RangeError(`there are no ${from} leaves of ${to}`)
    if (from === 0 || from === to) return []
    const spans: Span[] = []
    let span: Span = { from: 0, count: to }
    while (span.from + span.count !== from) {
      const [left, right] = halvesOf(span)
      const isLeft = from <= right.from
      spans.push(isLeft ? right : left)
      span = isLeft ? left : right
    }
    // The verifier knows the root of the older tree.
    if (span.from > 0) spans.push(span)
    return this.#roots(spans.toReversed())
  }

  async #roots(spans: readonly Span[]): Promise<readonly Buffer[]> {
    const hashes: Buffer[] = []
    for (const { from, count } of spans) hashes.push(await this.#root(from, count))
    return hashes
  }

  /** Returns the root over leaves. They begin at a multiple of a power of two that is at least `count`. */
  async #root(from: number, count: number): Promise<Buffer> {
    const subtrees: Buffer[] = []
    for (let at = from, left = count; left > 0;) {
      let height = 0
      while (2 ** (height + 1) <= left) height++
      const width = 2 ** height
      subtrees.push(await this.#node(height, at / width))
      at += width
      left -= width
    }
    return subtrees.length === 0
      ? EMPTY_ROOT
      : subtrees.reduceRight((right, subtree) => nodeHash(subtree, right))
  }

  /** The root of a whole subtree: height 0 for leaves. */
  async #node(height: number, number: number): Promise<Buffer> {
    const level = Math.floor(height / TILE_HEIGHT)
    const above = height % TILE_HEIGHT
    const first = number * 2 ** above
    const tile = await this.#tile(level, Math.floor(first / TILE_WIDTH))
    return tile.node(above, (first % TILE_WIDTH) / 2 ** above)
  }

  /** Returns a tile. A tile read from the files is verified by its parent. */
  async #tile(level: number, number: number): Promise<Tile> {
    const edge = this.edge[level]
    if (edge && number === countAt(level + 1, this.leaves)) return edge
    const key = keyOf(level, number)
    const known = this.#unkept.get(key) ?? this.#read.get(key)
    if (known) return known
    const row = await this.rows?.row(level, number * TILE_WIDTH, TILE_WIDTH)
    const tile = row && Tile.of(row)
    if (!tile?.isFull) throw new TreeDamage(`tile ${number} of level ${level} of the tree is not whole`)
    const above = await this.#tile(level + 1, Math.floor(number / TILE_WIDTH))
    if (!tile.node(TILE_HEIGHT, 0).equals(above.node(0, number % TILE_WIDTH)))
      throw new TreeDamage(`tile ${number} of level ${level} of the tree is not what the tile above it says`)
    this.#read.set(key, tile)
    return tile
  }
}

interface Span {
  readonly from: number
  readonly count: number
}

/** Splits at least two leaves as RFC 9162 does: the left half is the largest power of two below their number. */
function halvesOf({ from, count }: Span): readonly [left: Span, right: Span] {
  let left = 1
  while (2 * left < count) left *= 2
  return [
    { from, count: left },
    { from: from + left, count: count - left }
  ]
}

const keyOf = (level: number, number: number): string => `${level}/${number}`
