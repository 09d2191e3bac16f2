// How far nodes are from each other by their coordinates (spec: state.md §9).
import type { Coord, Coordinate } from '../../events/coordinate.js'

const NS_PER_SECOND = 1e9

/** Seconds, cut to whole nanoseconds. */
export const distance = (a: Coord, b: Coord): number => {
  let sum = 0
  for (let i = 0; i < a.Vec.length; i++) sum += ((a.Vec[i] ?? 0) - (b.Vec[i] ?? 0)) ** 2
  const raw = Math.sqrt(sum) + a.Height + b.Height
  const adjusted = raw + a.Adjustment + b.Adjustment
  return Math.trunc((adjusted > 0 ? adjusted : raw) * NS_PER_SECOND) / NS_PER_SECOND
}

/** A node's coordinates by segment. */
export type NodeDistances = ReadonlyMap<string, Coordinate>

const onlySegment = (places: NodeDistances): string | undefined =>
  places.size === 1 ? [...places.keys()][0] : undefined

/** Seconds between two nodes, in the segment that both are in; Infinity if they share none. */
const distanceBetween = (from: NodeDistances, to: NodeDistances): number => {
  const segment = onlySegment(to) ?? onlySegment(from) ?? ''
  const a = from.get(segment)
  const b = to.get(segment)
  return a && b ? distance(a.Coord, b.Coord) : Infinity
}

const nowhere: NodeDistances = new Map()

/** The rows, nearest first; those equally far stay in their order, those without coordinates at the end. */
export const nearestFirst = <Row>(
  rows: readonly Row[],
  from: NodeDistances,
  placesOf: (row: Row) => NodeDistances | undefined
): readonly Row[] =>
  rows
    .map(row => [distanceBetween(from, placesOf(row) ?? nowhere), row] as const)
    // Infinity minus itself is no number.
    .toSorted(([a], [b]) => (a === b ? 0 : a - b))
    .map(([, row]) => row)
