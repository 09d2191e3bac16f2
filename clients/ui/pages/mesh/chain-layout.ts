// The layout of a discovery chain from left to right, without labels on lines.
import { chainPartsOf, waysOf, type Chain, type ChainPart, type Way } from './chain.js'

/** In pixels. The widest text of a column determines the width of its boxes. */
const LEAST_WIDTH = 90
const MOST_WIDTH = 200
const PADDING = 24
/** The height of a box with one outgoing edge. */
const HEIGHT = 48
const PER_WAY = 26
const BETWEEN = 18
/** The height of an edge that passes a column. */
const LANE = 12
const ARROW = 6
const MARGIN = 2
/** The width of a curve between two columns, after the longest label. */
const CURVE = 44
const PER_LETTER = 6.6
const LEAST_LABEL = 10
/** The maximum length of a label. */
export const MOST_LETTERS = 25

export interface Box extends ChainPart {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Line extends Way {
  /** The point at which it leaves its box, and at which its label starts. */
  readonly x: number
  readonly y: number
  readonly path: string
  readonly tip: { readonly x: number; readonly y: number }
}

interface Layout {
  readonly boxes: readonly Box[]
  readonly lines: readonly Line[]
  readonly width: number
  readonly height: number
}

/** Returns the column of each part: the length of the longest path to it. */
const columnsOf = (ways: readonly Way[], start: string): ReadonlyMap<string, number> => {
  const columns = new Map<string, number>([[start, 0]])
  // A chain has no cycles. A part that moves to the right moves its successors, too.
  const place = (id: string): void => {
    for (const { from, to } of ways) {
      const column = (columns.get(from) ?? 0) + 1
      if (from !== id || (columns.get(to) ?? 0) >= column) continue
      columns.set(to, column)
      place(to)
    }
  }
  place(start)
  return columns
}

const labelWidth = ({ label }: Way): number =>
  label === '' ? LEAST_LABEL : Math.min(label.length, MOST_LETTERS) * PER_LETTER + LEAST_LABEL

const heightFor = (out: number): number => Math.max(HEIGHT, out * PER_WAY)

/** The text of a box above its name. */
export const typeOf = ({ type, more }: ChainPart): string => (more === '' ? type : `${type} · ${more}`)

const widthFor = (parts: readonly ChainPart[]): number => {
  const letters = Math.max(...parts.flatMap(part => [part.name.length, typeOf(part).length]))
  return Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, letters * PER_LETTER + PADDING))
}

/** The number of letters that fit into a box. */
export const lettersIn = ({ width }: Box): number => Math.floor((width - PADDING) / PER_LETTER) + 1

/** Aligns resolvers in one column, and targets in another. */
const aligned = (reached: ReadonlyMap<string, number>) => {
  const last = Math.max(...reached.values())
  const columns = { target: last, resolver: last - 1 }
  return ({ id, type }: ChainPart): number =>
    type === 'target' || type === 'resolver' ? columns[type] : (reached.get(id) ?? 0)
}

/** An entry of a column: a part, or an edge that continues to a later column. */
type Item = { readonly part: ChainPart } | { readonly way: Way }

/** The points of an edge in each column that it crosses. */
type Stops = Map<Way, { readonly column: number; readonly y: number }[]>

const lastOf = (stops: Stops, way: Way): number => stops.get(way)?.at(-1)?.y ?? 0

/** A curve from one height to another, between two columns. */
const curve = (from: number, to: number, y1: number, y2: number): string =>
  `C${(from + to) / 2},${y1} ${(from + to) / 2},${y2} ${to},${y2}`

export const layOut = (chain: Chain): Layout => {
  const parts = chainPartsOf(chain)
  const ways = waysOf(chain)
  const reached = columnsOf(ways, parts[0]?.id ?? '')
  const last = Math.max(...reached.values())
  const columnOf = aligned(reached)
  const columns = new Map(parts.map(part => [part.id, columnOf(part)]))
  const boxes = new Map<string, Box>()
  const lefts = [MARGIN]
  const stops: Stops = new Map()
  const stop = (way: Way, column: number, y: number): void => {
    stops.set(way, [...(stops.get(way) ?? []), { column, y }])
  }
  /** The mean height of the incoming edges of an item. */
  const wish = (item: Item): number => {
    if ('way' in item) return lastOf(stops, item.way)
    const from = ways.filter(way => way.to === item.part.id && stops.has(way)).map(way => lastOf(stops, way))
    return from.length === 0 ? 0 : from.reduce((sum, each) => sum + each, 0) / from.length
  }
  for (let column = 0; column <= last; column++) {
    const here = parts.filter(({ id }) => reached.has(id) && columns.get(id) === column)
    const through = ways.filter(
      ({ from, to }) => (columns.get(from) ?? last) < column && (columns.get(to) ?? 0) > column
    )
    const items: readonly Item[] = [...here.map(part => ({ part })), ...through.map(way => ({ way }))]
    const x = lefts[column] ?? MARGIN
    const width = widthFor(here)
    let y = MARGIN
    for (const item of items.toSorted((one, other) => wish(one) - wish(other))) {
      if ('way' in item) {
        stop(item.way, column, y + LANE / 2)
        y += LANE + BETWEEN
        continue
      }
      const out = ways.filter(({ from }) => from === item.part.id)
      const height = heightFor(out.length)
      boxes.set(item.part.id, { ...item.part, x, y, width, height })
      for (const [at, way] of out.entries()) stop(way, column, y + (height * (at + 0.5)) / out.length)
      y += height + BETWEEN
    }
    const room = ways.filter(({ from }) => columns.get(from) === column).map(labelWidth)
    lefts.push(x + width + Math.max(...room, LEAST_LABEL) + CURVE)
  }
  const lines = ways.flatMap(way => {
    const [from, to] = [boxes.get(way.from), boxes.get(way.to)]
    const [first, ...more] = stops.get(way) ?? []
    if (!from || !to || !first) return []
    const x = from.x + from.width
    const tip = { x: to.x, y: to.y + to.height / 2 }
    let path = `M${x},${first.y}`
    let { column, y } = first
    for (const next of [...more, { column: columns.get(to.id) ?? last, y: tip.y }]) {
      const left = lefts[next.column] ?? tip.x
      // Labels of a column end at the same point, so that no curve starts below one of them.
      path += ` H${(lefts[column + 1] ?? left) - CURVE} ${curve(left - CURVE, left - ARROW, y, next.y)}`
      ;({ column, y } = next)
    }
    return [{ ...way, x, y: first.y, path, tip }]
  })
  const all = [...boxes.values()]
  return {
    boxes: all,
    lines,
    width: Math.max(...all.map(box => box.x + box.width)) + MARGIN,
    height: Math.max(...all.map(box => box.y + box.height)) + MARGIN
  }
}
