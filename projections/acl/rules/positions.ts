// From an offset in a text to its line and column.
import type { Position } from './tree.js'

/** Prepares the look-up: linear in the text once, then logarithmic in its lines for each offset. */
export function positionsIn(text: string): (offset: number) => Position {
  const lineStarts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1)
  return offset => {
    let low = 0
    let high = lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((lineStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 }
  }
}
