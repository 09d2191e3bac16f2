import { lowerBound } from '../events/sorted-search.js'
import { beginEpoch, currentEpoch } from './epoch.js'

/** Adjacent rows in order. It is changed only in the epoch in which it was created. */
interface Block<Row> {
  readonly rows: Row[]
  /**
   * No row is before it, except in the first block, and no row of an earlier block is after it. A search reads it in place of rows, which are in
   * no CPU cache.
   */
  readonly first: string
  readonly epoch: number
}

const MAX_BLOCK_ROWS = 256

/**
 * Rows in the order of a text, as a list of sorted blocks. `add` and `delete` cost two binary searches and a move within a block. Blocks that
 * earlier epochs may share are copied before a change.
 */
export class SortedRows<Row extends object> {
  #blocks: Block<Row>[] = []
  /** The epoch in which the list of blocks was created. */
  #epoch = 0
  #size = 0

  /** @param orderOf never changes for a row */
  constructor(private readonly orderOf: (row: Row) => string) {}

  get size(): number {
    return this.#size
  }

  /** Inserts a row behind those of the same order. */
  add(row: Row): void {
    const { orderOf } = this
    const order = orderOf(row)
    const at = Math.max(0, lowerBound(this.#blocks, ({ first }) => first <= order) - 1)
    const block = this.#own(at)
    const { rows } = block
    this.#size++
    const last = rows.at(-1)
    if (last !== undefined && orderOf(last) <= order) rows.push(row)
    else
      rows.splice(
        lowerBound(rows, other => orderOf(other) <= order),
        0,
        row
      )
    if (rows.length > MAX_BLOCK_ROWS) this.#split(at, block)
  }

  /** The row must be present. */
  delete(row: Row): void {
    const { at, found } = this.#find(row)
    const { rows } = this.#own(at)
    rows.splice(found, 1)
    if (rows.length === 0) this.#blocks.splice(at, 1)
    this.#size--
  }

  /** Puts a row in the place of another one of the same order, which must be present. */
  replace(before: Row, row: Row): void {
    const { at, found } = this.#find(before)
    this.#own(at).rows[found] = row
  }

  /**
   * The present rows from the first one after an order, or all. They stay if a new epoch begins before the next change; otherwise nothing may
   * change meanwhile.
   */
  after(order?: string): Iterable<Row> {
    const blocks = this.#blocks
    return { [Symbol.iterator]: () => rowsFrom(blocks, this.orderOf, order) }
  }

  /** The rows at the first step, whatever changes afterwards. */
  *unchanging(): Iterable<Row> {
    beginEpoch()
    yield* this.after()
  }

  /** All rows, in a list that never changes. */
  values(): readonly Row[] {
    return this.#blocks.length === 1
      ? (this.#blocks[0]?.rows.slice() ?? [])
      : this.#blocks.flatMap(({ rows }) => rows)
  }

  /** Returns the block of a row and its position there. @throws Error if it is not present */
  #find(row: Row): { readonly at: number; readonly found: number } {
    const order = this.orderOf(row)
    const blocks = this.#blocks
    for (
      let at = Math.max(0, lowerBound(blocks, ({ first }) => first < order) - 1);
      at < blocks.length;
      at++
    ) {
      const found = blocks[at]?.rows.indexOf(row) ?? -1
      if (found >= 0) return { at, found }
    }
    throw new Error(`there is no row of the order ${order}`)
  }

  #split(at: number, { rows, epoch }: Block<Row>): void {
    const upper = rows.splice(rows.length >> 1)
    const [first] = upper
    if (first !== undefined)
      this.#blocks.splice(at + 1, 0, { rows: upper, first: this.orderOf(first), epoch })
  }

  /** Returns a block of the present epoch, which may be changed. */
  #own(at: number): Block<Row> {
    const epoch = currentEpoch()
    if (this.#epoch !== epoch) {
      this.#blocks = this.#blocks.slice()
      this.#epoch = epoch
    }
    const block = this.#blocks[at]
    if (block?.epoch === epoch) return block
    return (this.#blocks[at] = { rows: block?.rows.slice() ?? [], first: block?.first ?? '', epoch })
  }
}

function* rowsFrom<Row>(
  blocks: readonly Block<Row>[],
  orderOf: (row: Row) => string,
  order: string | undefined
): Generator<Row> {
  const isBefore = (row: Row): boolean => order !== undefined && orderOf(row) <= order
  let at = order === undefined ? 0 : Math.max(0, lowerBound(blocks, ({ first }) => first <= order) - 1)
  let from = order === undefined ? 0 : lowerBound(blocks[at]?.rows ?? [], isBefore)
  for (; at < blocks.length; at++, from = 0) {
    const rows = blocks[at]?.rows ?? []
    for (let i = from; i < rows.length; i++) {
      const row = rows[i]
      if (row !== undefined) yield row
    }
  }
}
