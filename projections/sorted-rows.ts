import { lowerBound } from '../events/sorted-search.js'
import { beginEpoch, epoch } from './epoch.js'
import { byText } from './row-table.js'

/** Adjacent rows, sorted when they are read. It is changed only in the epoch in which it was created. */
interface Block<Row> {
  readonly rows: Row[]
  isSorted: boolean
  /**
   * No row is before it, except in the first block, and no row of an earlier block is after it. A search reads it in place of rows, which are in
   * no CPU cache.
   */
  readonly first: string
  readonly epoch: number
}

const MAX_BLOCK_ROWS = 256

/** Returns the position of the last block that begins at or before an order; 0 without one. */
function blockAt<Row>(blocks: readonly Block<Row>[], order: string): number {
  let low = 0
  // Without a function per search, since every write searches.
  for (let high = blocks.length; low < high;) {
    const middle = (low + high) >> 1
    if ((blocks[middle]?.first ?? '') <= order) low = middle + 1
    else high = middle
  }
  return Math.max(0, low - 1)
}

const sortedRows = <Row>(block: Block<Row>, orderOf: (row: Row) => string): readonly Row[] => {
  if (!block.isSorted) block.rows.sort((a, b) => byText(orderOf(a), orderOf(b)))
  block.isSorted = true
  return block.rows
}

/** Rows among which a middle one is sought. */
const SAMPLE = 9

/** Divides the rows about in the middle of their order, without sorting them. @returns also the order that no later row is before */
const halvesOf = <Row extends object>(block: Block<Row>, orderOf: (row: Row) => string) => {
  const { rows } = block
  const sample: string[] = []
  const step = Math.floor(rows.length / SAMPLE)
  for (let i = 0; i < rows.length; i += step) {
    const row = rows[i]
    if (row) sample.push(orderOf(row))
  }
  const first = sample.toSorted(byText)[sample.length >> 1] ?? ''
  const earlier: Row[] = []
  const later: Row[] = []
  for (const row of rows) (orderOf(row) < first ? earlier : later).push(row)
  if (earlier.length > 0) return { earlier, later, first }
  // Most rows have the same order, the first one.
  const sorted = sortedRows(block, orderOf)
  const latter = sorted.slice(sorted.length >> 1)
  const [begun] = latter
  return { earlier: sorted.slice(0, -latter.length), later: latter, first: begun ? orderOf(begun) : first }
}

/**
 * Rows in the order of a text, as a list of blocks. `add` costs a binary search among the blocks, and `delete` also a search within one. Blocks
 * that earlier epochs may share are copied before a change.
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
    const at = blockAt(this.#blocks, order)
    const block = this.#own(at)
    const { rows } = block
    this.#size++
    const last = rows.at(-1)
    if (last !== undefined && block.isSorted) block.isSorted = orderOf(last) <= order
    rows.push(row)
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

  /** Puts a row in the place of another one, which must be present. */
  replace(before: Row, row: Row): void {
    if (this.orderOf(before) !== this.orderOf(row)) {
      this.delete(before)
      return this.add(row)
    }
    const { at, found } = this.#find(before)
    this.#own(at).rows[found] = row
  }

  /**
   * The present rows from the first one after an order, or all. They stay if a new epoch begins before the next change; otherwise nothing may
   * change meanwhile.
   */
  after(order?: string): Iterable<Row> {
    return new RowsAfter(this.#blocks, this.orderOf, order)
  }

  /** The rows at the first step, whatever changes afterwards. */
  *unchanging(): Iterable<Row> {
    beginEpoch()
    yield* this.after()
  }

  /** All rows, in a list that never changes. */
  values(): readonly Row[] {
    return this.#blocks.flatMap(block => sortedRows(block, this.orderOf))
  }

  /** Returns the block of a row and its position there. @throws Error if it is not present */
  #find(row: Row): { readonly at: number; readonly found: number } {
    const order = this.orderOf(row)
    const blocks = this.#blocks
    // Rows of the same order may begin in an earlier block.
    for (let at = blockAt(blocks, order); at >= 0; at--) {
      const found = blocks[at]?.rows.indexOf(row) ?? -1
      if (found >= 0) return { at, found }
    }
    throw new Error(`there is no row of the order ${order}`)
  }

  #split(at: number, block: Block<Row>): void {
    const { earlier, later, first } = halvesOf(block, this.orderOf)
    this.#blocks.splice(at, 1, { ...block, rows: earlier }, { ...block, rows: later, first })
  }

  /** Returns a block of the present epoch, which may be changed. */
  #own(at: number): Block<Row> {
    const { current } = epoch
    if (this.#epoch !== current) {
      this.#blocks = this.#blocks.slice()
      this.#epoch = current
    }
    const block = this.#blocks[at]
    if (block?.epoch === current) return block
    const { rows = [], isSorted = true, first = '' } = block ?? {}
    return (this.#blocks[at] = { rows: rows.slice(), isSorted, first, epoch: current })
  }
}

/** A class, since each change of a service creates one for its instances. */
class RowsAfter<Row> implements Iterable<Row> {
  constructor(
    private readonly blocks: readonly Block<Row>[],
    private readonly orderOf: (row: Row) => string,
    private readonly order: string | undefined
  ) {}

  *[Symbol.iterator](): Generator<Row> {
    const { blocks, orderOf, order } = this
    const isBefore = (row: Row): boolean => order !== undefined && orderOf(row) <= order
    const start = order === undefined ? 0 : blockAt(blocks, order)
    for (let at = start; at < blocks.length; at++) {
      const block = blocks[at]
      const rows = block ? sortedRows(block, orderOf) : []
      for (let i = at === start ? lowerBound(rows, isBefore) : 0; i < rows.length; i++) {
        const row = rows[i]
        if (row !== undefined) yield row
      }
    }
  }
}
